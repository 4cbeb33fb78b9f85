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

#include "json_parser.hpp"
#include "text_sink.hpp"

namespace gantry::codec {

namespace {

/// Makes values of what the parser finds.
class Values {
 public:
  explicit Values(const boost::json::storage_ptr& memory) { stack_.reset(memory); }

  int open_object() { return 0; }
  int open_array() { return 0; }
  void close_object(int, std::size_t count, std::string_view) { stack_.push_object(count); }
  void close_array(int, std::size_t count, std::string_view) { stack_.push_array(count); }
  void name(std::string_view name, bool) { stack_.push_key(name); }
  void text(std::string_view text, bool) { stack_.push_string(text); }
  void word(std::string_view word) {
    if (word == "null") return stack_.push_null();
    stack_.push_bool(word == "true");
  }
  void number(const Number& number, std::string_view) {
    switch (number.form) {
      case Number::Form::integer: return stack_.push_int64(number.integer);
      case Number::Form::large: return stack_.push_uint64(number.large);
      case Number::Form::real: return stack_.push_double(number.real);
    }
  }
  boost::json::value release() { return stack_.release(); }

 private:
  boost::json::value_stack stack_;
};

/// The document, or a value `depth` levels inside of one.
Result<boost::json::value> parse_value(std::string_view json,
                                       const boost::json::storage_ptr& memory,
                                       std::size_t depth = 0) {
  Values values(memory);
  JsonParser parser(json, values);
  if (!parser.parse(depth)) return parser.error();
  return values.release();
}

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
  const auto value = parse_value(json, &memory, depth);
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
    auto value = parse_value(json, &memory);
    if (!value.ok()) return std::move(value).error();
    return use(state, *value);
  } catch (const std::bad_alloc&) {
    return Error{Code::ResourceExhausted, "the JSON document does not fit into memory", {}};
  } catch (const std::exception& e) {
    return internal_error(std::string("reading JSON failed: ") + e.what());
  }
}

}  // namespace gantry::codec
