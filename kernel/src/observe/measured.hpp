// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace gantry::observe {

/// A measured time as a field of a log line: with one decimal, because further ones are noise.
inline std::string measured(double value) {
  std::array<char, 32> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.1f", value);
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace gantry::observe
