// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of a dictionary that a few words need. A decoder looks every word of its dictionary up
// in its language model: with all 130,000 that takes seconds, each time that the names on the
// screen change.

#include <gantry/result.hpp>

#include <filesystem>
#include <set>
#include <string>

namespace gantry::stt_pocketsphinx {

struct Pronunciations {
  std::string dictionary;         // lines of the CMU form: "read R EH D", "read(2) R IY D"
  std::set<std::string> unknown;  // words that the file does not have
};

/// Reads the file once, some 15 ms. Errors: unavailable.
[[nodiscard]] Result<Pronunciations> pronunciations_of(const std::set<std::string>& words,
                                                       const std::filesystem::path& dictionary);

}  // namespace gantry::stt_pocketsphinx
