// SPDX-License-Identifier: Apache-2.0
//
// Files that come with a message, as a model reads them.
#pragma once

#include <gantry/contracts/content.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace gantry {

/// The text between two fences of Markdown that it does not contain.
[[nodiscard]] inline std::string fenced_text(std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  std::string out = fence + "\n";
  out += text;
  if (!text.ends_with('\n')) out += '\n';
  return out + fence;
}

/// "[File: <name>]" and its text in a fence; with `truncated` that it goes on.
[[nodiscard]] inline ContentBlock attached_text(std::string_view name, std::string_view text,
                                                bool truncated = false) {
  ContentBlock block;
  block.kind = ContentKind::Text;
  block.text = "[File: ";
  block.text += name;
  block.text += "]\n" + fenced_text(text);
  if (truncated) block.text += "\n(The file goes on.)";
  return block;
}

}  // namespace gantry
