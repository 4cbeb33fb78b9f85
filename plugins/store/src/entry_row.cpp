// SPDX-License-Identifier: Apache-2.0
#include "entry_row.hpp"

#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>

namespace gantry::store {
namespace {

constexpr std::size_t kLineExtra = 8;  // digits, space and line break

/// Takes one line off `types` and its body off `bodies`.
std::optional<EntryView> take_entry(std::string_view& types, std::string_view& bodies) {
  const std::size_t end = types.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t size = 0;
  const auto [rest, failure] = std::from_chars(types.data(), types.data() + end, size);
  const auto digits = static_cast<std::size_t>(rest - types.data());
  if (failure != std::errc() || digits == end || *rest != ' ' || size > bodies.size()) {
    return std::nullopt;
  }
  const EntryView entry{types.substr(digits + 1, end - digits - 1), bodies.substr(0, size)};
  types.remove_prefix(end + 1);
  bodies.remove_prefix(size);
  return entry;
}

}  // namespace

void EntryPacker::clear() {
  entries_.clear();
  bytes_ = 0;
}

void EntryPacker::add(std::string_view type, std::string_view body) {
  entries_.push_back({type, body});
  bytes_ += type.size() + body.size() + kLineExtra;
}

bool EntryPacker::fits(std::string_view type, std::string_view body) const {
  return entries_.empty() || bytes_ + type.size() + body.size() + kLineExtra <= kFullRow;
}

EntryView EntryPacker::columns() {
  if (entries_.size() == 1) return entries_.front();
  types_.clear();
  bodies_.clear();
  for (const EntryView& entry : entries_) {
    char digits[std::numeric_limits<std::size_t>::digits10 + 1];
    const auto [end, failure] =
        std::to_chars(std::begin(digits), std::end(digits), entry.body.size());
    types_.append(digits, end).append(1, ' ').append(entry.type).append(1, '\n');
    bodies_ += entry.body;
  }
  return {types_, bodies_};
}

void unpack(EntryView columns, std::vector<EntryView>& entries) {
  entries.clear();
  if (columns.type.find('\n') == std::string_view::npos) {
    entries.push_back(columns);
    return;
  }
  while (!columns.type.empty()) {
    const auto entry = take_entry(columns.type, columns.body);
    if (!entry) return entries.clear();
    entries.push_back(*entry);
  }
  if (!columns.body.empty()) entries.clear();
}

}  // namespace gantry::store
