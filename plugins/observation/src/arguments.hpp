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

 private:
  enum class Kind { Text, Integer, Number, Boolean, List, Other };
  struct Value {
    Kind kind = Kind::Other;
    std::string text;  ///< The string, or the JSON text of anything else.
    std::int64_t integer = 0;
    bool boolean = false;
    std::vector<std::string> list;
  };
  struct Reader;

  [[nodiscard]] const Value* find(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace gantry::observation
