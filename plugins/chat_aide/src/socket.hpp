// SPDX-License-Identifier: Apache-2.0
//
// One client's WebSocket. Strand only.
#pragma once

#include <gantry/contract.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/fair_share.hpp>
#include <gantry/stream.hpp>
#include <gantry/ws_outbox.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace gantry::chat_aide {

/// Frames on their way to one client, kept in order while there is no credit.
class Socket {
 public:
  /// `waiting`: of all sockets together.
  Socket(Stream<WsMessage> down, std::shared_ptr<FairBudget> waiting)
      : down_(std::move(down)), share_(std::move(waiting)) {}

  /// False: the client reads too slowly; what waits is more than 16 MiB, or more than its part of
  /// what may wait for all.
  bool send(const std::string& frame) {
    outbox_.send(down_, frame);
    return share_.set(outbox_.bytes()) && outbox_.bytes() <= kMaxWaiting;
  }
  void flush() {
    outbox_.flush(down_);
    (void)share_.set(outbox_.bytes());
  }
  void grant() { down_.grant(1); }
  void close(int code, const std::string& reason) {
    flush();
    down_.close(
        Error{Code::Cancelled, reason,
              "{\"close_code\":" + std::to_string(code) + ",\"reason\":" + to_json(reason) + "}"});
  }
  /// As the client wished.
  void end() {
    flush();
    down_.close();
  }
  void refuse(const Error& error) { down_.close(error); }
  void accept() { (void)down_.send(WsMessage{WsOpcode::Accept, {}}); }

  std::string cookie;  // SHA-256 of the cookie that it came with

 private:
  static constexpr std::size_t kMaxWaiting = 16 << 20;

  Stream<WsMessage> down_;
  FairShare share_;
  WsOutbox outbox_;
};
using SocketPtr = std::shared_ptr<Socket>;

}  // namespace gantry::chat_aide
