// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the last ambiguous answer of each session offered to choose from. A candidate is good until
// the next such answer. Strand only.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::desk {

/// Something on the screen that can be acted on: an element, else a point.
struct Target {
  std::string element_id;  ///< As the observer gave it to this caller.
  std::string window_uid;
  std::int64_t x = 0, y = 0;  ///< A point of it, screen pixels.
  std::string words;          ///< For people: `Button "Save" at (10, 20)`.
  std::string method;         ///< How it was found: manual, element, text, ocr, description.
  /// What it was found in: "tree", "ocr", "vision", "vlm", or several joined by "+"; empty: it was
  /// named, not found.
  std::string source;
};

class Candidates {
 public:
  /// Keeps them for the session and gives their ids, in their order.
  std::vector<std::string> offer(const std::string& session, std::vector<Target> targets) {
    std::erase_if(offers_, [&](const Offer& one) { return one.session == session; });
    if (offers_.size() >= kMostSessions) offers_.pop_front();
    ++frame_;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < targets.size(); ++i) ids.push_back(id_of(frame_, i));
    offers_.push_back({session, frame_, std::move(targets)});
    return ids;
  }
  [[nodiscard]] std::optional<Target> find(const std::string& session, std::string_view id) const {
    for (const Offer& offer : offers_) {
      if (offer.session != session) continue;
      for (std::size_t i = 0; i < offer.targets.size(); ++i) {
        if (id_of(offer.frame, i) == id) return offer.targets[i];
      }
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kMostSessions = 256;
  struct Offer {
    std::string session;
    std::uint64_t frame;
    std::vector<Target> targets;
  };
  static std::string id_of(std::uint64_t frame, std::size_t index) {
    return "f" + std::to_string(frame) + "-" + std::to_string(index + 1);
  }

  std::deque<Offer> offers_;
  std::uint64_t frame_ = 0;
};

}  // namespace gantry::desk
