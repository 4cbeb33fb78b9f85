// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parts of pictures, and smaller ones.

#include <gantry/contracts/screen.hpp>
#include <gantry/media.hpp>
#include <gantry/picture/scale.hpp>

#include <cstdint>
#include <string>

namespace gantry::observation {

/// The part of a picture that shows `area` (screen pixels), at whatever scale it is; all of it when
/// it shows nothing of the area. Pure.
[[nodiscard]] Image part_of(const Capture& capture, const Rect& area);

using picture::scaled_to;
using picture::shrink;

/// What shrink() makes as base64 PNG text; empty when it cannot be encoded.
[[nodiscard]] std::string scaled_png(const Image& image, std::int32_t max_width);

}  // namespace gantry::observation
