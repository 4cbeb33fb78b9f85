// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a call that was refused for its arguments may have meant. Pure.

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

/// The tools, and what each of them takes.
class ToolSchemas {
 public:
  virtual ~ToolSchemas() = default;
  [[nodiscard]] virtual std::vector<std::string> tools() const = 0;
  /// Names; none for an unknown tool.
  [[nodiscard]] virtual std::vector<std::string> arguments(std::string_view tool) const = 0;
};

struct ArgumentLesson {
  boost::json::array near;     ///< {argument, instead_of}, or {action}: what was nearly meant.
  boost::json::array ignored;  ///< Names that the tool does not take, at most 20.
  // The next call.
  std::string tool;
  boost::json::object arguments;
  std::string then;
};

/// `given` are the arguments that `tool` was called with, `message` is why it refused them. What is
/// certain enough is put right in the arguments of the next call.
[[nodiscard]] ArgumentLesson argument_lesson(const std::string& tool,
                                             const boost::json::object& given,
                                             std::string_view message, const ToolSchemas& schemas);

}  // namespace gantry::mcp
