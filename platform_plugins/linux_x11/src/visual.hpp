// SPDX-License-Identifier: Apache-2.0
//
// How this server stores the pixels of a depth and visual.
#pragma once

#include "pixels.hpp"
#include "session.hpp"

namespace gantry::x11 {

/// Errors: unimplemented (a depth below 8 bits), unavailable. [may block: one round trip for
/// servers with a palette]
Result<PixelLayout> pixel_layout(const Session& session, std::uint8_t depth, xcb_visualid_t visual);

}  // namespace gantry::x11
