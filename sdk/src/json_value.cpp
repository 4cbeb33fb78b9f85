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
#include <utility>

#include "json_scanner.hpp"
#include "text_sink.hpp"

namespace gantry::codec {

namespace {

/// Recursive descent, at most kMaxDepth deep.
class Parser : public Scanner {
 public:
  Parser(std::string_view json, const boost::json::storage_ptr& memory) : Scanner(json) {
    stack_.reset(memory);
  }

  /// The document, or a value `depth` levels inside of one.
  Result<boost::json::value> parse(std::size_t depth = 0) {
    skip_space();
    if (!parse_value(depth) || !scan_end()) return error();
    return stack_.release();
  }

 private:
  bool parse_value(std::size_t depth) {
    if (at_ == end_) return fail("the text ends where a value should be");
    switch (*at_) {
      case '{': return parse_object(depth + 1);
      case '[': return parse_array(depth + 1);
      case '"': return scan_text() && (stack_.push_string(text_), true);
      case 't': return scan_word("true") && (stack_.push_bool(true), true);
      case 'f': return scan_word("false") && (stack_.push_bool(false), true);
      case 'n': return scan_word("null") && (stack_.push_null(), true);
      default: return parse_number();
    }
  }

  bool parse_object(std::size_t depth) {
    if (depth > kMaxDepth) return fail("more than 64 levels");
    ++at_;
    std::size_t count = 0;
    skip_space();
    if (!take('}')) {
      do {
        if (!scan_name()) return false;
        stack_.push_key(text_);
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

  bool parse_number() {
    Number number;
    if (!scan_number(number)) return false;
    switch (number.form) {
      case Number::Form::integer: stack_.push_int64(number.integer); break;
      case Number::Form::large: stack_.push_uint64(number.large); break;
      case Number::Form::real: stack_.push_double(number.real); break;
    }
    return true;
  }

  boost::json::value_stack stack_;
};

void put_value(TextSink& out, const boost::json::value& value);

void put_object(TextSink& out, const boost::json::object& object) {
  out.put('{');
  bool first = true;
  for (const auto& [key, element] : object) {
    if (!std::exchange(first, false)) out.put(',');
    out.put_string({key.data(), key.size()});
    out.put(':');
    put_value(out, element);
  }
  out.put('}');
}

void put_array(TextSink& out, const boost::json::array& array) {
  out.put('[');
  bool first = true;
  for (const auto& element : array) {
    if (!std::exchange(first, false)) out.put(',');
    put_value(out, element);
  }
  out.put(']');
}

void put_value(TextSink& out, const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return out.put("null");
    case boost::json::kind::bool_: return out.put(value.get_bool() ? "true" : "false");
    case boost::json::kind::int64: return out.put_signed(value.get_int64());
    case boost::json::kind::uint64: return out.put_unsigned(value.get_uint64());
    case boost::json::kind::double_: return out.put_double(value.get_double());
    case boost::json::kind::string:
      return out.put_string({value.get_string().data(), value.get_string().size()});
    case boost::json::kind::array: return put_array(out, value.get_array());
    case boost::json::kind::object: return put_object(out, value.get_object());
  }
}

void write_value(std::string& out, const boost::json::value& value) {
  TextSink sink(out);
  put_value(sink, value);
  sink.flush();
}

}  // namespace

bool rewrite(std::string& out, std::string_view json, std::size_t depth) {
  std::array<unsigned char, 4096> first_block;  // need not be initialised
  boost::json::monotonic_resource memory(first_block.data(), first_block.size(), {});
  Parser parser(json, &memory);
  const auto value = parser.parse(depth);
  if (!value.ok()) return false;
  write_value(out, *value);
  return true;
}

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
