// SPDX-License-Identifier: Apache-2.0
#pragma once
// What acting on an element means, by its role.

#include <string>

#include "tree.hpp"

namespace gantry::observation {

/// Text is typed into it, and a click does nothing but give it the focus.
[[nodiscard]] bool takes_text(const Node& node);
/// The toolkit says that its text can be changed.
[[nodiscard]] bool is_editable(const Node& node);
/// It takes newlines as text.
[[nodiscard]] bool has_lines(const Node& node);
/// It is ticked or not, and a click turns it over.
[[nodiscard]] bool is_ticked_by_click(const Node& node);
/// It is set to a number.
[[nodiscard]] bool holds_number(const Node& node);

/// A control of its own: a click on what is drawn inside of it, such as the picture of a button, is
/// a click on it.
[[nodiscard]] bool is_control(const Node& node);

/// The element's own action that does exactly what a left click does; empty: there is none, and a
/// click needs the pointer. ("activate" of a text field is the enter key, of a list row a double
/// click.)
[[nodiscard]] std::string click_action(const Node& node);

}  // namespace gantry::observation
