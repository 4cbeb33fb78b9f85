// SPDX-License-Identifier: Apache-2.0
// Sound on the default loudspeaker, by whichever playing program is installed.
#pragma once

#include <gantry/media.hpp>
#include <gantry/result.hpp>

#include <cstdio>
#include <string>
#include <utility>

namespace gantry::cli {

class Loudspeaker {
 public:
  /// One channel at this rate. Errors: unavailable (no playing program; says which ones would do).
  [[nodiscard]] static Result<Loudspeaker> open(int sample_rate);
  ~Loudspeaker();
  Loudspeaker(Loudspeaker&& other) noexcept
      : program_(std::move(other.program_)), pipe_(std::exchange(other.pipe_, nullptr)) {}
  Loudspeaker& operator=(Loudspeaker&&) = delete;

  /// Waits while the device has enough. Errors: unavailable (the program has ended: there is no
  /// sound device, for example).
  Result<void> play(const Audio& audio);
  /// Waits until all was heard. Errors: the same.
  Result<void> finish();

 private:
  Loudspeaker(std::string program, std::FILE* pipe) : program_(std::move(program)), pipe_(pipe) {}

  std::string program_;
  std::FILE* pipe_;
};

}  // namespace gantry::cli
