// SPDX-License-Identifier: Apache-2.0
// Short names for the blocks that fixtures are made of.
#pragma once

#include <gantry/contracts/content.hpp>

#include <string>
#include <utility>

namespace gantry::mcp_fixtures {

inline ContentBlock text_block(std::string text) {
  ContentBlock block;
  block.text = std::move(text);
  return block;
}

inline ContentBlock bytes_block(ContentKind kind, Buffer data, std::string media_type) {
  ContentBlock block;
  block.kind = kind;
  block.data = std::move(data);
  block.media_type = std::move(media_type);
  return block;
}

inline ContentBlock resource_block(std::string uri, std::string media_type, std::string text) {
  ContentBlock block;
  block.kind = ContentKind::Resource;
  block.uri = std::move(uri);
  block.media_type = std::move(media_type);
  block.text = std::move(text);
  return block;
}

}  // namespace gantry::mcp_fixtures
