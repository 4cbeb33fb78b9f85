// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gantry::wakeword::test {

/// What Flite's voice slt makes of a text: 16,000 samples a second.
[[nodiscard]] std::vector<std::int16_t> said(const std::string& text);

}  // namespace gantry::wakeword::test
