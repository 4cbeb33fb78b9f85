// SPDX-License-Identifier: Apache-2.0
// Files of /proc, whose size is not known before they are read.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace gantry::atspi {

/// The whole file; empty when it cannot be read.
inline std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace gantry::atspi
