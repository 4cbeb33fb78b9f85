// SPDX-License-Identifier: Apache-2.0
#pragma once
// The methods of the protocol, by name. A further one is a function and a row.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

class Call;
class Connection;

struct Method {
  std::string_view name;
  void (*run)(Connection&, const std::shared_ptr<Call>&);
  bool session = true;  ///< Part of the revisions with sessions.
  bool modern = true;   ///< Part of those without.
  bool before_initialize = false;
};

/// nullptr when there is none.
[[nodiscard]] const Method* find_method(std::string_view name);

/// Methods of the revisions with sessions, or of those without, that a wrong name may have meant.
[[nodiscard]] std::vector<std::string> near_methods(std::string_view name, bool session);

// The tables of each file.
[[nodiscard]] std::span<const Method> session_methods();
[[nodiscard]] std::span<const Method> tool_methods();
[[nodiscard]] std::span<const Method> resource_methods();
[[nodiscard]] std::span<const Method> prompt_methods();

}  // namespace gantry::mcp
