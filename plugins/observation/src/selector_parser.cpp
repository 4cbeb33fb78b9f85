// SPDX-License-Identifier: Apache-2.0
//
// One parser reads both published notations, because no text that was valid in one of them meant
// something else in the other: child is / or >, descendant is white space.
//
// Strings come in two forms. In the published one a backslash before a quote is dropped and the
// quote ends the string, so no string can hold its own quote. In the escaped form a backslash
// escapes; it holds for selectors that begin with a quoted role (which the published text cannot
// read at all) and for those that are only valid this way.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "selector_ast.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";

constexpr std::array<std::pair<std::string_view, SelectorKey>, 11> kKeys{{
    {"name", SelectorKey::Name},
    {"text", SelectorKey::Name},
    {"text()", SelectorKey::Name},
    {"aria-label", SelectorKey::Name},
    {"label", SelectorKey::Name},
    {"value", SelectorKey::Value},
    {"role", SelectorKey::Role},
    {"keyboard_shortcut", SelectorKey::Shortcut},
    {"enabled", SelectorKey::Enabled},
    {"focused", SelectorKey::Focused},
    {"index", SelectorKey::Index},
}};

constexpr std::array<std::pair<std::string_view, SelectorOperator>, 3> kOperators{{
    {"=", SelectorOperator::Equals},
    {"~=", SelectorOperator::Matches},
    {"*=", SelectorOperator::Contains},
}};

bool is_ascii_space(char c) { return kSpaces.find(c) != std::string_view::npos; }
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  // Everything beyond ASCII counts as a letter: role names are words in any language.
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_role_character(char c) { return is_letter(c) || is_ascii_digit(c) || c == '*'; }
bool is_key_character(char c) { return is_letter(c) || is_ascii_digit(c) || c == '-'; }

enum class Strings { Published, Escaped };

class Parser {
 public:
  Parser(std::string_view text, Strings strings) : text_(text), strings_(strings) {}

  Outcome<SelectorAst> run() {
    SelectorAst ast;
    if (!read_steps(ast)) return failure(Fault::BadRequest, "selector parse error: " + error_);
    return ast;
  }

