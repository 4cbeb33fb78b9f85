// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which element a request means, in a capture made for the act. An id belongs to the capture in
// which the client saw it: the element is looked up there and found again in the new capture, so
// that an id never slides to whatever has its place now.

#include <optional>
#include <string>

#include "arguments.hpp"
#include "errors.hpp"
#include "trees.hpp"

namespace gantry::observation {

struct ElementQuery {
  std::string selector;
  std::string element_id;
  std::string tree_token;  ///< The capture that element_id belongs to; empty: the last one seen.
  [[nodiscard]] bool given() const { return !selector.empty() || !element_id.empty(); }
};

/// selector, element_id and tree_token of a request, or of one end of a drag.
[[nodiscard]] ElementQuery element_query(const Arguments& arguments);

struct FoundElement {
  const Node* node = nullptr;  ///< In the tree that was searched; never null.
  std::string selector;        ///< Canonical form of what was asked, or the path of the element.
  std::size_t matches = 1;     ///< Elements that the selector fits; the first one is taken.
  /// Empty: it is the very element. Else how its successor was found: "path", "role_and_name".
  std::string rematched;
};

/// BadRequest when nothing is named or the selector cannot be read, SnapshotExpired for a token
/// that is not known any more, ElementNotFound when the element is gone or when several could be
/// its successor (then the context lists them as `candidates`).
[[nodiscard]] Outcome<FoundElement> resolve_element(const Trees& trees, const std::string& uid,
                                                    const Tree& fresh, const ElementQuery& query);

/// The same element in another capture: by the adapter's own reference, else by id, role and name.
/// nullptr: it is gone.
[[nodiscard]] const Node* same_element(const Tree& tree, const Node& element);

}  // namespace gantry::observation
