// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the JSON codec.
//  - It accepts exactly what Boost.JSON's strict parser accepts, but for numbers near the limits of
//  a
//    double, and sees the same document.
//  - Whatever the strict parser accepts, Poco::JSON must accept too and see the same document. The
//    comparison leaves out what Poco is known to get wrong: integers beyond 64 bit, the last digit
//    of doubles, NUL inside text.
//  - Text is read straight into a struct only when reading it through values makes the same of it.
//  - Writing is a fixed point: what was written reads back as the same text.
//  - A described struct survives a round trip, in place, through JSON and with another layout.
#include <Poco/Dynamic/Var.h>
#include <Poco/Exception.h>
#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>
#include <Poco/JSON/Parser.h>
#include <boost/json/parse.hpp>
#include <gantry/codec.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "samples.hpp"

namespace {

using Poco::Dynamic::Var;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "json_codec: %s\n", what);
  std::abort();
}

bool same(const boost::json::value& mine, const Var& theirs);

bool same_number(double mine, const Var& theirs) {
  if (theirs.isString() || theirs.isEmpty()) return false;
  if (std::abs(mine) >= 9223372036854775808.0) return true;  // Poco has no such integers
  const double other = theirs.convert<double>();
  return mine == other || std::abs(mine - other) <= std::abs(mine) * 1e-14 ||
         std::abs(mine) < 1e-290;
}

bool same_object(const boost::json::object& mine, const Var& theirs) {
  if (theirs.type() != typeid(Poco::JSON::Object::Ptr)) return false;
  const auto& other = *theirs.extract<Poco::JSON::Object::Ptr>();
  if (other.size() != mine.size()) return false;
  for (const auto& [key, value] : mine) {
    const std::string name(key.data(), key.size());
    if (!other.has(name) || !same(value, other.get(name))) return false;
  }
  return true;
}

bool same_array(const boost::json::array& mine, const Var& theirs) {
  if (theirs.type() != typeid(Poco::JSON::Array::Ptr)) return false;
  const auto& other = *theirs.extract<Poco::JSON::Array::Ptr>();
  if (other.size() != mine.size()) return false;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (!same(mine[i], other.get(static_cast<unsigned>(i)))) return false;
  }
  return true;
}

bool same(const boost::json::value& mine, const Var& theirs) {
  switch (mine.kind()) {
    case boost::json::kind::null: return theirs.isEmpty();
    case boost::json::kind::bool_:
      return theirs.isBoolean() && theirs.extract<bool>() == mine.get_bool();
    case boost::json::kind::int64:
      return same_number(static_cast<double>(mine.get_int64()), theirs);
    case boost::json::kind::uint64:
      return same_number(static_cast<double>(mine.get_uint64()), theirs);
    case boost::json::kind::double_: return same_number(mine.get_double(), theirs);
    case boost::json::kind::string:
      return theirs.isString() &&
             theirs.extract<std::string>() ==
                 std::string(mine.get_string().data(), mine.get_string().size());
    case boost::json::kind::array: return same_array(mine.get_array(), theirs);
    case boost::json::kind::object: return same_object(mine.get_object(), theirs);
  }
  return false;
}

// Text that Poco cannot be asked about: it ends strings at NUL, reads only objects and arrays, and
// refuses integers of more than 64 bits or takes them for 0.
bool poco_can_tell(std::string_view json) {
  const auto first = json.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (json[first] != '{' && json[first] != '[')) return false;
  std::size_t digits = 0;
  for (const char c : json) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits >= 19) return false;
  }
  return json.find("\\u0000") == std::string_view::npos;
}

void check_against_poco(std::string_view json, const boost::json::value& mine) {
  if (!poco_can_tell(json)) return;
  Var theirs;
  try {
    theirs = Poco::JSON::Parser().parse(std::string(json));
  } catch (const Poco::Exception&) {
    expect(false, "accepted what Poco refuses");
  }
  expect(same(mine, theirs), "Poco sees another document");
}

bool has_infinity(const boost::json::value& value) {
  if (value.is_double()) return std::isinf(value.get_double());
  if (const auto* array = value.if_array()) {
    for (const auto& element : *array) {
      if (has_infinity(element)) return true;
    }
  }
  if (const auto* object = value.if_object()) {
    for (const auto& [key, element] : *object) {
      if (has_infinity(element)) return true;
    }
  }
  return false;
}

