// SPDX-License-Identifier: Apache-2.0
// The smallest picture and sound that decoders take.
#pragma once

#include <gantry/buffer.hpp>

namespace gantry::mcp_fixtures {

/// One red pixel, PNG.
Buffer red_pixel();

/// Eight samples of silence, WAV (8 bit, mono, 8 kHz).
Buffer short_silence();

}  // namespace gantry::mcp_fixtures
