// SPDX-License-Identifier: Apache-2.0
#pragma once
// Painting over parts of a picture. A flat colour and no blur: what is blurred can be guessed back.

#include <gantry/contracts/screen.hpp>

#include <span>

namespace gantry::observation {

/// A copy of the picture with `areas` (screen pixels) filled, at whatever scale it is. Pure.
[[nodiscard]] Image paint_over(const Capture& capture, std::span<const Rect> areas);

}  // namespace gantry::observation
