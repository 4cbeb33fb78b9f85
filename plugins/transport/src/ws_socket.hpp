// SPDX-License-Identifier: Apache-2.0
#pragma once

// The handle of one WebSocket and what it shares with its connection.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "handler.hpp"
#include "mailbox.hpp"
#include "server_core.hpp"
#include "writer.hpp"
#include "ws_handshake.hpp"

namespace gantry::transport {

/// What only the handshake needs.
struct WsHandshake {
  RequestPtr request;
  WsOffer offer;
};

/// Shared by the handle and the connection.
struct WsState {
  enum class Phase : uint8_t { kOpening, kOpen, kClosed };

  std::shared_ptr<Writer> writer;
  std::shared_ptr<Mailbox> mailbox;
  std::shared_ptr<Counters> counters;  ///< a handle may outlive the server
  ChannelId channel = 0;
  std::optional<DeflateParams> deflate;  ///< as agreed
  std::atomic<Phase> phase{Phase::kOpening};
  std::atomic<bool> answered{false};
  std::atomic<uint32_t> outstanding{0};  ///< messages handed over and not yet consumed
  std::atomic<size_t> outstanding_bytes{0};
  std::atomic<bool> paused{false};  ///< the connection waits for consumed()
  uint32_t credit = 0;
  size_t message_limit = 0;
  int64_t close_answer_ms = 0;
  bool limited = true;  ///< SendBound::kQueueLimit
  int deflate_level = 1;
  size_t deflate_min_bytes = 0;
  std::mutex mutex;                        ///< for what follows
  std::unique_ptr<WsHandshake> handshake;  ///< until it is answered
  std::shared_ptr<WsSink> sink;            ///< from accept() until the connection is closed
  bool gone = false;                       ///< the connection ended before the handshake did
  /// With context takeover, where compressing and sending are one; made with the first message.
  std::unique_ptr<std::string> dictionary;

  /// With `share` 1: nothing more may be handed over. With 2: still more than half of that.
  bool out_of_credit(uint32_t share) const {
    return outstanding * share >= credit || outstanding_bytes * share >= message_limit;
  }
  bool server_takeover() const { return deflate && deflate->server_takeover; }

  void post(CommandKind kind, uint16_t code = 0, std::unique_ptr<CommandData> data = nullptr);
  /// Nothing is sent any more but the close frame, which the first caller, whom it returns true to,
  /// sends next.
  bool enter_closed();
  void send_close(uint16_t code, std::string_view reason, bool keep_queue);
  /// Both at once.
  bool begin_close(uint16_t code, std::string_view reason, bool keep_queue);
};

WsSocketPtr make_ws_socket(std::shared_ptr<WsState> state);

}  // namespace gantry::transport
