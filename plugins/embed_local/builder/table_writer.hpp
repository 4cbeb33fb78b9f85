// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "factorise.hpp"

namespace gantry::embed_local {

struct TableContents {
  struct Entry {
    std::uint32_t row = 0;
    float probability = 0;
  };
  Dense vectors;
  std::vector<float> common;
  std::map<std::string, Entry> entries;  // texts of at most 255 bytes
};

/// The bytes of a table file (table.hpp).
std::string write_table(const TableContents& contents);

}  // namespace gantry::embed_local
