// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/media.hpp>
#include <gantry/result.hpp>

namespace gantry::picture {

/// Whether every pixel that an image claims to have is in its buffer, and there is at least one;
/// InvalidArgument says what is missing. Sides go to 32,767, which PNG and JPEG both take.
[[nodiscard]] Result<void> check_pixels(const Image& image);

}  // namespace gantry::picture
