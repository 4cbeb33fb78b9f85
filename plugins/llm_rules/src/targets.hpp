// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which window or element a name means. Pure functions.

#include <string>
#include <string_view>
#include <vector>

namespace gantry::rules {

struct Window {
  std::string uid;
  std::string title;
  bool focused = false;
};

struct Element {
  std::string id;
  std::string role;
  std::string name;
  std::string value;
  int x = 0, y = 0;
};

/// The windows of list_windows' answer.
[[nodiscard]] std::vector<Window> read_windows(std::string_view json);
/// Every element of get_element_tree's answer, in document order.
[[nodiscard]] std::vector<Element> read_elements(std::string_view json);

/// The windows that a name means: an exact title, else titles that begin with it, else those that
/// have it. An empty name means the focused one.
[[nodiscard]] std::vector<Window> match_windows(const std::vector<Window>& windows,
                                                std::string_view name);
/// The elements that a name means, in the same order of preference. A kind at the name's end
/// ("Save button") narrows; with `to_act` what can be acted on goes before what only shows.
[[nodiscard]] std::vector<Element> match_elements(const std::vector<Element>& elements,
                                                  std::string_view name, bool to_act);
/// A regular expression for the elements whose name may be meant.
[[nodiscard]] std::string name_pattern(std::string_view name);
/// `Button "Save" at (10, 20)`
[[nodiscard]] std::string describe(const Element& element);

}  // namespace gantry::rules
