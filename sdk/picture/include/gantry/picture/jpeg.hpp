// SPDX-License-Identifier: Apache-2.0
#pragma once
// JPEG files from raw pixels, with full colour resolution, because coloured text smears without it.
// Pure; safe on any thread; 1080p takes about 10 ms, so call it where waiting is allowed.

#include <gantry/media.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <vector>

namespace gantry::picture {

/// The JPEG file of `image`; `quality` is 1 to 100. Alpha is ignored. InvalidArgument when the
/// image is empty or its buffer is smaller than its size says.
[[nodiscard]] Result<std::vector<std::uint8_t>> encode_jpeg(const Image& image, int quality);

}  // namespace gantry::picture
