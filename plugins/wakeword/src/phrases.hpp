// SPDX-License-Identifier: Apache-2.0
//
// Phrases as the decoder wants them. Pure, but for dictionary_of(), which reads a file.
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::wakeword {

/// Lower case, single blanks, nothing but letters and apostrophes. Errors: invalid_argument (no
/// word, more than ten, a digit, another script).
Result<std::string> normal_phrase(std::string_view text);

/// Checks all; what they are as the decoder's list, a line each. Errors: invalid_argument (none,
/// more than twenty, one twice, a threshold that is not above 0 and at most 1).
Result<std::string> phrase_list(const std::vector<WakewordPhrase>& phrases);

/// The lines of the dictionary for the words of `phrases` alone: the whole has 130,000. Errors:
/// unavailable (no such file; names the package), invalid_argument (a word is not in it).
Result<std::string> dictionary_of(const std::vector<WakewordPhrase>& phrases,
                                  const std::filesystem::path& file);

}  // namespace gantry::wakeword
