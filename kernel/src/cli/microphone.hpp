// SPDX-License-Identifier: Apache-2.0
// Sound of the default microphone, by whichever recording program is installed.
#pragma once

#include <gantry/result.hpp>

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gantry::cli {

/// One channel of 16,000 samples a second.
class Microphone {
 public:
  /// Errors: unavailable (no recording program; says which ones would do).
  [[nodiscard]] static Result<Microphone> open();
  ~Microphone();
  Microphone(Microphone&& other) noexcept
      : program_(std::move(other.program_)),
        child_(std::exchange(other.child_, -1)),
        sound_(std::exchange(other.sound_, -1)),
        words_(std::exchange(other.words_, -1)) {}
  Microphone& operator=(Microphone&&) = delete;

  /// The next tenth of a second; empty when it was interrupted. Errors: unavailable (the program
  /// ended, with what it said: there is no sound device, for example).
  [[nodiscard]] Result<std::vector<std::int16_t>> read();

 private:
  Microphone(std::string program, pid_t child, int sound, int words)
      : program_(std::move(program)), child_(child), sound_(sound), words_(words) {}
  [[nodiscard]] std::string complaint();

  std::string program_;
  pid_t child_;
  int sound_;
  int words_;  // its standard error
};

}  // namespace gantry::cli
