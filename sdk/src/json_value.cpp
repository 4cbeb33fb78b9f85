// SPDX-License-Identifier: Apache-2.0
//
// Parsing and writing of boost::json values. The parser drives Boost's basic_parser instead of
// calling boost::json::parse, because version 1.81 rounds one double in seven wrongly (measured on
// random ones that std::to_chars had written), reads 1e400 as infinity and then writes "Infinity";
// its serializer turns 1.0 into 1E0.
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value_stack.hpp>
#include <gantry/codec.hpp>

#include <array>
#include <charconv>
#include <cmath>

namespace gantry::codec {

namespace {

constexpr std::size_t kMaxDepth = 64;

using boost::json::error_code;
using Text = boost::json::string_view;

/// Builds the value. The callbacks, their names and their results are those of basic_parser's
/// handler concept; `false` with an error code ends the parse.
class Builder {
 public:
  static constexpr std::size_t max_object_size = boost::json::object::max_size();
  static constexpr std::size_t max_array_size = boost::json::array::max_size();
  static constexpr std::size_t max_key_size = boost::json::string::max_size();
  static constexpr std::size_t max_string_size = boost::json::string::max_size();

  explicit Builder(boost::json::storage_ptr memory) { stack_.reset(std::move(memory)); }
  boost::json::value take() { return stack_.release(); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t count, error_code&) { return stack_.push_object(count), true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t count, error_code&) { return stack_.push_array(count), true; }
  bool on_key_part(Text text, std::size_t, error_code&) { return stack_.push_chars(text), true; }
  bool on_key(Text text, std::size_t, error_code&) { return stack_.push_key(text), true; }
  bool on_string_part(Text text, std::size_t, error_code&) { return stack_.push_chars(text), true; }
  bool on_string(Text text, std::size_t, error_code&) { return stack_.push_string(text), true; }
  bool on_number_part(Text text, error_code&) {
    number_.append(text.data(), text.size());
    return true;
  }
  bool on_int64(std::int64_t number, Text, error_code&) {
    number_.clear();
    return stack_.push_int64(number), true;
  }
  bool on_uint64(std::uint64_t number, Text, error_code&) {
    number_.clear();
    return stack_.push_uint64(number), true;
  }
  bool on_double(double approximate, Text text, error_code& failed) {
    number_.append(text.data(), text.size());
    double exact = 0;
    const auto read = std::from_chars(number_.data(), number_.data() + number_.size(), exact);
    if (read.ec == std::errc::result_out_of_range) {
      if (std::abs(approximate) > 1) {
        failed = boost::json::error::exponent_overflow;
        return false;
      }
      exact = std::signbit(approximate) ? -0.0 : 0.0;  // too small for a double
    }
    number_.clear();
    return stack_.push_double(exact), true;
  }
  bool on_bool(bool value, error_code&) { return stack_.push_bool(value), true; }
  bool on_null(error_code&) { return stack_.push_null(), true; }
  bool on_comment_part(Text, error_code&) { return true; }
  bool on_comment(Text, error_code&) { return true; }

 private:
  boost::json::value_stack stack_;
  std::string number_;  // the digits of the number at hand
};

Error syntax_error(std::string_view json, std::size_t at, std::string_view what) {
  std::string message = "not valid JSON: ";
  message += what;
  message += " at byte ";
  write_unsigned(message, at);
  message += " of ";
  write_unsigned(message, json.size());
  return invalid_argument(std::move(message));
}

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

void write_value(std::string& out, const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null: out += "null"; return;
    case boost::json::kind::bool_: out += value.get_bool() ? "true" : "false"; return;
    case boost::json::kind::int64: write_integer(out, value.get_int64()); return;
    case boost::json::kind::uint64: write_unsigned(out, value.get_uint64()); return;
    case boost::json::kind::double_: write_double(out, value.get_double()); return;
    case boost::json::kind::string:
      write_string(out, {value.get_string().data(), value.get_string().size()});
      return;
    case boost::json::kind::array: {
      out += '[';
      bool first = true;
      for (const auto& element : value.get_array()) {
        if (!std::exchange(first, false)) out += ',';
        write_value(out, element);
      }
      out += ']';
      return;
    }
    case boost::json::kind::object: write_object(out, value.get_object()); return;
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
    std::array<unsigned char, 4096> first_block;  // NOLINT: need not be initialised
    boost::json::monotonic_resource memory(first_block.data(), first_block.size(), {});
    boost::json::parse_options options;
    options.max_depth = kMaxDepth;
    boost::json::basic_parser<Builder> parser(options, boost::json::storage_ptr(&memory));
    error_code failed;
    const std::size_t read = parser.write_some(false, json.data(), json.size(), failed);
    if (failed) return syntax_error(json, read, failed.message());
    if (read != json.size()) return syntax_error(json, read, "text after the value");
    const boost::json::value value = parser.handler().take();
    return use(state, value);
  } catch (const std::bad_alloc&) {
    return Error{Code::ResourceExhausted, "the JSON document does not fit into memory", {}};
  } catch (const std::exception& e) {
    return internal_error(std::string("reading JSON failed: ") + e.what());
  }
}

}  // namespace gantry::codec
