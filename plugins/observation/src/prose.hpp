// SPDX-License-Identifier: Apache-2.0
#pragma once
// The window as prose for a language model (observer contract 2.6).

#include <string>
#include <string_view>

#include "tree.hpp"

namespace gantry::observation {

/// What the head of the prose says about the window.
struct ProseWindow {
  std::string_view process;
  std::string_view title;
  Rect bounds;
};

/// Head lines, the tree indented by level with the root at level 1, and the count line.
[[nodiscard]] std::string describe_tree(const ProseWindow& window, const Node& root);

struct CutText {
  std::string text;
  bool truncated = false;
};

/// Cuts to `max_tokens` times four characters, with "… [truncated]" after the cut. Zero or less
/// means no limit.
[[nodiscard]] CutText cut_to_tokens(std::string text, long max_tokens);

}  // namespace gantry::observation
