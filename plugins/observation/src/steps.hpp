// SPDX-License-Identifier: Apache-2.0
#pragma once
// Step numbers: every tool call gets the next one, and knows the input step that came before it
// (observer contract 1.1). One counter for all protocols. Used from one strand.

#include <cstdint>
#include <optional>

namespace gantry::observation {

struct Step {
  std::int64_t id = 0;
  std::optional<std::int64_t> caused_by;  ///< The step itself for input tools.
};

class StepCounter {
 public:
  /// A failing input call counts as the last input too: nobody knows how far it got.
  Step next(bool input) {
    ++count_;
    if (input) last_input_ = count_;
    return {count_, last_input_};
  }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  std::int64_t count_ = 0;
  std::optional<std::int64_t> last_input_;
};

}  // namespace gantry::observation
