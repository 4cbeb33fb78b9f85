// SPDX-License-Identifier: Apache-2.0
//
// How alike two pictures are, and where they differ.
#pragma once

#include <gantry/contracts/vision.hpp>
#include <gantry/result.hpp>

#include <cstdint>

namespace gantry::vision_cv {

/// Errors: invalid_argument. Takes its time: call it where waiting is allowed.
Result<VisionCompareResult> compare(const VisionCompareRequest& request, std::int64_t max_pixels);

}  // namespace gantry::vision_cv
