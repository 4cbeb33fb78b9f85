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
  /// The input schema (JSON Schema); empty for an unknown tool.
  [[nodiscard]] virtual boost::json::object schema(std::string_view tool) const = 0;
  /// Names; none for an unknown tool.
  [[nodiscard]] std::vector<std::string> arguments(std::string_view tool) const;
};

struct ArgumentLesson {
  /// What was nearly meant: {argument, instead_of}, {argument, value} or {action}.
  boost::json::array near;
  boost::json::array ignored;  ///< Names that the tool does not take, at most 20.
  // The next call; no tool: nothing is certain enough, and `then` says what to correct. It is never
  // the call that was refused.
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
