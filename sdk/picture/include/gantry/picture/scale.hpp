// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/media.hpp>

#include <cstdint>

namespace gantry::picture {

/// The part of a picture, which is inside of it. Shares the pixels.
[[nodiscard]] Image cut(const Image& image, std::int32_t x, std::int32_t y, std::int32_t width,
                        std::int32_t height);

/// The picture with a longer edge of at most `edge` pixels (0: any), keeping its shape; each pixel
/// is the mean of those that it stands for. The picture itself when it is small enough. Pure; takes
/// its time.
[[nodiscard]] Image scaled_to(const Image& image, std::int32_t edge);

/// The picture at most `max_width` pixels wide (0: any), in the same way. Pure.
[[nodiscard]] Image shrink(const Image& image, std::int32_t max_width);

}  // namespace gantry::picture
