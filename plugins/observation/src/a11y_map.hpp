// SPDX-License-Identifier: Apache-2.0
#pragma once
// From an adapter's flat list of accessible objects to the engine's tree.

#include <gantry/contracts/a11y.hpp>

#include "tree.hpp"

namespace gantry::observation {

/// The first node is the root; a node whose parent does not come before it is left out, so a list
/// with a cycle still ends. An empty list gives a root without role.
[[nodiscard]] Node map_tree(const A11yTree& tree);

}  // namespace gantry::observation
