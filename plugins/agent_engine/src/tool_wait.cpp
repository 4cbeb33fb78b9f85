// SPDX-License-Identifier: Apache-2.0
#include "tool_wait.hpp"

#include <gantry/codec.hpp>

#include <algorithm>
#include <optional>

namespace gantry::agent {
namespace {

constexpr double kUsualCommand = 120;
constexpr double kMargin = 15;
constexpr double kLeast = 120;
constexpr double kMost = 900;

struct ShellArguments {
  std::optional<double> terminate_after_seconds;
  std::optional<double> wait;
  bool run_in_background = false;
};
BOOST_DESCRIBE_STRUCT(ShellArguments, (), (terminate_after_seconds, wait, run_in_background))

/// Seconds that a command in the foreground may take; empty: it is none.
std::optional<double> command_seconds(const ToolCallItem& call) {
  if (call.tool != "run_shell_command") return std::nullopt;
  const auto arguments = from_json<ShellArguments>(call.arguments.text);
  if (!arguments.ok()) return kUsualCommand + kMargin;
  if (arguments->run_in_background) return std::nullopt;
  return std::clamp(arguments->terminate_after_seconds.value_or(kUsualCommand), 0.0, kMost) +
         std::clamp(arguments->wait.value_or(0), 0.0, kMost) + kMargin;
}

std::int64_t limited_ms(double seconds) {
  return static_cast<std::int64_t>(std::clamp(seconds, kLeast, kMost) * 1000);
}

}  // namespace

std::int64_t client_wait_ms(const ToolCallItem& call, std::int64_t usual_ms) {
  const auto seconds = command_seconds(call);
  return seconds ? limited_ms(*seconds) : usual_ms;
}

std::int64_t client_wait_ms(const std::vector<ToolCallItem>& calls, std::int64_t usual_ms) {
  double seconds = 0;
  for (const ToolCallItem& call : calls) seconds += command_seconds(call).value_or(0);
  return seconds > 0 ? limited_ms(seconds) : usual_ms;
}

}  // namespace gantry::agent
