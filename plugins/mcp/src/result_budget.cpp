// SPDX-License-Identifier: Apache-2.0
#include "result_budget.hpp"

#include <gantry/utf8.hpp>

#include <algorithm>

#include "wire.hpp"

namespace gantry::mcp {
namespace {

/// What a block takes on the wire, about.
std::size_t size_of(const ContentBlock& block) {
  constexpr std::size_t kAround = 120;
  return block.text.size() + block.data.size() / 3 * 4 + block.uri.size() +
         block.description.size() + kAround;
}

/// A text cut before `limit` bytes, never inside of a character.
std::string cut(const std::string& text, std::size_t limit) {
  std::size_t end = std::min(limit, text.size());
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end);
}

ContentBlock link_to(const std::string& uri, const ContentBlock& kept) {
  ContentBlock link;
  link.kind = ContentKind::Link;
  link.uri = uri;
  link.name = "the whole result";
  link.description = "Kept for ten minutes. Ask for less: fewer levels, a page, one window.";
  link.media_type = kept.media_type;
  link.size = static_cast<std::int64_t>(std::max(kept.text.size(), kept.data.size()));
  return link;
}

}  // namespace

std::int64_t tokens_of(std::size_t bytes) { return static_cast<std::int64_t>(bytes * 2 / 7); }

std::size_t text_budget(const Settings& settings) {
  return static_cast<std::size_t>(std::min(settings.max_bytes, settings.max_tokens * 7 / 2));
}

ToolResult within_budget(Core& core, const Call& call, ToolResult result) {
  const std::size_t for_text = text_budget(core.settings);
  std::size_t left = static_cast<std::size_t>(core.settings.max_bytes);
  std::size_t text_left = for_text;
  // A host reads one of both: either alone must fit, and both together into the bytes.
  if (result.structured && call.revision().structured) {
    const std::size_t size = result.structured->text.size();
    if (size > for_text || 2 * size > left) {
      ContentBlock whole = text_block(result.structured->text);
      whole.media_type = "application/json";
      const std::string uri = core.shelf.put(whole, core.environment.now_ns());
      result.content.push_back(link_to(uri, whole));
      result.structured = Json(ObjectText()
                                   .add("truncated", true)
                                   .add("bytes", static_cast<std::int64_t>(size))
                                   .add("resource", uri)
                                   .text());
    } else {
      left -= size;
    }
  }
  for (ContentBlock& block : result.content) {
    const bool text = block.kind == ContentKind::Text;
    const std::size_t size = size_of(block);
    if (size <= left && (!text || block.text.size() <= text_left)) {
      left -= size;
      if (text) text_left -= block.text.size();
      continue;
    }
    if (text) {
      const std::string shown = cut(block.text, std::min(left, text_left) / 2);
      block.text = shown + "\n[cut: " + std::to_string(block.text.size()) + " bytes in all]";
      left -= std::min(left, block.text.size());
      text_left = 0;
      continue;
    }
    ContentBlock whole = block;
    block = link_to(core.shelf.put(whole, core.environment.now_ns()), whole);
    left -= std::min(left, size_of(block));
  }
  return result;
}

}  // namespace gantry::mcp
