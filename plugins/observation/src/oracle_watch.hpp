// SPDX-License-Identifier: Apache-2.0
#pragma once
// When the scenario's oracles came true: they are judged after every input, so that a success that
// passes by is not missed. Used from the engine's strand.

#include <cstdint>
#include <optional>
#include <string_view>

namespace gantry::observation {

class OracleWatch {
 public:
  /// Another scenario, or the same one from its beginning.
  void reset() { *this = {}; }
  void note(std::int64_t step, bool success, bool failure) {
    if (success && !success_step_) success_step_ = step;
    if (failure && !failure_step_) failure_step_ = step;
  }
  /// The first input step after which all of them held.
  [[nodiscard]] std::optional<std::int64_t> success_step() const { return success_step_; }
  [[nodiscard]] std::optional<std::int64_t> failure_step() const { return failure_step_; }

 private:
  std::optional<std::int64_t> success_step_;
  std::optional<std::int64_t> failure_step_;
};

}  // namespace gantry::observation
