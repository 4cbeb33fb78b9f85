// SPDX-License-Identifier: Apache-2.0
//
// From one sample rate to another, band-limited, piece by piece. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gantry::speech {

inline constexpr std::int32_t kLowestRate = 8000;
inline constexpr std::int32_t kHighestRate = 48000;

class Resampler {
 public:
  explicit Resampler(std::int32_t to);
  ~Resampler();
  Resampler(Resampler&&) noexcept;
  Resampler& operator=(Resampler&&) noexcept;

  /// What `samples` of rate `from` give so far; a part of them comes with the next piece. When the
  /// rate changes, what was held back at the old one comes first. `from` is between the lowest and
  /// the highest rate.
  [[nodiscard]] std::vector<std::int16_t> push(std::span<const std::int16_t> samples,
                                               std::int32_t from);
  /// What was held back; then it begins anew.
  [[nodiscard]] std::vector<std::int16_t> flush();
  /// Forgets what was held back.
  void reset();

 private:
  struct State;
  void run(std::span<const std::int16_t> samples, bool last, std::vector<std::int16_t>& out);

  std::int32_t to_;
  std::int32_t from_ = 0;
  std::unique_ptr<State> state_;
};

}  // namespace gantry::speech
