// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <gantry/codec.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <string_view>

GANTRY_INSTANTIATE(gantry::shell::RunArguments)
GANTRY_INSTANTIATE(gantry::shell::ProcessArguments)

namespace gantry::shell {
namespace {

constexpr std::size_t kLongestCommand = 100'000;  // of one argument the kernel takes 128 KiB

constexpr const char* kRunSchema =
    R"({"type":"object","properties":{)"
    R"("command":{"type":"string","minLength":1,"description":"Command line for the shell."},)"
    R"("run_in_background":{"type":"boolean","default":false,"description":)"
    R"("Answer at once and go on with it through the tool process."},)"
    R"("terminate_after_seconds":{"type":"number","exclusiveMinimum":0,"description":)"
    R"("End it after so many seconds; usually 120 in the foreground."},)"
    R"("wait":{"type":"number","minimum":0,"maximum":60,"description":)"
    R"("In the background: seconds to wait for first output before answering."},)"
    R"("working_directory":{"type":"string","description":)"
    R"("Folder to start in, relative to the workspace or absolute."},)"
    R"("explanation":{"type":"string","description":"Why, in one sentence, for the user."}},)"
    R"("required":["command"],"additionalProperties":false})";

constexpr const char* kProcessSchema =
    R"({"type":"object","properties":{)"
    R"("action":{"type":"string","enum":["list","poll","log","write","send-keys","submit",)"
    R"("paste","kill","clear","remove"]},)"
    R"("session_id":{"type":"string","description":"Id of the background command; not for list."},)"
    R"("data":{"type":"string","description":)"
    R"("Text for standard input (write, paste: as it is; submit: with a newline)."},)"
    R"("keys":{"type":"array","items":{"type":"string"},"description":)"
    R"("send-keys: enter, tab, space, escape, backspace, up, down, left, right, C-c, C-d, C-\\, or)"
    R"( one character. There is no terminal: C-c interrupts, C-d ends standard input."},)"
    R"("eof":{"type":"boolean","default":false,"description":"write: close standard input after."},)"
    R"("offset":{"type":"integer","minimum":0,"description":"log: lines to skip."},)"
    R"("limit":{"type":"integer","minimum":0,"description":"log: most lines; 0: all."},)"
    R"("wait":{"type":"number","minimum":0,"maximum":60,"description":)"
    R"("poll: seconds to wait for new output or the end."},)"
    R"("explanation":{"type":"string"}},)"
    R"("required":["action"],"additionalProperties":false})";

struct KeyRow {
  std::string_view name;
  std::string_view bytes;
  int signal = 0;
  bool eof = false;
};
constexpr std::array<KeyRow, 13> kKeys{{{"enter", "\n"},
                                        {"tab", "\t"},
                                        {"space", " "},
                                        {"escape", "\x1b"},
                                        {"backspace", "\x7f"},
                                        {"up", "\x1b[A"},
                                        {"down", "\x1b[B"},
                                        {"right", "\x1b[C"},
                                        {"left", "\x1b[D"},
                                        {"return", "\n"},
                                        {"c-c", "", SIGINT},
                                        {"c-\\", "", SIGQUIT},
                                        {"c-d", "", 0, true}}};

bool is_time(const std::optional<double>& seconds) {
  return !seconds || (std::isfinite(*seconds) && *seconds >= 0);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

}  // namespace

Result<RunArguments> read_run(const Json& json) {
  GANTRY_ASSIGN(RunArguments out, from_json<RunArguments>(json.text));
  if (out.command.find_first_not_of(" \t\r\n") == std::string::npos) {
    return invalid_argument("`command` is empty; it must be a command line for the shell");
  }
  if (out.command.find('\0') != std::string::npos || out.command.size() > kLongestCommand) {
    return invalid_argument("`command` must have no NUL byte and at most " +
                            std::to_string(kLongestCommand) +
                            " bytes; write a script into the workspace and run that");
  }
  if (!is_time(out.wait) || !is_time(out.terminate_after_seconds)) {
    return invalid_argument("`wait` and `terminate_after_seconds` must be seconds of at least 0");
  }
  return out;
}

Result<ProcessArguments> read_process(const Json& json) {
  GANTRY_ASSIGN(ProcessArguments out, from_json<ProcessArguments>(json.text));
  if (!is_time(out.wait) || out.offset < 0 || out.limit < 0) {
    return invalid_argument("`wait`, `offset` and `limit` must be at least 0");
  }
  return out;
}

ToolDescription run_description() {
  ToolDescription out;
  out.name = "run_shell_command";
  out.title = "Run a shell command";
  out.description =
      "Run a command line in a shell, in the workspace, and read what it prints (standard output "
      "and standard error together) and its exit code. There is no terminal and no input; the "
      "command usually sees no network and only the workspace is writable. What it leaves running "
      "ends with it: use run_in_background for servers and long jobs, and the tool process to go "
      "on with them.";
  out.input_schema = Json(kRunSchema);
  out.read_only = false;
  out.destructive = true;
  out.open_world = true;
  out.long_running = true;
  return out;
}

ToolDescription process_description() {
  ToolDescription out;
  out.name = "process";
  out.title = "Background commands";
  out.description =
      "Go on with commands that run_shell_command started in the background: list them, poll for "
      "new output, log for all that was kept, write to standard input (write, submit, paste, "
      "send-keys), kill, clear what has ended, remove.";
  out.input_schema = Json(kProcessSchema);
  out.read_only = false;
  out.destructive = true;
  out.open_world = true;
  return out;
}

Result<Key> key_of(const std::string& name) {
  const std::string wanted = lower(name);
  const auto* const row = std::find_if(kKeys.begin(), kKeys.end(),
                                       [&](const KeyRow& one) { return one.name == wanted; });
  if (row != kKeys.end()) return Key{std::string(row->bytes), row->signal, row->eof};
  if (name.size() == 1) return Key{name, 0, false};
  return invalid_argument("there is no key '" + name +
                          "'; there are enter, tab, space, escape, backspace, up, down, left, "
                          "right, C-c, C-d, C-\\ and single characters");
}

}  // namespace gantry::shell
