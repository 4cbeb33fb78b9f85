// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading the observer's answers, and finding in them what people name. A static library that a
// plugin links for itself. Pure functions.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::observed {

struct Window {
  std::string uid;
  std::string title;
  std::string process;  // file name of the executable; empty: unknown
  std::int64_t pid = 0;
  bool focused = false;
  bool minimized = false;
};

struct Element {
  std::string id;
  std::string role;
  std::string name;
  std::string value;
  int x = 0, y = 0;  // of its corner, screen pixels
  int width = 0, height = 0;
};

/// With ASCII letters in lower case: for comparing names.
[[nodiscard]] std::string lower(std::string_view text);
/// Without blanks at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);
/// Without "the", "a", "an" or "my" in front, and trimmed.
[[nodiscard]] std::string_view without_article(std::string_view text);

/// The windows of list_windows' answer.
[[nodiscard]] std::vector<Window> read_windows(std::string_view json);
/// Every element of get_element_tree's answer, in document order.
[[nodiscard]] std::vector<Element> read_elements(std::string_view json);

/// The windows that a name means: an exact title, else titles that begin with it, else those that
/// have it. An empty name means the focused one.
[[nodiscard]] std::vector<Window> match_windows(const std::vector<Window>& windows,
                                                std::string_view name);
/// The elements that a name means, in the same order of preference. A kind at the name's end
/// ("Save button") narrows; with `to_act` what can be acted on goes before what only shows, else
/// what has a value or takes one before what is only a name, such as a field's label.
[[nodiscard]] std::vector<Element> match_elements(const std::vector<Element>& elements,
                                                  std::string_view name, bool to_act);
/// A regular expression for the elements whose name may be meant.
[[nodiscard]] std::string name_pattern(std::string_view name);
/// From 3, the same but for case, mnemonics and closing dots, over 2, begins with it, and 1, has it
/// as a word's beginning, to 0.
[[nodiscard]] int closeness(std::string_view found, std::string_view wanted);
/// `Button "Save" at (10, 20)`
[[nodiscard]] std::string describe(const Element& element);

}  // namespace gantry::observed
