// SPDX-License-Identifier: Apache-2.0
#include "pixel_budget.hpp"

namespace gantry::perception {

std::shared_ptr<void> PixelBudget::take(std::int64_t pixels, std::int64_t limit) {
  std::int64_t before = *used_;
  do {
    if (before > 0 && before + pixels > limit) return nullptr;
  } while (!used_->compare_exchange_weak(before, before + pixels));
  return {used_.get(), [used = used_, pixels](void*) { *used -= pixels; }};
}

}  // namespace gantry::perception
