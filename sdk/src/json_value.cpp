// SPDX-License-Identifier: Apache-2.0
//
// Parsing and writing of boost::json values. Boost.JSON 1.81 keeps the document, its own parser and
// serializer are not used: it rounds one double in seven wrongly (measured on random ones that
// std::to_chars had written), reads 1e400 as infinity and then writes "Infinity", writes 1.0 as
// 1E0, and crawls through text with escapes, which the long texts of agents are full of.
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value_stack.hpp>
#include <gantry/codec.hpp>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <memory>

#include <gantry/utf8.hpp>

namespace gantry::codec {

namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kShortRun = 32;

/// How many of eight bytes, from the front, stand for themselves in a string: up to a quote, a
/// backslash, a control character or anything that is not ASCII. Works on all eight at once: the
/// lowest high bit of each mask is exact (only bits above it can be set by a borrow).
std::size_t plain_prefix(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, eight, 8);
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  const auto below = [](std::uint64_t word, std::uint64_t limit) {
    return (word - kOnes * limit) & ~word & kHigh;
  };
  const std::uint64_t special = (bytes & kHigh) | below(bytes, 0x20) |
                                below(bytes ^ kOnes * '"', 1) | below(bytes ^ kOnes * '\\', 1);
  return static_cast<std::size_t>(std::countr_zero(special)) / 8;  // 64 when there is none
}

/// What the letter after a backslash stands for; 0: there is no such escape.
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> meanings{};
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    meanings[static_cast<unsigned char>(kLetters[i])] = kMeanings[i];
  }
  return meanings;
}();