 private:
  // ---- characters
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] bool at(char c) const { return !at_end() && text_[at_] == c; }
  bool accept(char c) {
    if (!at(c)) return false;
    ++at_;
    return true;
  }
  template <typename Accepts>
  std::string_view take_while(Accepts accepts) {
    const std::size_t begin = at_;
    while (!at_end() && accepts(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool skip_spaces() { return !take_while(is_ascii_space).empty(); }

  /// Bytes of the quote here: 0 when there is none, 2 with the backslash that the published form
  /// drops.
  [[nodiscard]] std::size_t quote_width() const {
    const auto is_quote = [this](std::size_t i) {
      return i < text_.size() && (text_[i] == '"' || text_[i] == '\'');
    };
    if (is_quote(at_)) return 1;
    const bool dropped = strings_ == Strings::Published && at('\\') && is_quote(at_ + 1);
    return dropped ? 2 : 0;
  }

  // ---- errors
  [[nodiscard]] std::size_t column(std::size_t position) const {
    return count_code_points(text_.substr(0, position)) + 1;
  }
  bool fail(std::size_t position, std::string_view problem) {
    error_ = fmt::format("column {}: {}", column(position), problem);
    return false;
  }
  bool expected(std::string_view what) {
    if (at_end()) return fail(at_, fmt::format("expected {}, found the end", what));
    const std::string_view found = first_code_points(text_.substr(at_), 1);
    return fail(at_, fmt::format("expected {}, found {}", what, python_repr(found)));
  }

  // ---- structure
  bool read_steps(SelectorAst& ast) {
    if (text_.size() > kMaxSelectorBytes) {
      return fail(
          0, fmt::format("expected at most {} bytes, found {}", kMaxSelectorBytes, text_.size()));
    }
    skip_spaces();
    ast.below_root = text_.substr(at_).starts_with("//");
    css_ = looks_like_css();
    skip_slashes();
    bool descendant = false;
    do {
      if (ast.steps.size() == kMaxSelectorSteps) {
        return fail(at_, fmt::format("expected at most {} steps", kMaxSelectorSteps));
      }
      SelectorStep step;
      step.descendant = descendant;
      if (!read_step(step)) return false;
      ast.steps.push_back(std::move(step));
    } while (read_separator(descendant));
    return error_.empty();
  }

  void skip_slashes() {
    take_while([](char c) { return c == '/' || is_ascii_space(c); });
  }

  /// True when another step follows. Slashes at the end are harmless, a > is not.
  bool read_separator(bool& descendant) {
    const bool spaces = skip_spaces();
    if (at_end()) return false;
    descendant = false;
    if (at('/')) {
      skip_slashes();
      return !at_end();
    }
    if (accept('>')) {
      skip_spaces();
      return true;
    }
    if (spaces) {
      descendant = true;
      return true;
    }
    return expected("'/', '>', '[', ':' or the end");
  }

  bool read_step(SelectorStep& step) {
    accept('.');
    if (quote_width() > 0) {
      if (!read_string(step.role)) return false;
    } else if (!at_end() && (is_letter(text_[at_]) || at('*'))) {
      step.role = take_while(is_role_character);
      step.any_role = step.role == "*";
    } else if (at('[') || at(':')) {
      step.role = "*";
      step.any_role = true;
    } else {
      return expected("a role such as Button or \"push button\"");
    }
    return read_conditions(step);
  }

  bool read_conditions(SelectorStep& step) {
    while (!at_end()) {
      if (at('[')) {
        if (!read_predicate(step)) return false;
      } else if (at(':')) {
        if (!read_pseudo_class(step)) return false;
      } else if (!read_bare_name(step)) {
        return error_.empty();
      }
    }
    return true;
  }

  /// Button "OK": a text after the role is its name. False when there is none, or on an error.
  bool read_bare_name(SelectorStep& step) {
    const std::size_t begin = at_;
    skip_spaces();
    if (quote_width() == 0) {
      at_ = begin;
      return false;
    }
    SelectorPredicate predicate;
    return read_string(predicate.text) && finish(std::move(predicate), begin, step);
  }

  bool read_predicate(SelectorStep& step) {
    ++at_;  // [
    skip_spaces();
    SelectorPredicate predicate;
    if (!read_key(predicate)) return false;
    skip_spaces();
    if (!read_operator(predicate)) return false;
    skip_spaces();
    const std::size_t literal_at = at_;
    if (!read_literal(predicate)) return false;
    predicate.at = literal_at;
    predicate.size = at_ - literal_at;
    skip_spaces();
    if (!accept(']')) return expected("']'");
    return finish(std::move(predicate), literal_at, step);
  }

  bool read_key(SelectorPredicate& predicate) {
    if (at_end() || !is_letter(text_[at_])) return expected("a key such as name, value or index");
    std::string key(take_while(is_key_character));
    if (text_.substr(at_).starts_with("()")) {
      key += "()";
      at_ += 2;
    }
    const auto known =
        std::find_if(kKeys.begin(), kKeys.end(), [&](const auto& row) { return row.first == key; });
    predicate.key = known != kKeys.end() ? known->second : SelectorKey::Unknown;
    predicate.key_text = std::move(key);
    return true;
  }

  bool read_operator(SelectorPredicate& predicate) {
    for (const auto& [token, op] : kOperators) {
      if (!text_.substr(at_).starts_with(token)) continue;
      at_ += token.size();
      predicate.op = op;
      return true;
    }
    return expected("=, ~= or *=");
  }

  bool read_literal(SelectorPredicate& predicate) {
    if (quote_width() > 0) return read_string(predicate.text);
    const std::size_t begin = at_;
    const std::string_view word =
        take_while([](char c) { return is_key_character(c) || c == '-'; });
    predicate.text = word;
    if (word == "true" || word == "false") {
      predicate.literal = SelectorLiteral::Boolean;
      predicate.integer = word == "true" ? 1 : 0;
      return true;
    }
    const char* end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, predicate.integer);
    if (word.empty() || read.ec != std::errc() || read.ptr != end) {
      at_ = begin;
      return expected("a quoted text, true, false or an integer");
    }
    predicate.literal = SelectorLiteral::Integer;
    predicate.text = std::to_string(predicate.integer);
    return true;
  }

  /// Completes a predicate whose value starts at `value_at`.
  bool finish(SelectorPredicate predicate, std::size_t value_at, SelectorStep& step) {
    predicate.normalized = normalize_text(predicate.text);
    if (predicate.op == SelectorOperator::Matches) {
      Result<Pattern> pattern = Pattern::compile(predicate.text);
      if (!pattern.ok()) return fail(value_at, pattern.error().message);
      predicate.pattern = std::make_shared<const Pattern>(std::move(pattern).value());
    }
    if (predicate.literal == SelectorLiteral::Text) {
      // The published rule: a text is true unless it is empty, and a number when it reads as one.
      predicate.integer = predicate.text.empty() ? 0 : 1;
      if (predicate.key == SelectorKey::Index) predicate.integer = number_in(predicate.text);
    }
    step.predicates.push_back(std::move(predicate));
    return true;
  }

  static std::int64_t number_in(std::string_view text) {
    std::int64_t number = -1;  // no position, so it matches nothing
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : -1;
  }

  bool read_pseudo_class(SelectorStep& step) {
    const std::size_t begin = at_;
    ++at_;  // :
    const std::string_view name = take_while(is_key_character);
    if (!accept('(')) return expected("'(' after a pseudo-class");
    const std::size_t argument_at = at_;
    SelectorPredicate predicate;
    if (name == "nth-of-type") {
      skip_spaces();
      if (!read_literal(predicate) || predicate.literal != SelectorLiteral::Integer) {
        at_ = argument_at;
        return expected("a number from 1");
      }
      predicate.key = SelectorKey::Index;
      predicate.integer -= 1;
      predicate.text = std::to_string(predicate.integer);
    } else if (name == "text" || name == "has-text") {
      skip_spaces();
      if (quote_width() == 0) return expected("a quoted text");
      if (!read_string(predicate.text)) return false;
      predicate.op = SelectorOperator::Contains;
    } else if (css_) {
      return skip_argument(step);  // as the published text does with pseudo-classes that it lacks
    } else {
      return fail(begin, "expected :nth-of-type(N), :text(\"…\") or :has-text(\"…\")");
    }
    skip_spaces();
    if (!accept(')')) return expected("')'");
    return finish(std::move(predicate), argument_at, step);
  }

  bool skip_argument(SelectorStep& step) {
    const std::size_t begin = at_;
    std::string ignored;
    for (int depth = 1; depth > 0;) {
      if (at_end()) return expected("')'");
      if (quote_width() > 0) {
        if (!read_string(ignored)) return false;
        continue;
      }
      if (at('(')) ++depth;
      if (at(')')) --depth;
      ++at_;
    }
    step.passed_over.push_back({begin, at_ - 1 - begin});
    return true;
  }

  // ---- strings
  bool read_string(std::string& out) {
    const std::size_t begin = at_;
    at_ += quote_width();
    const char quote = text_[at_ - 1];
    out.clear();
    while (!at_end()) {
      if (const std::size_t width = quote_width()) {
        at_ += width;
        if (text_[at_ - 1] == quote) return true;
        out.push_back(text_[at_ - 1]);
      } else if (strings_ == Strings::Escaped && at('\\')) {
        read_escape(out);
      } else {
        out.push_back(text_[at_++]);
      }
    }
    return fail(at_, fmt::format("expected {} to end the text that begins at column {}, found the "
                                 "end",
                                 quote, column(begin)));
  }

  /// A backslash that escapes nothing known stays, so that regular expressions need no doubling.
  void read_escape(std::string& out) {
    ++at_;  // the backslash
    const char c = at_end() ? '\0' : text_[at_];
    constexpr std::string_view kNames = "\"'\\nrt";
    constexpr std::string_view kMeaning = "\"'\\\n\r\t";
    const std::size_t known = at_end() ? std::string_view::npos : kNames.find(c);
    if (known != std::string_view::npos) {
      out.push_back(kMeaning[known]);
      ++at_;
    } else if (!read_code_point(out)) {
      out.push_back('\\');
    }
  }

  /// u{1b}
  bool read_code_point(std::string& out) {
    const std::string_view rest = text_.substr(at_);
    const std::size_t close = rest.find('}');
    if (!rest.starts_with("u{") || close == std::string_view::npos) return false;
    std::uint32_t code = 0;
    const char* end = rest.data() + close;
    const auto read = std::from_chars(rest.data() + 2, end, code, 16);
    const bool scalar = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    if (read.ec != std::errc() || read.ptr != end || close == 2 || !scalar) return false;
    const char32_t character = code;
    out += encode_utf8({&character, 1});
    at_ += close + 1;
    return true;
  }

  // ---- notation
  /// The published rule by which a text is taken for CSS, looked up outside of strings.
  [[nodiscard]] bool looks_like_css() const {
    std::string bare;
    Parser scan = *this;
    std::string ignored;
    while (!scan.at_end()) {
      if (scan.quote_width() > 0) {
        bare.push_back('"');
        if (!scan.read_string(ignored)) break;
      } else {
        bare.push_back(text_[scan.at_++]);
      }
    }
    const auto has = [&](std::string_view part) { return bare.find(part) != std::string::npos; };
    if (bare.starts_with('.') || has(":nth-of-type") || has(":has-text(") || has(":text(")) {
      return true;
    }
    if (has("/")) return false;
    return has(">") || has("*=") || has("^=") || has("$=") || has("|=") || has_spaced_words(bare);
  }

  static bool has_spaced_words(std::string_view bare) {
    for (std::size_t i = 1; i < bare.size(); ++i) {
      if (!is_ascii_space(bare[i]) || !(is_letter(bare[i - 1]) || bare[i - 1] == '*')) continue;
      const std::size_t next = bare.find_first_not_of(kSpaces, i);
      if (next != std::string_view::npos && is_letter(bare[next])) return true;
    }
    return false;
  }

  std::string_view text_;
  Strings strings_;
  std::size_t at_ = 0;
  bool css_ = false;
  std::string error_;
};

}  // namespace

Outcome<SelectorAst> parse_selector(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  const bool marked = first != std::string_view::npos && text[first] == '"';
  if (marked) return Parser(text, Strings::Escaped).run();
  Outcome<SelectorAst> published = Parser(text, Strings::Published).run();
  const bool may_escape = text.find('\\') != std::string_view::npos;
  if (published.ok() || !may_escape) return published;
  return Parser(text, Strings::Escaped).run();
}

}  // namespace gantry::observation
