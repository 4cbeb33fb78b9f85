// SPDX-License-Identifier: Apache-2.0
#include "plugin/version.hpp"

#include <array>
#include <charconv>

namespace gantry::plugin {
namespace {

std::optional<unsigned> parse_number(std::string_view text) {
  unsigned value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  constexpr unsigned kLargest = 999'999;
  if (text.empty() || error != std::errc{} || at != end || value > kLargest) return std::nullopt;
  return value;
}

// How many parts were written decides what "1.2" means in a range.
std::optional<Version> parse_parts(std::string_view text, std::size_t& parts) {
  std::array<unsigned, 3> numbers{};
  parts = 0;
  while (true) {
    const std::size_t dot = text.find('.');
    const auto number = parse_number(text.substr(0, dot));
    if (!number || parts == numbers.size()) return std::nullopt;
    numbers.at(parts++) = *number;
    if (dot == std::string_view::npos) break;
    text = text.substr(dot + 1);
  }
  return Version{numbers[0], numbers[1], numbers[2]};
}

Version next(const Version& version, std::size_t part) {
  if (part == 0) return {version.major + 1, 0, 0};
  if (part == 1) return {version.major, version.minor + 1, 0};
  return {version.major, version.minor, version.patch + 1};
}

std::size_t first_nonzero(const Version& version, std::size_t parts) {
  if (version.major != 0 || parts == 1) return 0;
  if (version.minor != 0 || parts == 2) return 1;
  return 2;
}

}  // namespace

std::string Version::to_string() const {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::optional<Version> Version::parse(std::string_view text) {
  std::size_t parts = 0;
  return parse_parts(text, parts);
}

std::optional<VersionRange> VersionRange::parse(std::string_view text) {
  VersionRange range;
  range.text_ = std::string(text);
  constexpr std::array<std::string_view, 6> kOperators{">=", "<=", ">", "<", "=", "^"};
  while (true) {
    const std::size_t begin = text.find_first_not_of(" ,");
    if (begin == std::string_view::npos) return range;
    text = text.substr(begin);
    std::string_view sign;
    for (const auto candidate : kOperators) {
      if (text.starts_with(candidate)) {
        sign = candidate;
        break;
      }
    }
    text = text.substr(sign.size());
    while (text.starts_with(' ')) text = text.substr(1);
    const std::string_view word = text.substr(0, text.find_first_of(" ,"));
    text = text.substr(word.size());
    if (word == "*" && sign.empty()) continue;
    std::size_t parts = 0;
    const auto version = parse_parts(word, parts);
    if (!version) return std::nullopt;
    Bound bound;
    if (sign == ">=")
      bound.from = version;
    else if (sign == ">")
      bound.from = next(*version, parts - 1);
    else if (sign == "<")
      bound.below = version;
    else if (sign == "<=")
      bound.below = next(*version, parts - 1);
    else if (sign == "^")
      bound = {version, next(*version, first_nonzero(*version, parts))};
    else
      bound = {version, next(*version, parts - 1)};
    range.bounds_.push_back(bound);
  }
}

bool VersionRange::contains(const Version& version) const {
  for (const auto& bound : bounds_) {
    if (bound.from && version < *bound.from) return false;
    if (bound.below && version >= *bound.below) return false;
  }
  return true;
}

std::optional<ContractRef> ContractRef::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash > 200) return std::nullopt;
  ContractRef ref;
  ref.name = std::string(text.substr(0, slash));
  bool after_dot = true;  // at the beginning of a word
  for (const char c : ref.name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!word && (c != '.' || after_dot)) return std::nullopt;
    after_dot = c == '.';
  }
  if (after_dot || ref.name.find('.') == std::string::npos) return std::nullopt;
  const std::string_view majors = text.substr(slash + 1);
  const std::size_t dash = majors.find('-');
  const auto first = parse_number(majors.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_number(majors.substr(dash + 1));
  if (!first || !last || *first > *last || *last - *first > 100) return std::nullopt;
  ref.first = *first;
  ref.last = *last;
  return ref;
}

std::string ContractRef::to_string() const {
  return first == last ? full(first) : full(first) + "-" + std::to_string(last);
}

}  // namespace gantry::plugin
