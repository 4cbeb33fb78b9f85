// SPDX-License-Identifier: Apache-2.0
//
// A text as a vector of the word table, and of how its words are spelt. Pure functions of a table.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "table.hpp"

namespace gantry::embed_local {

/// Numbers of how words are spelt, behind those of the table: 300 + 84 = 384.
inline constexpr std::size_t kSpellingDimensions = 84;

/// The mean of the words' vectors, rare ones counting more (a / (a + p)), of length 1 and not yet
/// without the direction that all texts share. Zeros: the table knows none of the words.
std::vector<float> mean_of_words(const Table& table, std::string_view text);

/// Of length 1; zeros when the text has no letter and no digit.
std::vector<float> lsa_embedding(const Table& table, std::string_view text);

}  // namespace gantry::embed_local
