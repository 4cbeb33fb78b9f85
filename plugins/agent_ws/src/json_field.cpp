// SPDX-License-Identifier: Apache-2.0
#include "json_field.hpp"

#include <gantry/codec.hpp>

namespace gantry::agent_ws {

Json json_text(std::string_view text) {
  Json out(std::string{});
  codec::write_string(out.text, text);
  return out;
}

Json json_text_or_null(std::string_view text) { return text.empty() ? Json() : json_text(text); }

Json json_number_or_null(std::optional<std::int64_t> number) {
  return number ? Json(std::to_string(*number)) : Json();
}

}  // namespace gantry::agent_ws
