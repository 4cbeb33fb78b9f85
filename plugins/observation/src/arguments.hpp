// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arguments of one tool call. They come as JSON from one protocol and as query text from
// another, so numbers, flags and lists are also read from text ("3", "true", "Button,Link").
// Missing and null are the same.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"

namespace gantry::observation {

class Arguments {
 public:
  enum class Kind { Text, Integer, Number, Boolean, List, Object };

  /// Reads a JSON object; anything else is BadRequest.
  [[nodiscard]] static Outcome<Arguments> parse(std::string_view json);

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  /// A string; numbers and booleans as their JSON text. Empty when missing.
  [[nodiscard]] std::string text(std::string_view name) const;
  /// An integer, or BadRequest that says what was found. Nothing when missing.
  [[nodiscard]] Outcome<std::optional<std::int64_t>> integer(std::string_view name) const;
  /// The same, but what is no integer counts as missing, for the parameters that the protocol
  /// ignores when they are malformed.
  [[nodiscard]] std::optional<std::int64_t> integer_or_nothing(std::string_view name) const;
  /// true, a number that is not 0, or 1, true, yes in any case; everything else is false.
  [[nodiscard]] bool flag(std::string_view name) const;
  /// An array of strings, or a text with commas; blanks around the parts are dropped.
  [[nodiscard]] std::vector<std::string> list(std::string_view name) const;
  /// A number with or without a fraction, or BadRequest. Nothing when missing.
  [[nodiscard]] Outcome<std::optional<double>> number(std::string_view name) const;
  /// The JSON text of the value, whatever it is; empty when missing.
  [[nodiscard]] std::string json(std::string_view name) const;
  /// A nested object, or BadRequest. An empty one when missing.
  [[nodiscard]] Outcome<Arguments> object(std::string_view name) const;
  [[nodiscard]] bool is_object(std::string_view name) const;
  [[nodiscard]] bool is_list(std::string_view name) const;
  /// The JSON text of each element of an array; empty when it is missing or no array.
  [[nodiscard]] std::vector<std::string> elements(std::string_view name) const;
  /// What was given; nothing when missing.
  [[nodiscard]] std::optional<Kind> kind(std::string_view name) const;
  /// Takes a text that is JSON for the value that it writes: queries carry nothing but text. False,
  /// and no change, when it is no JSON.
  bool read_text_as_json(std::string_view name);
  /// Names of everything that was given, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Value {
    Kind kind = Kind::Object;
    std::string text;  ///< The string, or the JSON text of anything else.
    std::string json;  ///< Nested values and strings: their JSON text.
    std::int64_t integer = 0;
    double number = 0;
    bool boolean = false;
    std::vector<std::string> list;      ///< Elements as text() gives them.
    std::vector<std::string> elements;  ///< Elements as JSON.
  };
  struct Reader;

  [[nodiscard]] const Value* find(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace gantry::observation
