// SPDX-License-Identifier: Apache-2.0
#pragma once
// Frames on their way to one client: sent while there is credit, kept in order while there is none.
// Strand only.

#include <gantry/contracts/http.hpp>
#include <gantry/stream.hpp>

#include <cstddef>
#include <deque>
#include <string>

namespace gantry::agent_ws {

class Outbox {
 public:
  /// Sends or keeps; a stream that has ended drops.
  void send(Stream<WsMessage>& down, std::string frame);
  /// There is credit again.
  void flush(Stream<WsMessage>& down);
  /// Whether whoever produces frames should go on.
  [[nodiscard]] bool has_room() const {
    return frames_.size() < kManyFrames && bytes_ < kManyBytes;
  }
  [[nodiscard]] bool empty() const { return frames_.empty(); }

 private:
  static constexpr std::size_t kManyFrames = 256;
  static constexpr std::size_t kManyBytes = 1 << 20;

  /// False when it has to wait.
  bool try_send(Stream<WsMessage>& down, const Ref<WsMessage>& frame);

  std::deque<Ref<WsMessage>> frames_;
  std::size_t bytes_ = 0;
};

}  // namespace gantry::agent_ws
