// SPDX-License-Identifier: Apache-2.0
#include "methods.hpp"

#include <array>

#include "near_names.hpp"

namespace gantry::mcp {
namespace {

std::array<std::span<const Method>, 4> tables() {
  return {session_methods(), tool_methods(), resource_methods(), prompt_methods()};
}

}  // namespace

const Method* find_method(std::string_view name) {
  for (const auto table : tables()) {
    for (const Method& method : table) {
      if (method.name == name) return &method;
    }
  }
  return nullptr;
}

std::vector<std::string> near_methods(std::string_view name, bool session) {
  std::vector<std::string> names;
  for (const auto table : tables()) {
    for (const Method& method : table) {
      if (session ? method.session : method.modern) names.emplace_back(method.name);
    }
  }
  return near_names(name, names);
}

}  // namespace gantry::mcp
