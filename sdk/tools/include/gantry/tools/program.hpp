// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program that reads what it is given on its standard input, writes, and ends. Not for commands
// of models: those run in tools_shell's sandbox.

#include <gantry/result.hpp>
#include <gantry/unique_fd.hpp>

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::tools {

/// The program's path: as given when it has a slash, else the first in the PATH. Errors:
/// unavailable (names the Debian package that has it).
[[nodiscard]] Result<std::string> find_program(const std::string& name, std::string_view package);

/// "NAME=value" of the daemon's own environment; "NAME=" where it is not set.
[[nodiscard]] std::string variable_of(const char* name);

struct ProgramStart {
  std::vector<std::string> command;      // the first is the program's path
  std::vector<std::string> environment;  // NAME=value; nothing of the daemon's comes besides
  bool complaints = false;               // its standard error is read; else nobody hears it
};

/// A program that runs, in a process group of its own and without the daemon's descriptors. It ends
/// with this object.
class Program {
 public:
  /// `input` is all that it reads. Errors: unavailable (it does not start), resource_exhausted (no
  /// descriptors, no memory).
  [[nodiscard]] static Result<Program> start(const ProgramStart& what,
                                             std::span<const std::uint8_t> input);
  ~Program();
  Program(Program&& other) noexcept
      : child_(std::exchange(other.child_, -1)),
        output_(std::move(other.output_)),
        complaints_(std::move(other.complaints_)) {}
  Program& operator=(Program&&) = delete;

  /// Waits up to `limit` for what it writes; 0 at its end. Errors: deadline_exceeded.
  [[nodiscard]] Result<std::size_t> read(char* bytes, std::size_t size,
                                         std::chrono::milliseconds limit);
  /// Waits for its end, after read() has answered 0, and ends it itself after `limit`, or at once
  /// when there is no descriptor left to wait with; its exit code, or the negative number of the
  /// signal that ended it.
  int wait(std::chrono::milliseconds limit = std::chrono::seconds(10));
  /// The beginning of what it wrote to its standard error so far.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

 private:
  Program(pid_t child, UniqueFd output, UniqueFd complaints)
      : child_(child), output_(std::move(output)), complaints_(std::move(complaints)) {}
  /// Whether there may be more.
  bool hear_complaint();

  pid_t child_;
  UniqueFd output_;
  UniqueFd complaints_;
  std::string complaint_;
};

struct ProgramEnd {
  std::string output;     // its first `most` bytes
  std::string complaint;  // the beginning of its standard error
  bool cut = false;       // it wrote more, and was ended
  int code = 0;           // as of Program::wait()
};

/// Starts it and waits for its end. Errors: those of Program.
[[nodiscard]] Result<ProgramEnd> run_program(ProgramStart what, std::span<const std::uint8_t> input,
                                             std::size_t most, std::chrono::milliseconds limit);

}  // namespace gantry::tools
