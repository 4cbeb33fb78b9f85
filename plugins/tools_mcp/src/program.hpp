// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program that speaks on its standard input and output: started in a process group and session of
// its own, with only the variables that it is given, watched by a thread, ended with all that it
// started. Linux.

#include <gantry/mcp/line_pipe.hpp>
#include <gantry/result.hpp>

#include <sys/types.h>

#include <csignal>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gantry/unique_fd.hpp>

namespace gantry::tools_mcp {

struct ProgramPlan {
  std::string command;  // a path, or a name that is looked for in PATH
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // NAME=value; all that it gets
  std::string directory;                 // where it starts; empty: where the daemon is
  std::size_t longest_line = 16U << 20U;
  std::chrono::milliseconds grace{2000};  // after its input ends, and again after SIGTERM
};

struct ProgramEvents {
  // On threads of the program's own.
  std::function<void(std::string)> line;
  std::function<void(std::string)> complaint;     // a line of its standard error
  std::function<void(const std::string&)> ended;  // once, with words for how
};

class Program {
 public:
  /// Errors: not_found (no such program or folder), resource_exhausted.
  static Result<std::shared_ptr<Program>> start(const ProgramPlan& plan, ProgramEvents events);
  /// Ends it and waits until it is gone.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// False when it does not read what it is sent.
  bool send(std::string line) { return pipe_->send(std::move(line)); }
  /// Closes its input, then asks with SIGTERM, then SIGKILL to the whole group. Returns at once.
  void end();
  /// It is gone, and waiting for it takes no time.
  [[nodiscard]] bool gone() const { return gone_.load(std::memory_order_acquire); }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  Program(const ProgramPlan& plan, ProgramEvents events)
      : events_(std::move(events)), grace_(plan.grace) {}
  void watch();
  siginfo_t end_at_once();
  bool wait_for_end(std::chrono::milliseconds limit);
  void read_complaints();
  void take_complaints(std::string_view text);

  ProgramEvents events_;
  std::chrono::milliseconds grace_;
  pid_t pid_ = -1;
  UniqueFd input_, output_, complaints_, pidfd_, stop_;
  std::unique_ptr<mcp::LinePipe> pipe_;
  std::string partial_;
  std::atomic<bool> gone_{false};
  std::thread watcher_;
};

/// The variables of a server: a few that programs need to find their way, those of the daemon that
/// are named, and those that are given a value.
[[nodiscard]] std::vector<std::string> program_environment(
    const std::vector<std::string>& pass, const std::map<std::string, std::string>& set);

}  // namespace gantry::tools_mcp
