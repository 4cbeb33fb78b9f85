// SPDX-License-Identifier: Apache-2.0
#pragma once
// One WebSocket: sound in, words out. Strand only.

#include <gantry/contracts/http.hpp>
#include <gantry/contracts/speech.hpp>
#include <gantry/host.hpp>
#include <gantry/stream.hpp>
#include <gantry/ws_outbox.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "server.hpp"

namespace gantry::transcription_ws {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server& server, std::uint64_t number, const WsOpening& opening,
             Stream<WsMessage> down);

  StreamHandlers<WsMessage> open();
  void shut_down();

 private:
  enum class State : std::uint8_t { Verifying, Open, Closing, Closed };

  // The client's side.
  void verify();
  void welcome();
  void on_frame(const Ref<WsMessage>& frame);
  void on_audio(const Ref<WsMessage>& frame);
  void hear(const Buffer& sound, std::int32_t rate);
  void on_text(std::string_view text);
  void on_client_closing();
  void on_end();
  void close(std::uint16_t code, std::string_view reason);

  // The recogniser's side.
  void connect();
  void disconnect();
  void on_event(const SpeechEvent& event);
  void on_speech_end(std::uint64_t generation, const Error& end);
  void put(SpeechInput input);
  void drain();
  void put_kind(SpeechInputKind kind);

  void wait_for_sound();
  [[nodiscard]] Host& host() const { return server_.host(); }

  Server& server_;
  const std::uint64_t number_;
  const HttpRequest request_;
  Stream<WsMessage> down_;
  WsOutbox outbox_;
  State state_ = State::Verifying;

  Stream<SpeechInput> speech_;
  std::uint64_t generation_ = 0;  // of the recogniser's sessions
  std::deque<Ref<SpeechInput>> waiting_;
  std::uint32_t owed_ = 0;  // frames whose credit is held back
  std::string language_;
  std::string half_;  // an odd byte at the passing rate
  std::int64_t last_sound_ns_ = 0;
  bool flushed_ = true;  // nothing was sent since the last flush
  Timer sound_timer_;
};

}  // namespace gantry::transcription_ws
