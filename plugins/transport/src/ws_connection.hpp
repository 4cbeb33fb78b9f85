// SPDX-License-Identifier: Apache-2.0
#pragma once

// RFC 6455 on one channel after the handshake: messages to the sink, pings, closing. Loop thread.

#include <memory>
#include <string>
#include <string_view>

#include "channel.hpp"
#include "ws_reader.hpp"
#include "ws_socket.hpp"

namespace gantry::transport {

class WsConnection final : public Protocol, private WsReaderSink {
 public:
  WsConnection(Channel& channel, std::shared_ptr<WsState> state);
  ~WsConnection() override;

  /// `early`: bytes that came before the handshake was answered.
  void begin(std::string_view early);

  void on_bytes(std::string_view bytes) override;
  bool wants_input() const override;
  void on_peer_end() override;
  void on_half_closed() override;
  void on_broken() override;
  void on_deadline(int64_t now_ms) override;
  void on_drained() override;
  void on_command(Command& command) override;
  void on_shutdown() override;

 private:
  bool on_message(WsMessage message) override;
  void on_ping(std::string_view payload) override;
  void on_pong(std::string_view payload) override;
  void on_close(uint16_t code, std::string_view reason) override;

  void resume();
  void end_by_peer(uint16_t code, std::string_view reason);
  void fail(const WsFailure& failure);
  void tell_closed(uint16_t code, std::string_view reason, bool by_peer);
  void schedule_check();
  bool stalled(int64_t now_ms);
  const Limits& limits() const;

  Channel& channel_;
  std::shared_ptr<WsState> state_;
  std::shared_ptr<WsSink> sink_;
  // Most of ten thousand connections are idle, and then have nothing of these:
  std::unique_ptr<WsReader> reader_;     ///< only while a frame or message is under way
  std::unique_ptr<std::string> rest_;    ///< read from the socket, and held back by a pause
  std::unique_ptr<std::string> window_;  ///< the client's context, when it was agreed to keep it
  int64_t heard_ms_ = 0;
  int64_t pinged_ms_ = 0;    ///< 0: no ping is open
  int64_t progress_ms_ = 0;  ///< when something last left, or nothing waited
  bool answering_ = false;   ///< the peer's close frame went first; the handler may still send
  uint16_t peer_code_ = 0;   ///< of it
  bool leaving_ = false;     ///< the peer sends no more, and what it sent is not read just now
  bool closing_ = false;     ///< our close frame went first; the peer's is awaited
};

}  // namespace gantry::transport
