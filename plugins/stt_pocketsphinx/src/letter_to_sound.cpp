// SPDX-License-Identifier: Apache-2.0
#include "letter_to_sound.hpp"

#include <array>
#include <cstddef>

namespace gantry::stt_pocketsphinx {
namespace {

/// What must stand beside the letters of a rule.
enum class Beside : unsigned char { Any, Edge, Vowel, Consonant, Soft, MagicE };

struct Rule {
  std::string_view letters;
  std::string_view phones;
  Beside before = Beside::Any;
  Beside after = Beside::Any;
};

/// Of rules that fit, the first one with the most letters counts. Soft: e, i or y.
constexpr std::array kRules{
    Rule{"tion", "SH AH N"},
    Rule{"sion", "ZH AH N"},
    Rule{"ture", "CH ER"},
    Rule{"ough", "AO"},
    Rule{"augh", "AO"},
    Rule{"eigh", "EY"},
    Rule{"tch", "CH"},
    Rule{"sch", "S K"},
    Rule{"igh", "AY"},
    Rule{"dge", "JH"},
    Rule{"cks", "K S", Beside::Any, Beside::Edge},
    Rule{"ing", "IH NG", Beside::Any, Beside::Edge},
    Rule{"air", "EH R"},
    Rule{"are", "EH R", Beside::Any, Beside::Edge},
    Rule{"ear", "IH R"},
    Rule{"eer", "IH R"},
    Rule{"ere", "IH R", Beside::Any, Beside::Edge},
    Rule{"ire", "AY ER", Beside::Any, Beside::Edge},
    Rule{"ore", "AO R", Beside::Any, Beside::Edge},
    Rule{"our", "AW ER"},
    Rule{"ure", "Y UH R", Beside::Any, Beside::Edge},
    Rule{"eau", "OW"},
    Rule{"qu", "K W"},
    Rule{"kn", "N", Beside::Edge},
    Rule{"gn", "G N", Beside::Edge},
    Rule{"wr", "R", Beside::Edge},
    Rule{"ps", "S", Beside::Edge},
    Rule{"ch", "CH"},
    Rule{"ck", "K"},
    Rule{"gh", "G", Beside::Edge},
    Rule{"gh", ""},
    Rule{"ph", "F"},
    Rule{"sh", "SH"},
    Rule{"th", "TH"},
    Rule{"wh", "W"},
    Rule{"zh", "ZH"},
    Rule{"ng", "NG", Beside::Any, Beside::Edge},
    Rule{"nk", "NG K"},
    Rule{"cc", "K S", Beside::Any, Beside::Soft},
    Rule{"sc", "S", Beside::Any, Beside::Soft},
    Rule{"mb", "M", Beside::Any, Beside::Edge},
    Rule{"ai", "EY"},
    Rule{"ay", "EY"},
    Rule{"au", "AO"},
    Rule{"aw", "AO"},
    Rule{"ea", "IY"},
    Rule{"ee", "IY"},
    Rule{"ei", "EY"},
    Rule{"ey", "IY", Beside::Any, Beside::Edge},
    Rule{"eu", "Y UW"},
    Rule{"ew", "Y UW"},
    Rule{"ie", "IY"},
    Rule{"oa", "OW"},
    Rule{"oi", "OY"},
    Rule{"oy", "OY"},
    Rule{"oo", "UW"},
    Rule{"ou", "AW"},
    Rule{"ow", "OW", Beside::Any, Beside::Edge},
    Rule{"ow", "AW"},
    Rule{"ue", "UW", Beside::Any, Beside::Edge},
    Rule{"ui", "UW"},
    Rule{"ar", "AA R"},
    Rule{"er", "ER"},
    Rule{"ir", "ER"},
    Rule{"or", "AO R"},
    Rule{"ur", "ER"},
    Rule{"le", "AH L", Beside::Consonant, Beside::Edge},
    Rule{"us", "AH S", Beside::Consonant, Beside::Edge},
    Rule{"es", "S", Beside::Consonant, Beside::Edge},
    Rule{"ed", "D", Beside::Consonant, Beside::Edge},
    Rule{"a", "EY", Beside::Any, Beside::MagicE},
    Rule{"a", "AH", Beside::Any, Beside::Edge},
    Rule{"a", "AE"},
    Rule{"b", "B"},
    Rule{"c", "S", Beside::Any, Beside::Soft},
    Rule{"c", "K"},
    Rule{"d", "D"},
    Rule{"e", "IY", Beside::Any, Beside::MagicE},
    Rule{"e", "", Beside::Consonant, Beside::Edge},
    Rule{"e", "IY", Beside::Any, Beside::Edge},
    Rule{"e", "EH"},
    Rule{"f", "F"},
    Rule{"g", "JH", Beside::Any, Beside::Soft},
    Rule{"g", "G"},
    Rule{"h", "HH"},
    Rule{"i", "AY", Beside::Any, Beside::MagicE},
    Rule{"i", "IY", Beside::Any, Beside::Edge},
    Rule{"i", "IY", Beside::Any, Beside::Vowel},
    Rule{"i", "IH"},
    Rule{"j", "JH"},
    Rule{"k", "K"},
    Rule{"l", "L"},
    Rule{"m", "M"},
    Rule{"n", "N"},
    Rule{"o", "OW", Beside::Any, Beside::MagicE},
    Rule{"o", "OW", Beside::Any, Beside::Edge},
    Rule{"o", "AA"},
    Rule{"p", "P"},
    Rule{"q", "K"},
    Rule{"r", "R"},
    Rule{"s", "Z", Beside::Vowel, Beside::Edge},
    Rule{"s", "S"},
    Rule{"t", "T"},
    Rule{"u", "UW", Beside::Any, Beside::MagicE},
    Rule{"u", "UW", Beside::Any, Beside::Edge},
    Rule{"u", "AH"},
    Rule{"v", "V"},
    Rule{"w", "W"},
    Rule{"x", "Z", Beside::Edge},
    Rule{"x", "K S"},
    Rule{"y", "Y", Beside::Edge, Beside::Vowel},
    Rule{"y", "IY", Beside::Any, Beside::Edge},
    Rule{"y", "IH"},
    Rule{"z", "Z"},
};

constexpr std::array<std::string_view, 26> kLetters{"EY",
                                                    "B IY",
                                                    "S IY",
                                                    "D IY",
                                                    "IY",
                                                    "EH F",
                                                    "JH IY",
                                                    "EY CH",
                                                    "AY",
                                                    "JH EY",
                                                    "K EY",
                                                    "EH L",
                                                    "EH M",
                                                    "EH N",
                                                    "OW",
                                                    "P IY",
                                                    "K Y UW",
                                                    "AA R",
                                                    "EH S",
                                                    "T IY",
                                                    "Y UW",
                                                    "V IY",
                                                    "D AH B AH L Y UW",
                                                    "EH K S",
                                                    "W AY",
                                                    "Z IY"};

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_vowel(char c) { return std::string_view("aeiouy").find(c) != std::string_view::npos; }

/// The sound at `at`; out of range it is an edge.
char at_or_edge(std::string_view word, std::size_t at) {
  return at < word.size() ? word[at] : '\0';
}

bool fits(Beside wanted, std::string_view word, std::size_t at) {
  const char c = at_or_edge(word, at);
  switch (wanted) {
    case Beside::Any: return true;
    case Beside::Edge: return c == '\0';
    case Beside::Vowel: return c != '\0' && is_vowel(c);
    case Beside::Consonant: return c != '\0' && !is_vowel(c);
    case Beside::Soft: return c == 'e' || c == 'i' || c == 'y';
    // One consonant, then an e at the end or before an s at the end.
    case Beside::MagicE:
      return c != '\0' && !is_vowel(c) && at_or_edge(word, at + 1) == 'e' &&
             (at + 2 >= word.size() || (at + 3 == word.size() && word[at + 2] == 's'));
  }
  return false;
}

const Rule* rule_for(std::string_view word, std::size_t at) {
  const Rule* best = nullptr;
  for (const Rule& rule : kRules) {
    if (!word.substr(at).starts_with(rule.letters)) continue;
    if (best != nullptr && best->letters.size() >= rule.letters.size()) continue;
    const std::size_t before = at - 1;  // wraps round to an edge at the word's begin
    if (fits(rule.before, word, before) && fits(rule.after, word, at + rule.letters.size())) {
      best = &rule;
    }
  }
  return best;
}

void append(std::string& out, std::string_view phones) {
  if (phones.empty()) return;
  if (!out.empty()) out += ' ';
  out += phones;
}

}  // namespace

std::string phones_of(std::string_view word) {
  std::string letters;
  bool vowel = false;
  for (const char c : word) {
    if (!is_letter(c)) continue;
    letters += c;
    vowel = vowel || is_vowel(c);
  }
  std::string out;
  if (!vowel) {
    for (const char c : letters) append(out, kLetters.at(static_cast<std::size_t>(c - 'a')));
    return out;
  }
  for (std::size_t at = 0; at < letters.size();) {
    // A doubled consonant is said once.
    const bool doubled =
        at + 1 < letters.size() && letters[at] == letters[at + 1] && !is_vowel(letters[at]);
    const Rule* const rule = rule_for(letters, doubled ? at + 1 : at);
    if (doubled) ++at;
    if (rule == nullptr) {
      ++at;
      continue;
    }
    append(out, rule->phones);
    at += rule->letters.size();
  }
  return out;
}

}  // namespace gantry::stt_pocketsphinx