/// Equal but for the last digits of doubles.
bool same_as_boost(const boost::json::value& mine, const boost::json::value& boost) {
  if (mine.is_double() && boost.is_double()) {
    const double a = mine.get_double();
    const double b = boost.get_double();
    return a == b || std::abs(a - b) <= std::abs(a) * 1e-13 || std::abs(a) < 1e-290;
  }
  if (mine.kind() != boost.kind()) return false;
  if (const auto* array = mine.if_array()) {
    const auto& other = boost.get_array();
    if (array->size() != other.size()) return false;
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (!same_as_boost((*array)[i], other[i])) return false;
    }
    return true;
  }
  if (const auto* object = mine.if_object()) {
    const auto& other = boost.get_object();
    if (object->size() != other.size()) return false;
    for (const auto& [key, value] : *object) {
      const auto* found = other.if_contains(key);
      if (found == nullptr || !same_as_boost(value, *found)) return false;
    }
    return true;
  }
  return mine == boost;
}

void check_against_boost(std::string_view json) {
  boost::json::error_code failed;
  boost::json::parse_options options;
  options.max_depth = 64;
  const auto boost = boost::json::parse({json.data(), json.size()}, failed, {}, options);
  // Boost also refuses 1e-99999999999, and takes numbers near the largest double for infinity.
  if (failed == boost::json::error::exponent_overflow || (!failed && has_infinity(boost))) return;
  const bool accepts = !failed;
  struct State {
    const boost::json::value* boost;
    bool same;
  } state{&boost, true};
  const auto parsed = gantry::codec::with_parsed(
      json,
      [](void* user, const boost::json::value& value) -> gantry::Result<void> {
        auto& s = *static_cast<State*>(user);
        s.same = same_as_boost(value, *s.boost);
        return {};
      },
      &state);
  // Refused as too large; a repeated member may have hidden Boost's infinity.
  if (!parsed.ok() && parsed.error().message.find("no double can hold") != std::string::npos)
    return;
  if (parsed.ok() != accepts) {
    std::fprintf(stderr, "boost: %s, codec: %s\n", failed.message().c_str(),
                 parsed.ok() ? "accepts" : parsed.error().message.c_str());
  }
  expect(parsed.ok() == accepts, "accepts other texts than Boost");
  if (accepts) expect(state.same, "Boost sees another document");
}

void check_document(std::string_view json) {
  std::string written;
  struct State {
    std::string_view json;
    std::string* written;
  } state{json, &written};
  const auto parsed = gantry::codec::with_parsed(
      json,
      [](void* user, const boost::json::value& value) -> gantry::Result<void> {
        auto& s = *static_cast<State*>(user);
        *s.written = gantry::codec::serialize(value);
        check_against_poco(s.json, value);
        return {};
      },
      &state);
  if (!parsed.ok()) {
    expect(parsed.error().code == gantry::Code::InvalidArgument, "refused with another code");
    return;
  }
  std::string again;
  const auto reparsed = gantry::codec::with_parsed(
      written,
      [](void* user, const boost::json::value& value) -> gantry::Result<void> {
        *static_cast<std::string*>(user) = gantry::codec::serialize(value);
        return {};
      },
      &again);
  expect(reparsed.ok(), "cannot read what it wrote");
  expect(again == written, "writing is not a fixed point");
}

/// The quick way into a struct may leave a text to the other one, but never take what that refuses
/// or see something else in it.
template <class T>
void check_both_ways(std::string_view json) {
  const gantry::codec::Descriptor& type = gantry::codec::descriptor_of<T>();
  T straight{};
  if (!gantry::codec::read_straight(type, &straight, json)) return;
  T through_values{};
  const auto read = gantry::codec::read_text(type, &through_values, json);
  expect(read.ok(), "read straight what is not valid");
  expect(gantry::to_json(straight) == gantry::to_json(through_values),
         "straight it became something else");
}

void check_struct(std::string_view json) {
  using gantry::samples::Everything;
  const auto value = gantry::from_json<Everything>(json);
  if (!value.ok()) return;
  const std::string written = gantry::to_json(*value);
  const auto again = gantry::from_json<Everything>(written);
  expect(again.ok(), "cannot read a struct that it wrote");
  expect(gantry::to_json(*again) == written, "a struct changed on its way through JSON");
  const auto sent = gantry::make_body(*value);
  const auto in_place = gantry::read_body<Everything>(sent.body());
  expect(in_place.ok() && in_place->body() == sent.body(), "not read in place");
  expect(gantry::type_of<Everything>().weight(&*value) >= sizeof(Everything), "weighs nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  check_against_boost(json);
  check_document(json);
  check_both_ways<gantry::samples::Everything>(json);
  check_both_ways<gantry::samples::Node>(json);
  check_both_ways<gantry::Json>(json);
  check_both_ways<std::map<std::string, gantry::Json>>(json);
  check_struct(json);
  return 0;
}
