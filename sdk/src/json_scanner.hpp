// SPDX-License-Identifier: Apache-2.0
#pragma once
// What JSON text is made of, piece by piece: white space, strings, numbers, words. The readers of
// documents (into values, into described structs) are built on it, so both take the same texts.

#include <gantry/result.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gantry::codec {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kShortRun = 32;  // bytes

/// A number as the text has it: whole ones exactly while 64 bits hold them, else the nearest double
/// (and -0 is the integer 0).
struct Number {
  enum class Form : std::uint8_t { integer, large, real };
  Form form = Form::integer;
  std::int64_t integer = 0;
  std::uint64_t large = 0;  // above the largest std::int64_t
  double real = 0;
};

/// Strict RFC 8259. Every function leaves `at_` behind what it took; false means that fail() said
/// why, and then nothing more may be taken.
class Scanner {
 public:
  explicit Scanner(std::string_view json)
      : begin_(json.data()), at_(begin_), end_(begin_ + json.size()) {}
  Scanner(const Scanner&) = delete;
  Scanner& operator=(const Scanner&) = delete;

  /// What fail() was told, and where.
  [[nodiscard]] Error error() const;

 protected:
  ~Scanner() = default;

  bool fail(const char* what) {
    what_ = what;
    return false;
  }
  [[nodiscard]] bool at(char c) const { return at_ != end_ && *at_ == c; }
  bool take(char c) { return at(c) && (++at_, true); }
  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  bool scan_word(std::string_view word) {
    if (!std::string_view(at_, end_).starts_with(word)) return fail("an unknown word");
    at_ += word.size();
    return true;
  }
  /// At a quote. The string goes into `text_`: a part of the document when it has no escapes, else
  /// of memory that the next string with escapes overwrites.
  bool scan_text();
  [[nodiscard]] bool text_had_escapes() const { return text_.data() == scratch_; }
  /// At anything: what is no number fails.
  bool scan_number(Number& number);
  /// A member's name, into `text_`, and what stands between it and its value.
  bool scan_name() {
    skip_space();
    if (!at('"')) return fail("a member's name is missing");
    if (!scan_text()) return false;
    skip_space();
    if (!take(':')) return fail("a colon is missing");
    skip_space();
    return true;
  }
  /// What may stand behind the document.
  bool scan_end() {
    skip_space();
    return at_ == end_ || fail("text after the value");
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string_view text_;  // the string that was taken last

 private:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  void make_scratch();
  bool skip_plain();
  void put_run(const char* run);
  bool scan_escape();
  bool scan_unicode();
  bool scan_hex(std::uint32_t& code);
  bool skip_digits();
  bool scan_long_number(const char* first, Number& number);

  const char* what_ = "";
  char* scratch_ = nullptr;  // room for any string of the document
  char* out_ = nullptr;      // where the string in scratch_ ends so far
  std::unique_ptr<char[]> large_scratch_;
  std::array<char, 512> small_scratch_;  // need not be initialised
};

/// Appends the text, as serialize() has it, of the value `json`, which is `depth` levels inside a
/// document. False: it is not valid.
bool rewrite(std::string& out, std::string_view json, std::size_t depth);

}  // namespace gantry::codec
