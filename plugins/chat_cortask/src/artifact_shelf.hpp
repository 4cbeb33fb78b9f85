// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the model has made for the page to show, for a day. Strand only.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace gantry::chat_cortask {

struct MadeArtifact {
  std::string id;
  std::string type;  // html, csv, json, svg, text
  std::string title;
  std::string content;
  std::string mime_type;
  std::int64_t created_ms = 0;
};

/// Empty: this is no type of an artifact.
[[nodiscard]] std::string artifact_mime(const std::string& type);

class ArtifactShelf {
 public:
  /// The oldest go when there are too many or they are too large.
  void put(MadeArtifact made);
  /// nullptr: there is none, or it is older than a day.
  [[nodiscard]] const MadeArtifact* find(const std::string& id, std::int64_t now_ms);
  [[nodiscard]] const std::deque<MadeArtifact>& all(std::int64_t now_ms);

 private:
  void drop_old(std::int64_t now_ms);

  std::deque<MadeArtifact> rows_;  // oldest first
  std::size_t bytes_ = 0;
};

}  // namespace gantry::chat_cortask
