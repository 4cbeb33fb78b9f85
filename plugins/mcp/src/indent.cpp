// SPDX-License-Identifier: Apache-2.0
#include "indent.hpp"

#include <cstddef>

namespace gantry::mcp {
namespace {

constexpr std::size_t kStep = 2;

/// One past the string that begins at `at`.
std::size_t end_of_string(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

}  // namespace

std::string indented(std::string_view json) {
  std::string out;
  out.reserve(json.size() * 2);
  std::size_t depth = 0;
  const auto new_line = [&] {
    out.push_back('\n');
    out.append(depth * kStep, ' ');
  };
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '"') {
      const std::size_t end = end_of_string(json, at);
      out += json.substr(at, end - at);
      at = end - 1;
    } else if ((c == '{' || c == '[') && at + 1 < json.size() &&
               (json[at + 1] == '}' || json[at + 1] == ']')) {
      out += json.substr(at++, 2);
    } else if (c == '{' || c == '[') {
      out.push_back(c);
      ++depth;
      new_line();
    } else if (c == '}' || c == ']') {
      --depth;
      new_line();
      out.push_back(c);
    } else if (c == ',') {
      out.push_back(c);
      new_line();
    } else if (c == ':') {
      out += ": ";
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace gantry::mcp