/// Writes one code point and returns the end.
char* put_utf8(char* out, std::uint32_t code) {
  const auto tail = [&](unsigned shift) {
    *out++ = static_cast<char>(0x80U | (code >> shift & 0x3FU));
  };
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *out++ = static_cast<char>(0xC0U | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    *out++ = static_cast<char>(0xE0U | code >> 12);
    tail(6);
    tail(0);
  } else {
    *out++ = static_cast<char>(0xF0U | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Power of ten of the first digit that counts in a number such as -12.5e3 (here 4); only its sign
/// matters, to tell a number that is too large from one that is too small.
std::int64_t magnitude(std::string_view number) {
  if (number.front() == '-') number.remove_prefix(1);
  const auto e = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, e);
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view text = number.substr(e + 1);
    const bool negative = text.front() == '-';
    if (negative || text.front() == '+') text.remove_prefix(1);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
    // Far beyond every digit there can be, and far from where adding them would overflow.
    if (read.ec != std::errc{} || exponent > INT32_MAX) exponent = INT32_MAX;
    if (negative) exponent = -exponent;
  }
  const auto point = std::min(digits.find('.'), digits.size());
  const auto first = digits.find_first_of("123456789");
  const auto before = static_cast<std::int64_t>(point);
  const auto at = static_cast<std::int64_t>(std::min(first, digits.size()));
  return exponent + (at < before ? before - at : before + 1 - at);
}

/// Recursive descent over RFC 8259, at most kMaxDepth deep. Every function leaves `at_` behind what
/// it took; false means that fail() said why.
class Parser {
 public:
  Parser(std::string_view json, const boost::json::storage_ptr& memory)
      : begin_(json.data()), at_(begin_), end_(begin_ + json.size()) {
    stack_.reset(memory);
  }

  Result<boost::json::value> parse() {
    skip_space();
    if (!parse_value(0)) return error();
    skip_space();
    if (at_ != end_) return fail("text after the value"), error();
    return stack_.release();
  }

 private:
  bool fail(const char* what) {
    what_ = what;
    return false;
  }
  Error error() const {
    std::string message = "not valid JSON: ";
    message += what_;
    message += " at byte ";
    write_unsigned(message, static_cast<std::uint64_t>(at_ - begin_));
    message += " of ";
    write_unsigned(message, size());
    return invalid_argument(std::move(message));
  }
  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  bool at(char c) const { return at_ != end_ && *at_ == c; }
  bool take(char c) { return at(c) && (++at_, true); }
  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }

  bool parse_value(std::size_t depth) {
    if (at_ == end_) return fail("the text ends where a value should be");
    switch (*at_) {
      case '{': return parse_object(depth + 1);
      case '[': return parse_array(depth + 1);
      case '"': return parse_text() && (stack_.push_string(text_), true);
      case 't': return parse_word("true") && (stack_.push_bool(true), true);
      case 'f': return parse_word("false") && (stack_.push_bool(false), true);
      case 'n': return parse_word("null") && (stack_.push_null(), true);
      default: return parse_number();
    }
  }

  bool parse_word(std::string_view word) {
    if (!std::string_view(at_, end_).starts_with(word)) return fail("an unknown word");
    at_ += word.size();
    return true;
  }

  bool parse_object(std::size_t depth) {
    if (depth > kMaxDepth) return fail("more than 64 levels");
    ++at_;
    std::size_t count = 0;
    skip_space();
    if (!take('}')) {
      do {
        skip_space();
        if (!at('"')) return fail("a member's name is missing");
        if (!parse_text()) return false;
        stack_.push_key(text_);
        skip_space();
        if (!take(':')) return fail("a colon is missing");
        skip_space();
        if (!parse_value(depth)) return false;
        ++count;
        skip_space();
      } while (take(','));
      if (!take('}')) return fail("a comma or } is missing");
    }
    stack_.push_object(count);
    return true;
  }

  bool parse_array(std::size_t depth) {
    if (depth > kMaxDepth) return fail("more than 64 levels");
    ++at_;
    std::size_t count = 0;
    skip_space();
    if (!take(']')) {
      do {
        skip_space();
        if (!parse_value(depth)) return false;
        ++count;
        skip_space();
      } while (take(','));
      if (!take(']')) return fail("a comma or ] is missing");
    }
    stack_.push_array(count);
    return true;
  }

  /// Moves to the quote or backslash that ends a run of characters that stand for themselves.
  bool skip_plain() {
    while (true) {
      while (end_ - at_ >= 8) {
        const std::size_t plain = plain_prefix(at_);
        at_ += plain;
        if (plain != 8) break;
      }
      if (at_ == end_) return fail("the text ends inside a string");
      const auto byte = static_cast<std::uint8_t>(*at_);
      if (byte == '"' || byte == '\\') return true;
      if (byte < 0x20) return fail("a control character inside a string");
      const std::size_t length = byte < 0x80 ? 1 : utf8_length({at_, end_});
      if (length == 0) return fail("a string that is not UTF-8");
      at_ += length;
    }
  }

  /// A string, into `text_`: a part of the document when it has no escapes, else of scratch_.
  bool parse_text() {
    const char* run = ++at_;
    if (!skip_plain()) return false;
    if (*at_ == '"') {
      text_ = {run, static_cast<std::size_t>(at_ - run)};
      ++at_;
      return true;
    }
    // An escape is never shorter than what it means, so what is left of the document is room
    // enough.
    if (!scratch_) scratch_ = std::make_unique_for_overwrite<char[]>(size() + kShortRun);
    out_ = scratch_.get();
    put_run(run);
    while (*at_ != '"') {
      if (!parse_escape()) return false;
      run = at_;
      if (!skip_plain()) return false;
      put_run(run);
    }
    ++at_;
    text_ = {scratch_.get(), static_cast<std::size_t>(out_ - scratch_.get())};
    return true;
  }

  void put_run(const char* run) {
    const auto length = static_cast<std::size_t>(at_ - run);
    // Between escapes runs are short; a fixed number of bytes is copied without a call.
    if (length <= kShortRun && end_ - run >= static_cast<std::ptrdiff_t>(kShortRun)) {
      std::memcpy(out_, run, kShortRun);
    } else {
      std::memcpy(out_, run, length);
    }
    out_ += length;
  }

  bool parse_escape() {
    if (++at_ == end_) return fail("the text ends inside a string");
    if (*at_ == 'u') {
      ++at_;
      return parse_unicode();
    }
    const char meaning = kEscapes[static_cast<unsigned char>(*at_)];
    if (meaning == 0) return fail("an unknown escape");
    *out_++ = meaning;
    ++at_;
    return true;
  }

  bool parse_unicode() {
    std::uint32_t code = 0;
    if (!parse_hex(code)) return false;
    if (code >= 0xDC00 && code <= 0xDFFF) return fail("half of a surrogate pair");
    if (code >= 0xD800 && code <= 0xDBFF) {
      std::uint32_t low = 0;
      if (!take('\\') || !take('u')) return fail("half of a surrogate pair");
      if (!parse_hex(low)) return false;
      if (low < 0xDC00 || low > 0xDFFF) return fail("half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    out_ = put_utf8(out_, code);
    return true;
  }

  bool parse_hex(std::uint32_t& code) {
    if (end_ - at_ < 4) return fail("the text ends inside a string");
    const auto read = std::from_chars(at_, at_ + 4, code, 16);
    if (read.ptr != at_ + 4) return fail("\\u needs four hexadecimal digits");
    at_ += 4;
    return true;
  }

  bool skip_digits() {
    const char* first = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != first;
  }

  bool parse_number() {
    const char* first = at_;
    take('-');
    const char* digits = at_;
    if (!skip_digits()) return fail(digits == first ? "not a value" : "a digit is missing");
    if (*digits == '0' && at_ - digits > 1) return fail("a number with a leading zero");
    bool whole = true;
    if (take('.')) {
      whole = false;
      if (!skip_digits()) return fail("a digit is missing");
    }
    if (take('e') || take('E')) {
      whole = false;
      if (!take('+')) take('-');
      if (!skip_digits()) return fail("a digit is missing");
    }
    return (whole && push_integer(first)) || push_double(first);
  }

  /// False when it needs more than 64 bits.
  bool push_integer(const char* first) {
    std::int64_t number = 0;
    if (std::from_chars(first, at_, number).ec == std::errc{}) {
      stack_.push_int64(number);
      return true;
    }
    std::uint64_t large = 0;
    if (*first == '-' || std::from_chars(first, at_, large).ec != std::errc{}) return false;
    stack_.push_uint64(large);
    return true;
  }

  bool push_double(const char* first) {
    double number = 0;
    if (std::from_chars(first, at_, number).ec == std::errc::result_out_of_range) {
      if (magnitude({first, at_}) > 0) return fail("a number that no double can hold");
      number = *first == '-' ? -0.0 : 0.0;
    }
    stack_.push_double(number);
    return true;
  }

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* what_ = "";
  std::string_view text_;  // the string that was taken last
  std::unique_ptr<char[]> scratch_;
  char* out_ = nullptr;  // where the string in scratch_ ends so far
  boost::json::value_stack stack_;
};

void write_value(std::string& out, const boost::json::value& value);

void write_object(std::string& out, const boost::json::object& object) {
  out += '{';
  bool first = true;
  for (const auto& [key, element] : object) {
    if (!std::exchange(first, false)) out += ',';
    write_string(out, {key.data(), key.size()});
    out += ':';
    write_value(out, element);
  }
  out += '}';
}

void write_array(std::string& out, const boost::json::array& array) {
  out += '[';
  bool first = true;
  for (const auto& element : array) {
    if (!std::exchange(first, false)) out += ',';
    write_value(out, element);
  }
  out += ']';
}

void write_value(std::string& out, const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null: out += "null"; return;
    case boost::json::kind::bool_: out += value.get_bool() ? "true" : "false"; return;
    case boost::json::kind::int64: return write_integer(out, value.get_int64());
    case boost::json::kind::uint64: return write_unsigned(out, value.get_uint64());
    case boost::json::kind::double_: return write_double(out, value.get_double());
    case boost::json::kind::string:
      return write_string(out, {value.get_string().data(), value.get_string().size()});
    case boost::json::kind::array: return write_array(out, value.get_array());
    case boost::json::kind::object: return write_object(out, value.get_object());
  }
}

}  // namespace

std::string serialize(const boost::json::value& value) {
  std::string out;
  write_value(out, value);
  return out;
}

Result<void> with_parsed(std::string_view json,
                         Result<void> (*use)(void* state, const boost::json::value&), void* state) {
  try {
    std::array<unsigned char, 4096> first_block;  // need not be initialised
    boost::json::monotonic_resource memory(first_block.data(), first_block.size(), {});
    Parser parser(json, &memory);
    auto value = parser.parse();
    if (!value.ok()) return std::move(value).error();
    return use(state, *value);
  } catch (const std::bad_alloc&) {
    return Error{Code::ResourceExhausted, "the JSON document does not fit into memory", {}};
  } catch (const std::exception& e) {
    return internal_error(std::string("reading JSON failed: ") + e.what());
  }
}

}  // namespace gantry::codec
