// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is said on one socket for one message of its client: text in as it is written, audio-chunk
// frames out. They belong to no turn's numbered events, because sound is made once and cannot be
// sent again. Strand only.

#include <gantry/contracts/session.hpp>
#include <gantry/contracts/voice.hpp>
#include <gantry/host.hpp>
#include <gantry/stream.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::agent_ws {

class SpokenAnswer : public std::enable_shared_from_this<SpokenAnswer> {
 public:
  struct Sinks {
    /// Sends a payload as a frame of this message.
    std::function<void(std::string_view type, const std::string& payload)> send;
    std::function<bool()> has_room;
    /// All was said, or nothing more will be; the error is empty unless speech has failed.
    std::function<void(const std::optional<Error>& failure)> over;
  };

  SpokenAnswer(Host& host, Sinks sinks) : host_(host), sinks_(std::move(sinks)) {}

  /// Says the text of a turn as its events come.
  void take(const SessionEvent& event);
  void say(std::string_view text) { push(text, false, false); }
  /// Nothing more comes.
  void end() { push({}, false, true); }
  /// Falls silent at once; over() is not called.
  void stop();
  /// The client has taken frames.
  void on_room();
  /// Whether all of the text is known.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  void push(std::string_view text, bool flush, bool is_end);
  void open();
  void hand_over();
  void on_chunk(const VoiceChunk& chunk);
  void finish(const std::optional<Error>& failure);

  Host& host_;
  Sinks sinks_;
  Stream<VoiceText> up_;
  VoiceText waiting_;  // not yet taken by the voice
  bool opened_ = false;
  bool complete_ = false;
  bool silent_ = false;
  bool shown_ = false;      // the current answer has come in pieces
  std::uint32_t owed_ = 0;  // credit that is held back while the client reads slowly
};

}  // namespace gantry::agent_ws
