// SPDX-License-Identifier: Apache-2.0
//
// A small picture in a larger one.
#pragma once

#include <gantry/contracts/vision.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <functional>

namespace gantry::vision_cv {

/// Asks `gone` between two scales whether anybody still wants to know; then the error is
/// `cancelled`. Errors: invalid_argument. Takes its time.
Result<VisionTemplateResult> find_sample(const VisionTemplateRequest& request,
                                         std::int64_t max_pixels,
                                         const std::function<bool()>& gone);

}  // namespace gantry::vision_cv
