// SPDX-License-Identifier: Apache-2.0
#pragma once
// What models pass to the tools, and how the tools describe themselves. Names, required arguments
// and enums are those of the agent backend's published local tools.

#include <gantry/contracts/tool.hpp>
#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gantry::shell {

struct RunArguments {
  std::string command;
  bool run_in_background = false;
  std::optional<double> terminate_after_seconds;
  std::optional<double> wait;  // seconds
  std::string working_directory;
  std::string explanation;  // for whoever is asked for consent
};
BOOST_DESCRIBE_STRUCT(RunArguments, (),
                      (command, run_in_background, terminate_after_seconds, wait, working_directory,
                       explanation))

struct ProcessArguments {
  std::string action;
  std::string session_id;
  std::string data;
  std::vector<std::string> keys;
  bool eof = false;
  std::int64_t offset = 0;  // lines
  std::int64_t limit = 0;   // lines; 0: all
  std::optional<double> wait;
  std::string explanation;
};
BOOST_DESCRIBE_STRUCT(ProcessArguments, (),
                      (action, session_id, data, keys, eof, offset, limit, wait, explanation))

/// InvalidArgument: a wrong type, an empty command, a NUL byte in it, a negative time.
[[nodiscard]] Result<RunArguments> read_run(const Json& json);
/// InvalidArgument: a wrong type.
[[nodiscard]] Result<ProcessArguments> read_process(const Json& json);

[[nodiscard]] ToolDescription run_description();
[[nodiscard]] ToolDescription process_description();

/// The bytes that a key stands for where there is no terminal, or the signal that it sends.
struct Key {
  std::string bytes;
  int signal = 0;
  bool eof = false;
};
/// InvalidArgument names the keys that there are.
[[nodiscard]] Result<Key> key_of(const std::string& name);

}  // namespace gantry::shell
