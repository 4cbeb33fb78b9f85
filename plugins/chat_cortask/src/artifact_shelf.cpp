// SPDX-License-Identifier: Apache-2.0
#include "artifact_shelf.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gantry::chat_cortask {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::size_t kMostArtifacts = 200;
constexpr std::size_t kMostBytes = 32U << 20;

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kTypes{{
    {"html", "text/html"},
    {"csv", "text/csv"},
    {"json", "application/json"},
    {"svg", "image/svg+xml"},
    {"text", "text/plain"},
}};

}  // namespace

std::string artifact_mime(const std::string& type) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&type](const auto& row) { return row.first == type; });
  return found == kTypes.end() ? std::string() : std::string(found->second);
}

void ArtifactShelf::put(MadeArtifact made) {
  bytes_ += made.content.size();
  rows_.push_back(std::move(made));
  while (rows_.size() > kMostArtifacts || (rows_.size() > 1 && bytes_ > kMostBytes)) {
    bytes_ -= rows_.front().content.size();
    rows_.pop_front();
  }
}

void ArtifactShelf::drop_old(std::int64_t now_ms) {
  while (!rows_.empty() && rows_.front().created_ms + kDayMs <= now_ms) {
    bytes_ -= rows_.front().content.size();
    rows_.pop_front();
  }
}

const MadeArtifact* ArtifactShelf::find(const std::string& id, std::int64_t now_ms) {
  drop_old(now_ms);
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [&id](const MadeArtifact& row) { return row.id == id; });
  return found == rows_.end() ? nullptr : &*found;
}

const std::deque<MadeArtifact>& ArtifactShelf::all(std::int64_t now_ms) {
  drop_old(now_ms);
  return rows_;
}

}  // namespace gantry::chat_cortask
