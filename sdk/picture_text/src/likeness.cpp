// SPDX-License-Identifier: Apache-2.0
#include <gantry/picture_text/likeness.hpp>

#include <algorithm>
#include <numeric>

namespace gantry::picture_text {
namespace {

constexpr std::size_t kLongText = 200;

}  // namespace

void Likeness::index(std::u32string_view second) {
  order_.resize(second.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [second](std::size_t a, std::size_t b) { return second[a] < second[b]; });
  const bool has_popular = second.size() >= kLongText;
  const std::size_t most = second.size() / 100 + 1;
  places_.assign(first_.size(), {});
  for (std::size_t i = 0; i < first_.size(); ++i) {
    const char32_t c = first_[i];
    const auto less = [second](std::size_t place, char32_t wanted) {
      return second[place] < wanted;
    };
    const auto begin = std::lower_bound(order_.begin(), order_.end(), c, less);
    auto end = begin;
    while (end != order_.end() && second[*end] == c) ++end;
    if (has_popular && static_cast<std::size_t>(end - begin) > most) continue;
    places_[i] = {static_cast<std::size_t>(begin - order_.begin()),
                  static_cast<std::size_t>(end - order_.begin())};
  }
}

Likeness::Block Likeness::longest(std::u32string_view second, const Part& part) {
  Block best{part.first_begin, part.second_begin, 0};
  std::fill(ending_.begin(), ending_.end(), 0);
  for (std::size_t i = part.first_begin; i < part.first_end; ++i) {
    std::fill(next_.begin(), next_.end(), 0);
    for (std::size_t at = places_[i].begin; at < places_[i].end; ++at) {
      const std::size_t j = order_[at];
      if (j < part.second_begin) continue;
      if (j >= part.second_end) break;
      const std::size_t size = next_[j + 1] = ending_[j] + 1;
      if (size > best.size) best = {i + 1 - size, j + 1 - size, size};
    }
    std::swap(ending_, next_);
  }
  // A block also takes in what may begin none.
  while (best.in_first > part.first_begin && best.in_second > part.second_begin &&
         first_[best.in_first - 1] == second[best.in_second - 1]) {
    --best.in_first, --best.in_second, ++best.size;
  }
  while (best.in_first + best.size < part.first_end &&
         best.in_second + best.size < part.second_end &&
         first_[best.in_first + best.size] == second[best.in_second + best.size]) {
    ++best.size;
  }
  return best;
}

double Likeness::with(std::u32string_view second) {
  const std::size_t length = first_.size() + second.size();
  if (length == 0) return 1;
  index(second);
  ending_.assign(second.size() + 1, 0);
  next_.assign(second.size() + 1, 0);
  std::size_t common = 0;
  std::vector<Part> parts{{0, first_.size(), 0, second.size()}};
  while (!parts.empty()) {
    const Part part = parts.back();
    parts.pop_back();
    const Block block = longest(second, part);
    if (block.size == 0) continue;
    common += block.size;
    if (part.first_begin < block.in_first && part.second_begin < block.in_second) {
      parts.push_back({part.first_begin, block.in_first, part.second_begin, block.in_second});
    }
    const std::size_t first = block.in_first + block.size;
    const std::size_t behind = block.in_second + block.size;
    if (first < part.first_end && behind < part.second_end) {
      parts.push_back({first, part.first_end, behind, part.second_end});
    }
  }
  return 2.0 * static_cast<double>(common) / static_cast<double>(length);
}

}  // namespace gantry::picture_text
