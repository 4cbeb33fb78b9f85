// SPDX-License-Identifier: Apache-2.0
#include "memory_notes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace gantry::chat_cortask {
namespace {

constexpr std::size_t kMostWords = 32;  // of a query that are looked for

std::string_view without_blanks(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

bool is_item(std::string_view line) {
  return line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ");
}

std::string heading_text(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of('#'), line.size()));
  return std::string(without_blanks(line));
}

/// Words in lower case; letters beyond ASCII belong to words.
std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> out;
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c >= 'A' && c <= 'Z') {
      word += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || byte >= 0x80) {
      word += c;
    } else if (!word.empty()) {
      out.insert(std::exchange(word, {}));
    }
  }
  if (!word.empty()) out.insert(std::move(word));
  return out;
}

}  // namespace

std::vector<MemoryNote> notes_of(std::string_view memory) {
  std::vector<MemoryNote> out;
  std::string heading;
  bool going_on = false;  // the line before belongs to the last note
  for (std::size_t number = 1; !memory.empty(); ++number) {
    const std::size_t end = std::min(memory.find('\n'), memory.size());
    const std::string_view line = without_blanks(memory.substr(0, end));
    memory.remove_prefix(std::min(end + 1, memory.size()));
    if (line.empty()) {
      going_on = false;
    } else if (line.starts_with('#')) {
      heading = heading_text(line);
      going_on = false;
    } else if (is_item(line) || !going_on) {
      const std::string_view text = is_item(line) ? without_blanks(line.substr(2)) : line;
      out.push_back({number, heading, std::string(text)});
      going_on = true;
    } else {
      out.back().content += "\n" + std::string(line);
    }
  }
  return out;
}

std::vector<FoundNote> find_notes(const std::vector<MemoryNote>& notes, std::string_view query,
                                  std::size_t limit) {
  std::set<std::string> wanted = words_of(query);
  while (wanted.size() > kMostWords) wanted.erase(std::prev(wanted.end()));
  std::vector<std::set<std::string>> words;
  std::map<std::string, double> having;  // word → notes that have it
  for (const MemoryNote& note : notes) {
    words.push_back(words_of(note.heading + "\n" + note.content));
    for (const std::string& word : wanted) having[word] += words.back().contains(word) ? 1 : 0;
  }
  const auto weight = [&](const std::string& word) {
    return std::log(1 + static_cast<double>(notes.size()) / (1 + having[word]));
  };
  double all = 0;
  for (const std::string& word : wanted) all += weight(word);
  std::vector<FoundNote> out;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    double score = 0;
    for (const std::string& word : wanted) score += words[i].contains(word) ? weight(word) : 0;
    if (score > 0) out.push_back({notes[i], score / all});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const FoundNote& a, const FoundNote& b) { return a.score > b.score; });
  out.resize(std::min(out.size(), limit));
  return out;
}

}  // namespace gantry::chat_cortask
