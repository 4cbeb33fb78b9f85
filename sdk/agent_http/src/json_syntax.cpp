// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/json_syntax.hpp>

#include <array>

#include <gantry/agent_http/body_model.hpp>

namespace gantry::agent_http {
namespace {

constexpr int kDeepest = 64;

/// Reads like Python's decoder, only to find where that stops.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<SyntaxProblem> run() {
    skip_space();
    if (value(0)) {
      skip_space();
      if (at_ == text_.size()) return std::nullopt;
      fail("Extra data", at_);
    }
    return SyntaxProblem{message_, characters(text_.substr(0, where_))};
  }

 private:
  bool fail(std::string_view message, std::size_t where) {
    message_ = message;
    where_ = where;
    return false;
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != text_.npos) ++at_;
  }

  bool value(int depth) {
    if (depth > kDeepest) return fail("Expecting value", at_);
    switch (peek()) {
      case '"': return string();
      case '{': return object(depth);
      case '[': return array(depth);
      default: break;
    }
    constexpr std::array<std::string_view, 6> kWords = {"null", "true",     "false",
                                                        "NaN",  "Infinity", "-Infinity"};
    for (const std::string_view word : kWords) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return true;
      }
    }
    return number();
  }

  std::size_t digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ - begin;
  }

  bool number() {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    if (peek() == '0') {
      ++at_;
    } else if (digits() == 0) {
      return fail("Expecting value", begin);
    }
    // A fraction or exponent without digits is not part of the number.
    const std::size_t whole = at_;
    if (peek() == '.') {
      ++at_;
      if (digits() == 0) at_ = whole;
    }
    const std::size_t fraction = at_;
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (digits() == 0) at_ = fraction;
    }
    return true;
  }

  bool string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return fail("Invalid control character at", at_);
      if (c != '\\') {
        ++at_;
      } else if (!escape(begin)) {
        return false;
      }
    }
    return fail("Unterminated string starting at", begin);
  }

  bool escape(std::size_t begin) {
    const std::size_t slash = at_++;
    if (at_ == text_.size()) return fail("Unterminated string starting at", begin);
    const char c = text_[at_++];
    if (std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos) return true;
    if (c != 'u') return fail("Invalid \\escape", slash);
    for (int i = 0; i < 4; ++i, ++at_) {
      constexpr std::string_view kHex = "0123456789abcdefABCDEF";
      if (at_ == text_.size() || kHex.find(text_[at_]) == std::string_view::npos) {
        return fail("Invalid \\uXXXX escape", slash + 1);
      }
    }
    return true;
  }

  bool object(int depth) {
    ++at_;
    skip_space();
    if (peek() == '}') return ++at_, true;
    while (true) {
      if (peek() != '"') return fail("Expecting property name enclosed in double quotes", at_);
      if (!string()) return false;
      skip_space();
      if (peek() != ':') return fail("Expecting ':' delimiter", at_);
      ++at_;
      skip_space();
      if (!value(depth + 1)) return false;
      skip_space();
      if (peek() == '}') return ++at_, true;
      if (peek() != ',') return fail("Expecting ',' delimiter", at_);
      ++at_;
      skip_space();
    }
  }

  bool array(int depth) {
    ++at_;
    skip_space();
    if (peek() == ']') return ++at_, true;
    while (true) {
      if (!value(depth + 1)) return false;
      skip_space();
      if (peek() == ']') return ++at_, true;
      if (peek() != ',') return fail("Expecting ',' delimiter", at_);
      ++at_;
      skip_space();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string message_;
  std::size_t where_ = 0;
};

}  // namespace

std::optional<SyntaxProblem> syntax_problem(std::string_view text) { return Scanner(text).run(); }

}  // namespace gantry::agent_http
