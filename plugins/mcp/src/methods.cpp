// SPDX-License-Identifier: Apache-2.0
#include "methods.hpp"

#include <array>

namespace gantry::mcp {

const Method* find_method(std::string_view name) {
  for (const auto table :
       {session_methods(), tool_methods(), resource_methods(), prompt_methods()}) {
    for (const Method& method : table) {
      if (method.name == name) return &method;
    }
  }
  return nullptr;
}

}  // namespace gantry::mcp
