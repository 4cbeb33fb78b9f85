// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "wordnet.hpp"

namespace gantry::embed_local {

/// The bytes of the table of all words. The same for the same words.
std::string build_table(const WordNet& net, int dimensions);

}  // namespace gantry::embed_local
