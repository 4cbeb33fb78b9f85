// SPDX-License-Identifier: Apache-2.0
#pragma once
// Frames on their way to one client: sent while it reads, kept in order while it does not. Pieces
// of one text that wait are joined; nothing is dropped. Strand only.

#include <gantry/contracts/http.hpp>
#include <gantry/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace gantry::gateway {

/// A frame; or a piece of a text, which may grow until it is sent.
struct Outgoing {
  std::string frame;     // when it is no piece
  std::string join;      // not empty: joins what waits under the same name
  std::string event;     // of a piece: name of the event
  std::string envelope;  // of a piece: members of its payload but for the text, as JSON
  bool nested = false;   // the text is payload.payload.content, else payload.content
  std::string text;
  std::optional<std::uint64_t> seq;
  std::string run;  // whose pieces end here: what comes after it joins nothing before it
};

/// The frame's text.
std::string rendered(const Outgoing& item);

/// What may wait for one client.
struct OutboxLimits {
  std::size_t frames = 0;
  std::size_t bytes = 0;
};

class Outbox {
 public:
  using Send = std::function<bool(std::string frame)>;  // false: no room, it has to wait

  explicit Outbox(const OutboxLimits& most) : most_(most) {}

  /// Sends or keeps. False: more waits than may wait, the client has to be given up.
  bool put(Outgoing item, const Send& send);
  /// There is room again.
  void flush(const Send& send);
  /// Calls back when nothing waits any more; at once when that is so.
  void when_drained(std::function<void()> done);
  /// Forgets what waits, and calls back whoever waits for it: the client has gone.
  void drop();
  [[nodiscard]] std::size_t size() const { return waiting_ ? waiting_->items.size() : 0; }

 private:
  struct Waiting {
    std::deque<Outgoing> items;
    std::uint64_t gone = 0;                                // items that were in front of these
    std::unordered_map<std::string, std::uint64_t> joins;  // name → number of the waiting piece
    std::size_t bytes = 0;
    std::vector<std::function<void()>> drained;
  };

  std::unique_ptr<Waiting> waiting_;  // none while nothing waits: most connections are idle
  const OutboxLimits& most_;          // of all clients
};

}  // namespace gantry::gateway
