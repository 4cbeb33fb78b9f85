// SPDX-License-Identifier: Apache-2.0
#include "phrase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "words.hpp"

namespace gantry::vision_ground {
namespace {

constexpr std::size_t kLongest = 2000;
constexpr int kDeepest = 3;  // "below the field right of the label left of the button"

struct Pattern {
  std::vector<std::string_view> words;
  Relation relation;
};

/// Longer ones before those that they begin with.
const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> kPatterns{
      {{"right", "hand", "side", "of"}, Relation::RightOf},
      {{"right", "side", "of"}, Relation::RightOf},
      {{"right", "of"}, Relation::RightOf},
      {{"right", "from"}, Relation::RightOf},
      {{"after"}, Relation::RightOf},
      {{"left", "hand", "side", "of"}, Relation::LeftOf},
      {{"left", "side", "of"}, Relation::LeftOf},
      {{"left", "of"}, Relation::LeftOf},
      {{"left", "from"}, Relation::LeftOf},
      {{"before"}, Relation::LeftOf},
      {{"below"}, Relation::Below},
      {{"under"}, Relation::Below},
      {{"underneath"}, Relation::Below},
      {{"beneath"}, Relation::Below},
      {{"above"}, Relation::Above},
      {{"on", "top", "of"}, Relation::Above},
      {{"over"}, Relation::Above},
      {{"next", "to"}, Relation::Near},
      {{"close", "to"}, Relation::Near},
      {{"beside"}, Relation::Near},
      {{"near"}, Relation::Near},
      {{"by"}, Relation::Near},
      {{"inside", "of"}, Relation::Inside},
      {{"inside"}, Relation::Inside},
      {{"within"}, Relation::Inside},
      {{"in"}, Relation::Inside},
  };
  return kPatterns;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_place(std::string_view word) {
  return is_one_of(word, {"top", "upper", "bottom", "lower", "left", "right", "centre", "center",
                          "middle", "corner", "leftmost", "rightmost", "topmost", "lowest",
                          "highest", "bottommost", "edge"});
}

/// What the whole picture is called: "in the top left corner of the screen".
bool is_whole(std::string_view word) {
  return is_one_of(word, {"screen", "page", "picture", "screenshot", "display", "desktop"});
}

using Words = std::vector<Word>;

bool begins_with(const Words& words, std::size_t at, const Pattern& pattern) {
  if (at + pattern.words.size() >= words.size()) return false;  // an anchor has to follow
  for (std::size_t i = 0; i < pattern.words.size(); ++i) {
    if (words[at + i].quoted || words[at + i].text != pattern.words[i]) return false;
  }
  return true;
}

bool says_a_place_only(const Words& words, std::size_t from) {
  return std::all_of(words.begin() + static_cast<std::ptrdiff_t>(from), words.end(),
                     [](const Word& word) {
                       return !word.quoted && (is_place(word.text) || is_whole(word.text) ||
                                               is_filler(word.text) || word.text == "window");
                     });
}

struct Split {
  std::size_t at = 0;
  std::size_t length = 0;
  Relation relation = Relation::None;
};

/// The first relation that something follows which it can refer to.
Split find_relation(const Words& words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    for (const Pattern& pattern : patterns()) {
      if (!begins_with(words, at, pattern)) continue;
      const std::size_t after = at + pattern.words.size();
      if (says_a_place_only(words, after)) continue;
      // "in" is a word of many texts, "Sign in": it parts only before an article or a quotation.
      if (pattern.words.front() == "in" &&
          !(words[after].quoted || is_one_of(words[after].text, {"the", "a", "an", "this"}))) {
        continue;
      }
      return {at, pattern.words.size(), pattern.relation};
    }
  }
  return {words.size(), 0, Relation::None};
}

/// Takes a place word into the phrase; false when it is none.
bool take_place(Phrase& phrase, std::string_view word) {
  if (is_one_of(word, {"left", "leftmost"})) {
    phrase.across = -1;
  } else if (is_one_of(word, {"right", "rightmost"})) {
    phrase.across = 1;
  } else if (is_one_of(word, {"top", "upper", "topmost", "highest"})) {
    phrase.down = -1;
  } else if (is_one_of(word, {"bottom", "lower", "lowest", "bottommost"})) {
    phrase.down = 1;
  } else if (is_one_of(word, {"centre", "center", "middle"})) {
    phrase.centre = true;
  } else {
    return is_one_of(word, {"corner", "edge"});
  }
  return true;
}

/// "check box" and the like are one word for a role.
std::optional<std::string> two_word_role(const Words& words, std::size_t at) {
  struct Pair {
    std::string_view first, second, role;
  };
  static constexpr Pair kPairs[] = {
      {"check", "box", "checkbox"},    {"tick", "box", "checkbox"},  {"radio", "button", "radio"},
      {"radio", "option", "radio"},    {"text", "box", "textbox"},   {"text", "field", "field"},
      {"input", "field", "field"},     {"input", "box", "textbox"},  {"combo", "box", "combobox"},
      {"drop", "down", "dropdown"},    {"text", "area", "textarea"}, {"menu", "item", "item"},
      {"list", "item", "item"},        {"push", "button", "button"}, {"toggle", "button", "toggle"},
      {"dropdown", "menu", "dropdown"}};
  if (at + 1 >= words.size() || words[at].quoted || words[at + 1].quoted) return std::nullopt;
  for (const Pair& pair : kPairs) {
    if (words[at].text == pair.first && words[at + 1].text == pair.second) {
      return std::string(pair.role);
    }
  }
  return std::nullopt;
}

void take_role(Phrase& phrase, std::string_view word) {
  phrase.role = word;
  phrase.roles = role_word(word);
}

bool has_place(const Phrase& phrase) {
  return phrase.across != 0 || phrase.down != 0 || phrase.centre;
}

bool is_text_word(const Word& word) {
  return word.quoted || !(is_filler(word.text) || is_place(word.text) || is_whole(word.text));
}

/// Within a text, or at its end: "Sign in", "Terms of use".
bool joins_text(const Words& words, std::size_t at) {
  if (at == 0 ||
      !is_one_of(words[at].text, {"in", "to", "of", "and", "for", "on", "with", "out"})) {
    return false;
  }
  const Word& before = words[at - 1];
  const bool after_text = is_text_word(before) && role_word(before.text) == nullptr;
  return after_text && (at + 1 == words.size() || is_text_word(words[at + 1]));
}

/// Takes what says something of the thing itself; false when the word is a part of its text.
bool take_feature(Phrase& phrase, const Word& word, Words& text) {
  if (role_word(word.text) != nullptr) {
    // "in the top corner of the window" names a place.
    if (has_place(phrase) && is_one_of(word.text, {"window", "dialog"})) return true;
    // The last one counts: "menu button" is a button of a menu.
    if (phrase.roles != nullptr && !phrase.quoted) text.push_back({phrase.role, false});
    take_role(phrase, word.text);
  } else if (!colour_word(word.text).empty() && phrase.colour.empty()) {
    phrase.colour = colour_word(word.text);
  } else if (ordinal_word(word.text) != 0 && phrase.ordinal == 0) {
    phrase.ordinal = ordinal_word(word.text);
  } else {
    return take_place(phrase, word.text) || is_whole(word.text);
  }
  return true;
}

/// Sorts the words of one thing: what they say of it, and what is left as its text.
void take_words(Phrase& phrase, const Words& words) {
  Words text;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const Word& word = words[at];
    if (word.quoted) {
      phrase.quoted = true;
      text = {word};
    } else if (const auto pair = two_word_role(words, at)) {
      take_role(phrase, *pair);
      ++at;
    } else if (!take_feature(phrase, word, text) && !phrase.quoted &&
               (!is_filler(word.text) || joins_text(words, at))) {
      text.push_back(word);
    }
  }
  phrase.text = joined(text);
}

