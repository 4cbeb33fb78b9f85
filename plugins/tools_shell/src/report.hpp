// SPDX-License-Identifier: Apache-2.0
#pragma once
// What models read of commands. Pure functions.

#include <gantry/contracts/tool.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "process_loop.hpp"

namespace gantry::shell {

/// Why a command was ended from here; None: it ended by itself.
enum class Ended : std::uint8_t { None, TimedOut, Killed };

struct Report {
  std::string id;                   // of a background command
  OutputText output;                // what is shown now
  std::uint64_t total = 0;          // bytes that ever came
  std::optional<Result<Exit>> end;  // empty: it runs
  Ended why = Ended::None;
  std::int64_t run_ms = 0;
};

/// "exit code 0", "signal 9 (KILL)", "running"
[[nodiscard]] std::string state_text(const Report& report);
/// The output and, in brackets, what became of the command; structured has the facts. Failed when
/// the command was ended from here. An error when it never ran.
[[nodiscard]] Result<ToolResult> report_result(const Report& report);
/// Lines `offset` and following, at most `limit` (0: all).
[[nodiscard]] std::string some_lines(const std::string& text, std::int64_t offset,
                                     std::int64_t limit);

}  // namespace gantry::shell
