// SPDX-License-Identifier: Apache-2.0
//
// espeak-ng as a program: a text on its standard input, a WAVE file on its standard output.
#pragma once

#include <gantry/result.hpp>

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::tts_espeak {

/// The program's path: as given when it has a slash, else the first in the PATH. Errors:
/// unavailable (names the package).
Result<std::string> find_program(const std::string& name);

/// A program that runs. It has no environment but PATH and HOME, and ends with this object.
class Program {
 public:
  /// `input` is all that it reads. Errors: unavailable (it does not start).
  static Result<Program> start(const std::string& path, const std::vector<std::string>& arguments,
                               const std::string& input);
  ~Program();
  Program(Program&& other) noexcept
      : child_(std::exchange(other.child_, -1)), output_(std::exchange(other.output_, -1)) {}
  Program& operator=(Program&&) = delete;

  /// Waits up to `limit` for what it writes; 0 at its end. Errors: deadline_exceeded.
  Result<std::size_t> read(char* bytes, std::size_t size, std::chrono::milliseconds limit);
  /// Waits for its end, after read() has answered 0; its exit code, -1 for a signal.
  int wait();

 private:
  Program(pid_t child, int output) : child_(child), output_(output) {}

  pid_t child_;
  int output_;
};

}  // namespace gantry::tts_espeak
