// SPDX-License-Identifier: Apache-2.0
#include "phrases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace gantry::wakeword {
namespace {

constexpr std::size_t kMostPhrases = 20;
constexpr std::ptrdiff_t kMostWords = 10;
constexpr std::size_t kLongest = 200;  // bytes of a phrase

/// Takes the words of a line apart at blanks.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

Result<std::set<std::string>> words_of_all(const std::vector<WakewordPhrase>& phrases) {
  std::set<std::string> words;
  for (const WakewordPhrase& phrase : phrases) {
    GANTRY_ASSIGN(const std::string text, normal_phrase(phrase.text));
    for (std::string& word : words_of(text)) words.insert(std::move(word));
  }
  return words;
}

}  // namespace

Result<std::string> normal_phrase(std::string_view text) {
  std::string out;
  if (text.size() > kLongest) {
    return invalid_argument(fmt::format("a wake phrase has at most {} bytes", kLongest));
  }
  for (const char c : text) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    if ((low >= 'a' && low <= 'z') || low == '\'') {
      out.push_back(low);
    } else if (low == ' ' || low == '\t' || low == '-' || low == ',' || low == '.' || low == '!' ||
               low == '?') {
      if (!out.empty() && out.back() != ' ') out.push_back(' ');
    } else {
      return invalid_argument(fmt::format(
          "cannot listen for '{}': a wake phrase is English words; write numbers as words", text));
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  if (out.empty()) return invalid_argument("a wake phrase needs at least one word");
  if (std::count(out.begin(), out.end(), ' ') >= kMostWords) {
    return invalid_argument(fmt::format("'{}' has more than {} words", out, kMostWords));
  }
  return out;
}

Result<std::string> phrase_list(const std::vector<WakewordPhrase>& phrases) {
  if (phrases.empty()) return invalid_argument("there is no wake phrase to listen for");
  if (phrases.size() > kMostPhrases) {
    return invalid_argument(fmt::format("more than {} wake phrases at once", kMostPhrases));
  }
  std::string list;
  std::set<std::string> known;
  for (const WakewordPhrase& phrase : phrases) {
    GANTRY_ASSIGN(const std::string text, normal_phrase(phrase.text));
    if (!known.insert(text).second) {
      return invalid_argument(fmt::format("the wake phrase '{}' is there twice", text));
    }
    if (!(phrase.threshold > 0 && phrase.threshold <= 1)) {
      return invalid_argument(fmt::format(
          "the threshold of '{}' is {}; it must be above 0 and at most 1, 1e-20 is usual", text,
          phrase.threshold));
    }
    list += fmt::format("{} /{:e}/\n", text, phrase.threshold);
  }
  return list;
}

Result<std::string> dictionary_of(const std::vector<WakewordPhrase>& phrases,
                                  const std::filesystem::path& file) {
  GANTRY_ASSIGN(std::set<std::string> missing, words_of_all(phrases));
  const std::set<std::string> wanted = missing;
  std::ifstream in(file);
  if (!in) {
    return unavailable(fmt::format("the pronouncing dictionary {} is not there", file.string()),
                       "apt-get install pocketsphinx-en-us");
  }
  std::string out;
  std::string line;
  while (std::getline(in, line)) {
    // "word P H O N E S", a further pronunciation is "word(2) …".
    const std::string head = line.substr(0, line.find_first_of(" (\t"));
    if (!wanted.contains(head)) continue;
    missing.erase(head);
    out += line + '\n';
  }
  if (missing.empty()) return out;
  return invalid_argument(fmt::format(
      "cannot listen for '{}': the dictionary does not say how it sounds; use words that it has",
      *missing.begin()));
}

}  // namespace gantry::wakeword
