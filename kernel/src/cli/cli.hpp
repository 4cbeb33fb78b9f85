// SPDX-License-Identifier: Apache-2.0
// The command line: one table of commands, one set of options.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/plan.hpp"

namespace gantry::cli {

/// What the options say; every command gets it.
struct Invocation {
  std::vector<std::string> arguments;  ///< after the command's name
  std::string config_file;             ///< empty: the usual places
  std::vector<std::string> profiles;
  std::vector<std::string> sets;
  std::string plugin_dir;  ///< empty: beside the binary
  std::string socket;      ///< empty: what the configuration says
  std::string target;      ///< plugin that a call goes to
  std::string format;      ///< of what is printed, empty: the command's own
  std::string model;       ///< that answers, empty: the configured one
  std::string session;     ///< of the agent, empty: a new one
  std::string output;      ///< WAVE file for what is said, "-": standard output; empty: loudspeaker
  std::string input;       ///< WAVE file to listen to, empty: the microphone
  std::string voice;       ///< that speaks, empty: the configured one
  int timeout_ms = 10'000;
  bool timeout_given = false;
  int limit = 200;
  bool json = false;
  bool safe_mode = false;
  bool yes = false;         ///< the agent may act without asking
  bool in_process = false;  ///< do not ask a running daemon
};

/// Exit codes (those of sysexits.h where it has one).
enum Exit : int {
  kOk = 0,
  kFailed = 1,
  kUsage = 64,
  kUnavailable = 69,
  kSoftware = 70,
  kConfig = 78,
  kInterrupted = 130,  ///< Ctrl-C, as shells have it
};

struct Command {
  std::string_view name;
  std::string_view arguments;
  std::string_view doc;
  int (*run)(const Invocation&);
};

int run_command(int argc, char** argv);

// The commands.
int run_daemon(const Invocation& invocation);
int check(const Invocation& invocation);
int models(const Invocation& invocation);
int plugins(const Invocation& invocation);
int doctor(const Invocation& invocation);
int contracts(const Invocation& invocation);
int call(const Invocation& invocation);
int trace(const Invocation& invocation);
int trace_export(const Invocation& invocation);
int config(const Invocation& invocation);
int version(const Invocation& invocation);
int tools(const Invocation& invocation);
int ask(const Invocation& invocation);
int chat(const Invocation& invocation);
int ocr(const Invocation& invocation);
int locate(const Invocation& invocation);
int listen(const Invocation& invocation);
int say(const Invocation& invocation);
int voice(const Invocation& invocation);
int user(const Invocation& invocation);
int pair(const Invocation& invocation);
// These have options of their own: `argv` begins after the command's name.
int observer(int argc, char** argv);
/// The same for MCP hosts: `gantry mcp OPTIONS` is `gantry observer --mode mcp OPTIONS`.
int mcp(int argc, char** argv);

/// Where the configuration and the plugins are, from the options, the environment and the place of
/// the binary.
plugin::PlanOptions plan_options(const Invocation& invocation);
/// <prefix> of the binary: its folder's parent.
std::string prefix_dir();
/// A variable of the environment, empty when it is not set. For a single thread.
std::string environment(const char* name);

/// "gantry: message" on standard error.
void complain(std::string_view message);
/// Prints all findings on standard error.
void print_findings(const config::Diagnostics& diagnostics);

/// Left-aligned columns, two spaces apart; the first row is the heading.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace gantry::cli
