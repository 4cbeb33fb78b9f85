// SPDX-License-Identifier: Apache-2.0
#pragma once
// The transcription WebSocket, spoken as its client. Pure: no clock, no I/O.

#include <gantry/speech/remote_session.hpp>

#include <string>

namespace gantry::stt_proxy {

class Gateway final : public speech::Dialect {
 public:
  explicit Gateway(std::string language) : language_(std::move(language)) {}

  void opened(speech::RemoteOut& out) override;
  void sound(std::span<const std::int16_t> samples, std::int32_t rate,
             speech::RemoteOut& out) override;
  void hints(const SpeechHints& hints, speech::RemoteOut& out) override;
  void reset(speech::RemoteOut& out) override;
  void flush(speech::RemoteOut& out) override;
  void hear(const http::WebSocket::Message& message, speech::RemoteOut& out) override;

 private:
  std::string language_;
  std::int32_t rate_ = 16000;
  bool sounded_ = false;  // since the last end of an utterance
  bool flushing_ = false;
};

}  // namespace gantry::stt_proxy
