// SPDX-License-Identifier: Apache-2.0
#include "shelf.hpp"

#include <algorithm>
#include <utility>

#include "request_state.hpp"

namespace gantry::mcp {

std::string Shelf::put(ContentBlock block, std::int64_t now_ns) {
  block.kind = ContentKind::Resource;
  block.uri = "gantry://result/" + random_id();
  const std::size_t bytes = block.text.size() + block.data.size();
  std::string uri = block.uri;
  bytes_ += bytes;
  kept_.push_back({std::move(block), now_ns + kLifetimeNs, bytes});
  while (kept_.size() > 1 && bytes_ > kMostBytes) drop_oldest();
  return uri;
}

const ContentBlock* Shelf::find(std::string_view uri, std::int64_t now_ns) {
  while (!kept_.empty() && kept_.front().expires_ns <= now_ns) drop_oldest();
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [uri](const Kept& kept) { return kept.block.uri == uri; });
  return found == kept_.end() ? nullptr : &found->block;
}

void Shelf::drop_oldest() {
  bytes_ -= kept_.front().bytes;
  kept_.pop_front();
}

}  // namespace gantry::mcp
