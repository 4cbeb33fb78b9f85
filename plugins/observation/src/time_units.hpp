// SPDX-License-Identifier: Apache-2.0
#pragma once
// The clocks of this plugin count nanoseconds; settings and answers use milliseconds and seconds.

#include <cstdint>

namespace gantry::observation {

inline constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;
inline constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

}  // namespace gantry::observation
