// SPDX-License-Identifier: Apache-2.0
#include "cli/input.hpp"

#include <array>
#include <fstream>
#include <iostream>

namespace gantry::cli {

Result<std::string> read_input(const std::string& name, std::size_t most) {
  std::ifstream file;
  if (name != "-") {
    file.open(name, std::ios::binary);
    if (!file) return not_found("there is no file " + name + " that can be read");
  }
  std::istream& in = name == "-" ? std::cin : file;
  std::string bytes;
  std::array<char, 1U << 16U> piece{};
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
    bytes.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > most) {
      return invalid_argument((name == "-" ? "standard input" : name) + " has more than " +
                              std::to_string(most >> 20U) + " MiB");
    }
  }
  return bytes;
}

}  // namespace gantry::cli
