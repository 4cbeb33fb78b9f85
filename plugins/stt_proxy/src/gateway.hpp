// SPDX-License-Identifier: Apache-2.0
#pragma once
// The transcription WebSocket, spoken as its client. Pure: no clock, no I/O.

#include <gantry/speech/remote_session.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace gantry::stt_proxy {

/// Ends of utterances have no numbers: that of an earlier one may be under way when a flush is
/// asked for. The last one is that after which nothing more is heard for so long.
inline constexpr Duration kSettled = std::chrono::milliseconds(500);

class Gateway final : public speech::Dialect {
 public:
  /// `token`, which the gateway was given, is not told to others.
  explicit Gateway(std::string language, std::string token = {})
      : language_(std::move(language)), token_(std::move(token)) {}

  void opened(speech::RemoteOut& out) override;
  void sound(std::span<const std::int16_t> samples, std::int32_t rate,
             speech::RemoteOut& out) override;
  void hints(const SpeechHints& hints, speech::RemoteOut& out) override;
  void reset(speech::RemoteOut& out) override;
  void flush(speech::RemoteOut& out) override;
  void hear(const http::WebSocket::Message& message, speech::RemoteOut& out) override;

 private:
  std::string language_;
  std::string token_;
  std::int32_t rate_ = 16000;
  bool spoken_ = false;   // whether there was any sound, ever or since a reset
  bool sounded_ = false;  // since the last end of an utterance
  bool flushing_ = false;
};

}  // namespace gantry::stt_proxy
