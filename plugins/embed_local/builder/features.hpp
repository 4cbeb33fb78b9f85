// SPDX-License-Identifier: Apache-2.0
//
// What WordNet says about each word, as the rows of a matrix.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "factorise.hpp"
#include "wordnet.hpp"

namespace gantry::embed_local {

struct Features {
  std::vector<std::string> words;  // of the rows
  Sparse matrix;                   // positive pointwise mutual information
};

/// The commonest form of a word that WordNet has: "mice" gives "mouse"; empty: it has none.
std::string lemma_of(const WordNet& net, const std::string& word);

/// How often words stand in definitions and examples, inflections apart.
std::unordered_map<std::string, float> word_probabilities(const WordNet& net);

Features features_of(const WordNet& net);

}  // namespace gantry::embed_local
