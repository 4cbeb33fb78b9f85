// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a tool takes: one table for its schema and for the check of what comes. Pure functions.

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::desk {

enum class Kind { Text, Integer, Number, Flag, Keys };

struct Parameter {
  std::string_view name;
  Kind kind = Kind::Text;
  std::string_view doc;  ///< For people and models: unit, range, default.
  bool required = false;
  std::string_view values = {};  ///< Allowed words with | between; empty: any.
  double least = 0;              ///< Integer, Number: the range, when `most` is larger.
  double most = 0;
};

/// JSON Schema (2020-12) of an object that has nothing but these.
[[nodiscard]] std::string input_schema(std::span<const Parameter> parameters);

/// The arguments of a call, checked. A member that is null counts as missing.
class Arguments {
 public:
  explicit Arguments(boost::json::object values = {}) : values_(std::move(values)) {}

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] std::string text(std::string_view name) const;  ///< Empty: missing.
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name) const;
  [[nodiscard]] std::optional<double> number(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  /// Keys: the words, also of a single text.
  [[nodiscard]] std::vector<std::string> keys(std::string_view name) const;

 private:
  [[nodiscard]] const boost::json::value* find(std::string_view name) const;
  boost::json::object values_;
};

/// What is wrong with them, in a sentence that says what was asked and what fits; empty: nothing.
[[nodiscard]] std::string problem_of(std::span<const Parameter> parameters,
                                     const boost::json::object& arguments);

}  // namespace gantry::desk
