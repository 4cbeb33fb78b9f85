// SPDX-License-Identifier: Apache-2.0
//
// The words that say what something is, looks like, or where it is.
#pragma once

#include <string_view>
#include <vector>

namespace gantry::vision_ground {

/// "button" → the roles that it can mean, as in A11yNode::role. Empty: no word for a role.
struct RoleWord {
  std::vector<std::string_view> roles;
  std::string_view kind;  // of VisualElement that it means besides; may be empty
};
[[nodiscard]] const RoleWord* role_word(std::string_view word);

/// "grey" for "gray", …, as VisionColour::name has them; empty: no colour.
[[nodiscard]] std::string_view colour_word(std::string_view word);
/// How well a colour that is there fits one that is wished: 1, less for neighbours, else 0.
[[nodiscard]] double colour_fit(std::string_view wish, std::string_view there);

/// 1 for "first", -1 for "last", 0: no ordinal.
[[nodiscard]] int ordinal_word(std::string_view word);

/// Words that mean nothing for a search: articles, "please", "click".
[[nodiscard]] bool is_filler(std::string_view word);

}  // namespace gantry::vision_ground
