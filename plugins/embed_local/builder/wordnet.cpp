// SPDX-License-Identifier: Apache-2.0
#include "wordnet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

namespace gantry::embed_local {
namespace {

struct Part {
  char letter;
  const char* name;
  const char* types;  // of senses in cntlist.rev
};
constexpr std::array<Part, 4> kParts = {Part{'n', "noun", "1"}, Part{'v', "verb", "2"},
                                        Part{'a', "adj", "35"}, Part{'r', "adv", "4"}};

/// A synset's place in a data file, with its part of speech, since places are of one file each.
using Places = std::unordered_map<std::uint64_t, std::uint32_t>;

std::uint64_t place(char pos, std::uint64_t offset) {
  if (pos == 's') pos = 'a';  // satellites are in the file of adjectives
  return offset << 8U | static_cast<unsigned char>(pos);
}

Error no_file(const std::filesystem::path& file) {
  return {Code::NotFound,
          "there is no " + file.string() + "; install Debian's package wordnet-base",
          {}};
}

/// Fields of a line that are separated by single blanks.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::string_view next() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view field = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return field;
  }
  std::uint64_t number(int base = 10) {
    const std::string_view field = next();
    std::uint64_t value = 0;
    const auto [end, problem] =
        std::from_chars(field.data(), field.data() + field.size(), value, base);
    good_ = good_ && problem == std::errc() && end == field.data() + field.size();
    return value;
  }
  [[nodiscard]] bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

std::string plain(std::string_view word) {
  std::string text(word.substr(0, word.find('(')));  // "good(p)": where an adjective may stand
  for (char& c : text) {
    if (is_capital(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::vector<std::string> split(std::string_view line) {
  std::istringstream in{std::string(line)};
  std::vector<std::string> parts;
  for (std::string part; in >> part;) parts.push_back(part);
  return parts;
}

/// Calls `use(line)` with every line but those of the licence, which go to `notice`.
template <class Use>
Result<void> for_each_line(const std::filesystem::path& file, std::string* notice, Use use) {
  std::ifstream in(file);
  if (!in) return no_file(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("  ")) {
      const std::size_t text = line.find_first_not_of("0123456789 ");
      if (notice != nullptr && text != line.npos) *notice += line.substr(text);
      if (notice != nullptr) *notice += '\n';
      continue;
    }
    if (!use(line)) {
      return Error{Code::DataLoss, fmt::format("{}: cannot read '{}'", file.string(), line), {}};
    }
  }
  return {};
}

struct Unresolved {
  std::uint32_t from;
  std::string symbol;
  std::uint64_t target;
};

bool read_synset(const std::string& line, char pos, WordNet& net, Places& places,
                 std::vector<Unresolved>& pointers) {
  Fields fields(line);
  const std::uint64_t offset = fields.number();
  fields.next();  // lexicographer's file
  fields.next();  // n, v, a, s or r
  Synset synset;
  synset.pos = pos;
  const auto id = static_cast<std::uint32_t>(net.synsets.size());
  for (std::uint64_t words = fields.number(16); words > 0 && fields.good(); --words) {
    const std::string_view word = fields.next();
    synset.words.push_back(plain(word));
    if (std::none_of(word.begin(), word.end(), is_capital)) net.plain.insert(synset.words.back());
    fields.next();  // lex_id
  }
  for (std::uint64_t count = fields.number(); count > 0 && fields.good(); --count) {
    std::string symbol(fields.next());
    const std::uint64_t target = fields.number();
    const std::string_view kind = fields.next();
    fields.next();  // which words
    if (kind.size() != 1) return false;
    pointers.push_back({id, std::move(symbol), place(kind.front(), target)});
  }
  const std::size_t bar = line.find('|');
  if (bar != line.npos) synset.gloss = line.substr(bar + 1);
  places.emplace(place(pos, offset), id);
  net.synsets.push_back(std::move(synset));
  return fields.good();
}

using Counts = std::unordered_map<std::string, std::uint32_t>;

std::string sense_key(std::string_view word, char pos, std::size_t number) {
  return fmt::format("{}%{}{}", word, pos, number);
}

/// "dog%1:05:00:: 1 42": sense key, number of the sense, how often.
bool read_count(const std::string& line, Counts& counts) {
  const std::vector<std::string> parts = split(line);
  const std::size_t mark = line.find('%');
  if (parts.size() != 3 || mark == line.npos || mark + 1 >= line.size()) return false;
  for (const Part& part : kParts) {
    if (std::string_view(part.types).find(line[mark + 1]) == std::string_view::npos) continue;
    const std::string key =
        sense_key(line.substr(0, mark), part.letter, std::strtoul(parts[1].c_str(), nullptr, 10));
    counts[key] = static_cast<std::uint32_t>(std::strtoul(parts[2].c_str(), nullptr, 10));
  }
  return true;
}

/// "dog n 7 5 @ ~ … 7 2 02084071 …": the synsets of a word, its commonest sense first.
bool read_word(const std::string& line, char pos, const Places& places, const Counts& counts,
               WordNet& net) {
  Fields fields(line);
  const std::string word(fields.next());
  fields.next();
  const std::uint64_t synsets = fields.number();
  for (std::uint64_t symbols = fields.number(); symbols > 0 && fields.good(); --symbols) {
    fields.next();
  }
  fields.next();
  fields.next();
  std::vector<Sense>& senses = net.senses[word];
  for (std::uint64_t i = 1; i <= synsets && fields.good(); ++i) {
    const auto found = places.find(place(pos, fields.number()));
    if (found == places.end()) return false;
    const auto count = counts.find(sense_key(word, pos, i));
    senses.push_back({found->second, count == counts.end() ? 0 : count->second});
  }
  return fields.good();
}

}  // namespace

Result<WordNet> read_wordnet(const std::filesystem::path& folder) {
  WordNet net;
  Places places;
  Counts counts;
  std::vector<Unresolved> pointers;
  const auto count = [&](const std::string& line) { return read_count(line, counts); };
  GANTRY_TRY(for_each_line(folder / "cntlist.rev", nullptr, count));
  for (const Part& part : kParts) {
    std::string* notice = part.letter == 'n' ? &net.notice : nullptr;
    GANTRY_TRY(for_each_line(folder / (std::string("data.") + part.name), notice,
                             [&](const std::string& line) {
                               return read_synset(line, part.letter, net, places, pointers);
                             }));
    GANTRY_TRY(for_each_line(folder / (std::string(part.name) + ".exc"), nullptr,
                             [&](const std::string& line) {
                               const std::vector<std::string> words = split(line);
                               if (words.size() >= 2) net.exceptions.emplace(words[0], words[1]);
                               return true;
                             }));
  }
  for (const Part& part : kParts) {
    GANTRY_TRY(for_each_line(folder / (std::string("index.") + part.name), nullptr,
                             [&](const std::string& line) {
                               return read_word(line, part.letter, places, counts, net);
                             }));
  }
  for (Unresolved& pointer : pointers) {
    const auto target = places.find(pointer.target);
    if (target == places.end()) continue;
    net.synsets[pointer.from].pointers.push_back({std::move(pointer.symbol), target->second});
  }
  return net;
}

}  // namespace gantry::embed_local