/// All of the words but an article before and a role behind.
std::string literal_of(const Words& words) {
  Words out = words;
  while (!out.empty() &&
         is_one_of(out.front().text, {"the", "a", "an", "click", "press", "please"})) {
    out.erase(out.begin());
  }
  if (out.size() > 1 && two_word_role(out, out.size() - 2)) {
    out.resize(out.size() - 2);
  } else if (out.size() > 1 && !out.back().quoted && role_word(out.back().text) != nullptr) {
    out.pop_back();
  }
  return joined(out);
}

bool says_something(const Phrase& phrase) {
  return !phrase.text.empty() || phrase.roles != nullptr || !phrase.colour.empty() ||
         !phrase.literal.empty();
}

Phrase phrase_of(const Words& words, int depth) {
  const Split split =
      depth < kDeepest ? find_relation(words) : Split{words.size(), 0, Relation::None};
  const auto middle = words.begin() + static_cast<std::ptrdiff_t>(split.at);
  const Words mine(words.begin(), middle);
  Phrase out;
  take_words(out, mine);
  out.literal = literal_of(mine);
  if (split.relation == Relation::None) return out;
  const Words rest(middle + static_cast<std::ptrdiff_t>(split.length), words.end());
  auto anchor = std::make_shared<Phrase>(phrase_of(rest, depth + 1));
  if (!says_something(*anchor)) return out;
  out.relation = split.relation;
  out.anchor = std::move(anchor);
  return out;
}

}  // namespace

std::string_view relation_words(Relation relation) {
  switch (relation) {
    case Relation::None: return "";
    case Relation::RightOf: return "right of";
    case Relation::LeftOf: return "left of";
    case Relation::Below: return "below";
    case Relation::Above: return "above";
    case Relation::Near: return "next to";
    case Relation::Inside: return "in";
  }
  return "";
}

Result<Phrase> parse(std::string_view description) {
  if (description.size() > 4 * kLongest) {
    return invalid_argument(
        fmt::format("a description has at most {} characters; this one has {} bytes", kLongest,
                    description.size()));
  }
  const Words words = words_of(description);
  Phrase out = phrase_of(words, 0);
  if (words.empty() ||
      (!says_something(out) && !has_place(out) && out.relation == Relation::None)) {
    return invalid_argument(
        "the description names nothing to look for: give a text, a kind of control, a colour or "
        "what it is next to, such as \"the blue Save button\" or \"icon right of the search "
        "field\"");
  }
  return out;
}

}  // namespace gantry::vision_ground
