// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of pictures, and smaller ones.

#include <gantry/contracts/screen.hpp>
#include <gantry/media.hpp>

#include <cstdint>
#include <string>

namespace gantry::observation {

/// The part of a picture that shows `area` (screen pixels), at whatever scale it is; all of it when
/// it shows nothing of the area. Pure.
[[nodiscard]] Image part_of(const Capture& capture, const Rect& area);

/// The picture at most `max_width` pixels wide, keeping its shape; each pixel is the mean of those
/// that it stands for. The picture itself when it is small enough. Pure.
[[nodiscard]] Image shrink(const Image& image, std::int32_t max_width);

/// The picture with a longer edge of at most `edge` pixels, in the same way. Pure.
[[nodiscard]] Image scaled_to(const Image& image, std::int32_t edge);

/// What shrink() makes as base64 PNG text; empty when it cannot be encoded.
[[nodiscard]] std::string scaled_png(const Image& image, std::int32_t max_width);

}  // namespace gantry::observation
