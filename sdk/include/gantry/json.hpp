// SPDX-License-Identifier: Apache-2.0
//
// Json: a piece of JSON that a contract carries without knowing its shape (tool arguments,
// metadata). Holds valid JSON text; the codec checks it when it comes from outside.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace gantry {

struct Json {
  std::string text = "null";

  Json() = default;
  /// `valid_json` must be one complete JSON value.
  explicit Json(std::string valid_json) : text(std::move(valid_json)) {}
  friend bool operator==(const Json&, const Json&) = default;
};

}  // namespace gantry
