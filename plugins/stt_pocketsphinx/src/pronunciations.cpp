// SPDX-License-Identifier: Apache-2.0
#include "pronunciations.hpp"

#include <fstream>
#include <string_view>
#include <unordered_set>

namespace gantry::stt_pocketsphinx {
namespace {

/// "read" of "read R EH D" and of "read(2) R IY D".
std::string_view word_of(std::string_view line) {
  std::string_view word = line.substr(0, line.find_first_of(" \t"));
  const std::size_t variant = word.rfind('(');
  if (variant != std::string_view::npos && variant > 0 && word.ends_with(')')) {
    word = word.substr(0, variant);
  }
  return word;
}

}  // namespace

Result<Pronunciations> pronunciations_of(const std::set<std::string>& words,
                                         const std::filesystem::path& dictionary) {
  std::ifstream file(dictionary);
  if (!file) {
    return unavailable("the dictionary " + dictionary.string() + " cannot be read",
                       "install pocketsphinx-en-us again, or set stt_pocketsphinx.model_dir");
  }
  const std::unordered_set<std::string_view> wanted(words.begin(), words.end());
  Pronunciations out{{}, words};
  for (std::string line; std::getline(file, line);) {
    const std::string_view word = word_of(line);
    if (!wanted.contains(word)) continue;
    out.unknown.erase(std::string(word));
    out.dictionary += line;
    out.dictionary += '\n';
  }
  return out;
}

}  // namespace gantry::stt_pocketsphinx
