// SPDX-License-Identifier: Apache-2.0
#include "gantry/voice/speakable.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "unicode.hpp"

namespace gantry::voice {
namespace {

constexpr std::size_t kLongWord = 80;  // letters; longer ones are keys, hashes, data
constexpr std::size_t kTagLimit = 80;  // characters of an HTML tag
constexpr auto kNone = std::u32string_view::npos;

struct Sign {
  char32_t sign;
  std::u32string_view word;
};
constexpr std::array<Sign, 34> kSigns = {{
    {U'&', U" and "},
    {U'→', U" to "},
    {U'⇒', U" to "},
    {U'≤', U" at most "},
    {U'≥', U" at least "},
    {U'≠', U" is not "},
    {U'≈', U" about "},
    {U'×', U" times "},
    {U'÷', U" divided by "},
    {U'±', U" plus or minus "},
    {U'°', U" degrees "},
    {U'€', U" euros "},
    {U'£', U" pounds "},
    {U'¥', U" yen "},
    {U'©', U""},
    {U'®', U""},
    {U'™', U""},
    {U'“', U"\""},
    {U'”', U"\""},
    {U'„', U"\""},
    {U'«', U"\""},
    {U'»', U"\""},
    {U'‘', U"'"},
    {U'’', U"'"},
    {U'—', U", "},
    {U'–', U" - "},
    {U'…', U"..."},
    {U'•', U", "},
    {U'·', U", "},
    {U'½', U" one half "},
    {U'¼', U" one quarter "},
    {U'¾', U" three quarters "},
    {U'\\', U""},
    {U'|', U", "},
}};

struct Entity {
  std::u32string_view name;
  std::u32string_view text;
};
constexpr std::array<Entity, 8> kEntities = {{{U"&amp;", U"&"},
                                              {U"&lt;", U" less than "},
                                              {U"&gt;", U" greater than "},
                                              {U"&quot;", U"\""},
                                              {U"&#39;", U"'"},
                                              {U"&apos;", U"'"},
                                              {U"&nbsp;", U" "},
                                              {U"&hellip;", U"..."}}};

bool is_silent(char32_t c) {
  return c < 0x20 || c == 0x7F || (c >= 0x80 && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         (c >= 0x20D0 && c <= 0x20FF) || (c >= 0x2190 && c <= 0x21FF) ||
         (c >= 0x2300 && c <= 0x23FF) || (c >= 0x2460 && c <= 0x27BF) ||
         (c >= 0x2900 && c <= 0x2BFF) || (c >= 0xE000 && c <= 0xF8FF) ||
         (c >= 0xFE00 && c <= 0xFE0F) || (c >= 0xFFF0 && c <= 0xFFFF) ||
         (c >= 0x1F000 && c <= 0x1FAFF) || c >= 0xE0000;
}

/// Reads one sentence from left to right.
class Reader {
 public:
  explicit Reader(std::u32string_view text) : text_(text) {}

  std::u32string run() {
    while (at_ < text_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    if (link() || address() || tag() || entity() || emphasis()) return;
    const char32_t c = text_[at_++];
    if (is_blank(c)) return out_.push_back(U' ');
    const auto sign =
        std::find_if(kSigns.begin(), kSigns.end(), [c](const Sign& row) { return row.sign == c; });
    if (sign != kSigns.end()) {
      if (c == U'–' && digits_around()) {
        out_ += U" to ";
      } else {
        out_ += sign->word;
      }
      return;
    }
    if (c == U'<' || c == U'>') return compare(c);
    if (!is_silent(c)) out_.push_back(c);
  }

  [[nodiscard]] char32_t before() const { return at_ == 0 ? U' ' : text_[at_ - 1]; }
  [[nodiscard]] char32_t after(std::size_t n) const {
    return at_ + n < text_.size() ? text_[at_ + n] : U' ';
  }
  [[nodiscard]] std::u32string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] bool digits_around() const {
    return at_ >= 2 && is_digit(text_[at_ - 2]) && at_ < text_.size() && is_digit(text_[at_]);
  }

  void compare(char32_t c) {
    const bool alone = at_ >= 2 && is_blank(text_[at_ - 2]) && is_blank(after(0));
    if (alone) out_ += c == U'<' ? U"less than" : U"greater than";
  }

  /// ![text](address), [text](address), [text][name], [^note], [ ] and [x] in front of an item;
  /// also the end of one whose begin was in the sentence before.
  bool link() {
    if (text_[at_] == U'!' && after(1) == U'[') {
      ++at_;
      return link();
    }
    if (text_[at_] == U']' && after(1) == U'(') return skip_target(at_ + 1);
    if (text_[at_] != U'[') return false;
    const std::size_t close = text_.find(U']', at_);
    if (close == kNone) {
      ++at_;
      return true;
    }
    const std::u32string_view inner = text_.substr(at_ + 1, close - at_ - 1);
    const bool is_box = inner == U" " || inner == U"x" || inner == U"X";
    const bool is_note = !inner.empty() && inner.front() == U'^';
    const char32_t next = close + 1 < text_.size() ? text_[close + 1] : U' ';
    const std::size_t begin = at_;
    if (is_box || is_note) {
      at_ = close + 1;
      return true;
    }
    if (next != U'(' && next != U'[') return false;
    out_ += Reader(inner).run();
    at_ = begin;
    return skip_target(close + 1);
  }

  /// Goes behind the (address) or [name] at `open`.
  bool skip_target(std::size_t open) {
    const char32_t end = text_[open] == U'(' ? U')' : U']';
    std::size_t depth = 0;
    for (std::size_t i = open; i < text_.size(); ++i) {
      if (text_[i] == text_[open]) ++depth;
      if (text_[i] == end && --depth == 0) {
        at_ = i + 1;
        return true;
      }
    }
    at_ = text_.size();  // the rest is an address that is not closed
    return true;
  }

  /// https://host/path and www.host/path: the host.
  bool address() {
    if (is_word(before()) && at_ > 0) return false;
    const std::u32string_view here = rest();
    std::size_t begin = 0;
    for (const std::u32string_view scheme :
         {std::u32string_view(U"https://"), std::u32string_view(U"http://"),
          std::u32string_view(U"ftp://")}) {
      if (here.starts_with(scheme)) begin = scheme.size();
    }
    const bool www = here.substr(begin).starts_with(U"www.");
    if (begin == 0 && !www) return false;
    if (www) begin += 4;
    const std::size_t end = std::min(here.find_first_of(U" \t\"'<>)]}", begin), here.size());
    std::u32string_view whole = here.substr(0, end);
    while (whole.size() > begin && std::u32string_view(U".,;:!?*_").find(whole.back()) != kNone) {
      whole.remove_suffix(1);
    }
    std::u32string_view host = whole.substr(begin);
    host = host.substr(0, host.find_first_of(U"/?#"));
    if (const std::size_t user = host.rfind(U'@'); user != kNone) host.remove_prefix(user + 1);
    host = host.substr(0, host.find(U':'));
    std::copy_if(host.begin(), host.end(), std::back_inserter(out_),
                 [](char32_t c) { return !is_silent(c); });
    at_ += whole.size();
    return true;
  }

  bool tag() {
    if (text_[at_] != U'<') return false;
    if (rest().starts_with(U"<http://") || rest().starts_with(U"<https://")) {
      ++at_;
      return true;
    }
    const char32_t first = after(1);
    if (first != U'/' && first != U'!' && !is_ascii_letter(first)) return false;
    const std::size_t close = text_.find(U'>', at_);
    if (close == kNone || close - at_ > kTagLimit) return false;
    out_.push_back(U' ');
    at_ = close + 1;
    return true;
  }

  bool entity() {
    if (text_[at_] != U'&') return false;
    for (const Entity& row : kEntities) {
      if (!rest().starts_with(row.name)) continue;
      at_ += row.name.size();
      out_ += row.text == U"&" ? std::u32string_view(U" and ") : row.text;
      return true;
    }
    return false;
  }

  /// Marks of emphasis and code go; an underscore within a word is a blank.
  bool emphasis() {
    const char32_t c = text_[at_];
    if (c == U'_') {
      const bool inside = is_word(before()) && is_word(after(1));
      if (inside) out_.push_back(U' ');
    } else if (c == U'*') {
      const bool product = is_digit(before()) && is_digit(after(1));
      if (product) out_ += U" times ";
    } else if (c == U'~') {
      if (after(1) != U'~' && before() != U'~') return false;
    } else if (c != U'`') {
      return false;
    }
    ++at_;
    return true;
  }

  std::u32string_view text_;
  std::size_t at_ = 0;
  std::u32string out_;
};

/// One blank between words, none in front of a stop, no endless words, no comma at the begin.
std::u32string tidy(std::u32string_view text) {
  std::u32string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = std::min(text.find_first_not_of(U' ', at), text.size());
    at = std::min(text.find(U' ', begin), text.size());
    std::u32string_view word = text.substr(begin, at - begin);
    if (word.empty() || word.size() > kLongWord) continue;
    const bool stop = std::u32string_view(U",.!?;:").find(word.front()) != kNone;
    const bool mark = std::none_of(word.begin(), word.end(), is_word);
    if (mark && (word.size() > 3 || word.front() == U'#' || (out.empty() && stop))) continue;
    if (stop && mark && out.back() == U',') {
      if (word.front() == U',') continue;
      out.pop_back();
    }
    if (!out.empty() && !(stop && mark)) out.push_back(U' ');
    out += word;
  }
  return out;
}

/// Letters of Latin-1 and Latin Extended-A, from U+00C0; a blank stands for none.
constexpr std::string_view kLatin =
    "AAAAAAACEEEEIIIIDNOOOOO OUUUUYTsaaaaaaaceeeeiiiidnooooo ouuuuyty"
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLl"
    "NnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

}  // namespace

std::string speakable(std::string_view sentence) {
  const std::u32string text = from_utf8(sentence);
  const std::u32string said = tidy(Reader(text).run());
  if (std::none_of(said.begin(), said.end(), is_word)) return {};
  return to_utf8(said);
}

std::string ascii_only(std::string_view text) {
  std::string out;
  for (const char32_t c : from_utf8(text)) {
    if (c < 0x20 || c == 0x7F) {
      out.push_back(' ');
    } else if (c < 0x80) {
      out.push_back(static_cast<char>(c));
    } else if (c >= 0xC0 && c - 0xC0 < kLatin.size()) {
      const auto letter = static_cast<std::size_t>(c - 0xC0);
      out.push_back(kLatin[letter]);
      if (c == 0xDF || c == 0xC6 || c == 0xE6) out.push_back(c == 0xDF ? 's' : 'e');
    } else {
      out.push_back(' ');
    }
  }
  return out;
}

}  // namespace gantry::voice
