// SPDX-License-Identifier: Apache-2.0
#pragma once
// Options of lists and combo boxes: finding the one that is meant, asking about it, and choosing it
// with the keyboard.

#include <cstdint>
#include <optional>
#include <string>

#include "act.hpp"

namespace gantry::observation {

struct WantedOption {
  std::string name;
  std::optional<std::int64_t> index;  ///< Among the options; the name counts when both are given.
};

/// The node of this name below `root` or itself, but not `except`: depth first, the last child
/// first, as published. nullptr when there is none.
[[nodiscard]] const Node* named_node(const Node& root, const std::string& name, const Node* except);

/// Inside the act's element first: a label elsewhere may have the same name.
[[nodiscard]] const Node* find_option(const Act& act, const WantedOption& wanted);

/// Whether the element shows all of its options as it is, closed or not: the tree below it is the
/// list of them.
[[nodiscard]] bool lists_options(const Node& element);

/// ElementNotFound (Internal on the made-up desktop, as published), with the options that there are
/// and those that may have been meant.
[[nodiscard]] Failure no_option(const Act& act, const WantedOption& wanted);

/// Asks the guard about the option: a list must not be a way around what is said about its entries.
Task<Outcome<bool>> admit_option(Act& act, const Node& option);

/// A list that was opened in vain must not stay open: it holds the keyboard and the pointer.
Task<bool> close_again(Act& act);

/// Waits until the list is open that the act has told to open; `before` is the tree from before. A
/// busy application takes a while.
Task<bool> wait_open(Act& act, std::shared_ptr<const Tree> before);

/// The list below the act's element that opening it has brought up and given the keyboard; nullptr
/// when there is none.
[[nodiscard]] const Node* opened_list(const Act& act, const Tree& before);

/// Chooses from such a list with the arrow keys. The place of an option is not needed, which
/// GTK 4.8 tells wrongly for everything in pop-ups. Chooses only what is seen to have the keyboard,
/// and reads afterwards what the element shows; PatternUnsupported when the option was not reached.
Task<Outcome<Deed>> choose_by_keyboard(Act& act, WantedOption wanted);

}  // namespace gantry::observation
