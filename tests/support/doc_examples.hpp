// SPDX-License-Identifier: Apache-2.0
#pragma once
// The examples of a page of the documentation, for the test that runs them.

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace gantry::testing {

/// The lines of each block of text ("```text") of `page`, a path in the source folder, which the
/// environment names. Throws std::runtime_error when the page cannot be read.
inline std::vector<std::vector<std::string>> doc_examples(const std::string& page) {
  const char* source = std::getenv("GANTRY_SOURCE_DIR");
  std::ifstream in(std::string(source == nullptr ? "" : source) + '/' + page);
  if (source == nullptr || !in) throw std::runtime_error(page + " cannot be read");
  std::vector<std::vector<std::string>> out;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "```text") {
      inside = true;
      out.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      out.back().push_back(line);
    }
  }
  return out;
}

}  // namespace gantry::testing
