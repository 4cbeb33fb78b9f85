// SPDX-License-Identifier: Apache-2.0
//
// Controls and icons of a picture.
#pragma once

#include <gantry/contracts/vision.hpp>
#include <gantry/result.hpp>

#include <cstdint>

namespace gantry::vision_cv {

/// Errors: invalid_argument. Full HD takes some 40 ms: call it where waiting is allowed.
Result<VisionDetectResult> detect(const VisionDetectRequest& request, std::int64_t max_pixels);

}  // namespace gantry::vision_cv
