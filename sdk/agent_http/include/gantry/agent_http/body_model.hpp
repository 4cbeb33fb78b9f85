// SPDX-License-Identifier: Apache-2.0
//
// Models of request bodies as data, and the check of a body against one. What does not fit is told
// in the words and the shape of pydantic 2, which clients of this protocol parse. Any thread.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::agent_http {

/// One entry of the `detail` of a 422.
struct Issue {
  std::string type;
  boost::json::array loc;
  std::string msg;
  boost::json::value input;
  std::optional<boost::json::object> ctx;
};

enum class FieldKind : std::uint8_t {
  Text,     // a string; limits are characters
  Flag,     // a boolean, or what pydantic takes for one
  Integer,  // a whole number, or what pydantic takes for one
  Number,   // any number, the same
  Choice,   // one of `options`
  Texts,    // a list of strings; limits are items, item_max is characters
  Object,   // any object
  Objects,  // a list of any objects
  One,      // `model`
  Models,   // a list of `model`
};

struct Model;

struct Field {
  std::string_view name;
  FieldKind kind = FieldKind::Text;
  bool required = false;  // an optional one may also be null
  std::size_t min = 0;
  std::size_t max = 0;  // 0: no limit
  std::size_t item_max = 0;
  std::span<const std::string_view> options{};
  const Model* model = nullptr;
  // Says what is wrong with a value that fits otherwise; empty: nothing.
  std::string (*judge)(std::string_view value) = nullptr;
  bool nullable = true;  // of one that is not required
  std::optional<double> at_least{};
  std::optional<double> more_than{};
  std::optional<double> at_most{};
  std::size_t item_min = 0;  // of Texts, as item_max
};

struct Model {
  std::span<const Field> fields;
  bool closed = false;  // unknown members are refused
  // Says what is wrong with an object whose members all fit; empty: nothing.
  std::string (*judge)(const boost::json::object& value) = nullptr;
};

/// What is wrong with a body; `loc` is where it stands: ["body"].
std::vector<Issue> check(const boost::json::value& body, const Model& model,
                         const boost::json::array& loc);

/// What is wrong with one value, that of `field`; `loc` is where it stands.
std::vector<Issue> check(const boost::json::value& value, const Field& field,
                         const boost::json::array& loc);

/// The issue of something that is not there.
Issue missing(boost::json::array loc, boost::json::value input);

/// {"detail":[…]}
std::string validation_body(const std::vector<Issue>& issues);

/// Characters, that is code points, of UTF-8 text.
std::size_t characters(std::string_view text);

// ---- reading a body that fits -----------------------------------------------------------------

/// The text of a member, or `otherwise` when it is not there or null.
std::string text_of(const boost::json::object& body, std::string_view name,
                    std::string_view otherwise = "");
std::optional<std::string> optional_text_of(const boost::json::object& body, std::string_view name);
bool flag_of(const boost::json::object& body, std::string_view name, bool otherwise);
double number_of(const boost::json::object& body, std::string_view name, double otherwise);
/// Cut to what fits.
std::int32_t integer_of(const boost::json::object& body, std::string_view name,
                        std::int32_t otherwise);
/// The JSON text of a member, or `otherwise`.
std::string json_of(const boost::json::object& body, std::string_view name,
                    std::string_view otherwise);

}  // namespace gantry::agent_http
