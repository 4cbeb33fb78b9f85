// SPDX-License-Identifier: Apache-2.0
//
// What a description says: a text, a role, a colour, a place, a number, and what it is next to.
#pragma once

#include <gantry/result.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "vocabulary.hpp"

namespace gantry::vision_ground {

enum class Relation : std::uint8_t { None, RightOf, LeftOf, Below, Above, Near, Inside };

/// "right of", …
[[nodiscard]] std::string_view relation_words(Relation relation);

struct Phrase {
  std::string text;     // plain(); empty: none
  bool quoted = false;  // then it has to be the whole text
  std::string literal;  // all of the words up to the relation, should they be a text after all
  std::string role;     // the word, "button"; empty: none
  const RoleWord* roles = nullptr;
  std::string colour;  // as VisionColour::name
  int ordinal = 0;     // 1: the first, -1: the last, 0: none
  int across = 0;      // -1: left, 1: right
  int down = 0;        // -1: top, 1: bottom
  bool centre = false;
  Relation relation = Relation::None;
  std::shared_ptr<const Phrase> anchor;  // with a relation
};

/// Errors: invalid_argument (longer than 2000 characters, or nothing in it to look for).
Result<Phrase> parse(std::string_view description);

}  // namespace gantry::vision_ground
