// SPDX-License-Identifier: Apache-2.0
//
// WordNet 3.0's files, as wndb(5WN) and senseidx(5WN) describe them.
#pragma once

#include <gantry/result.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gantry::embed_local {

/// Relation of one synset to another.
struct Pointer {
  std::string symbol;  // "@" hypernym, "~" hyponym, "&" similar, …
  std::uint32_t target = 0;
};

struct Synset {
  char pos = 'n';
  std::vector<std::string> words;  // lower case, '_' between the words of a phrase
  std::vector<Pointer> pointers;
  std::string gloss;  // definition and examples
};

struct Sense {
  std::uint32_t synset = 0;
  std::uint32_t count = 0;  // in the tagged texts
};

struct WordNet {
  std::vector<Synset> synsets;
  std::map<std::string, std::vector<Sense>, std::less<>> senses;  // by word, all parts of speech
  std::map<std::string, std::string, std::less<>> exceptions;     // "mice" is of "mouse"
  std::set<std::string, std::less<>> plain;  // words that are not only names: seen without capitals
  std::string notice;                        // its licence
};

/// Errors: not_found (a file is missing), data_loss (a line is not as described).
Result<WordNet> read_wordnet(const std::filesystem::path& folder);

}  // namespace gantry::embed_local
