// SPDX-License-Identifier: Apache-2.0
#include "paging.hpp"

#include <gantry/mcp/json_text.hpp>

#include <charconv>
#include <functional>

namespace gantry::mcp {
namespace {

std::size_t fingerprint(const std::vector<std::string>& items) {
  std::size_t sum = items.size();
  for (const std::string& item : items) {
    sum = sum * 31 + std::hash<std::string_view>{}(item);
  }
  return sum;
}

std::string cursor_at(std::size_t place, const std::vector<std::string>& items) {
  return std::to_string(place) + '-' + std::to_string(fingerprint(items));
}

std::optional<std::size_t> place_of(std::string_view cursor,
                                    const std::vector<std::string>& items) {
  if (cursor.empty()) return 0;
  std::size_t place = 0;
  const auto [end, problem] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), place);
  (void)end;
  if (problem != std::errc() || place >= items.size()) return std::nullopt;
  return cursor == cursor_at(place, items) ? std::optional(place) : std::nullopt;
}

}  // namespace

std::optional<Page> page_of(const std::vector<std::string>& items, std::string_view cursor,
                            std::size_t max_bytes) {
  const auto first = place_of(cursor, items);
  if (!first) return std::nullopt;
  ArrayText page;
  std::size_t bytes = 0;
  std::size_t at = *first;
  for (; at < items.size(); ++at) {
    bytes += items[at].size() + 1;
    if (at > *first && bytes > max_bytes) break;
    page.raw(items[at]);
  }
  return Page{page.text(), at < items.size() ? cursor_at(at, items) : std::string()};
}

}  // namespace gantry::mcp
