// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpenAI's realtime protocol, as far as transcription needs it. Pure: no clock, no I/O.

#include <gantry/speech/remote_session.hpp>
#include <gantry/speech/resampler.hpp>

#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "settings.hpp"

namespace gantry::stt_openai {

inline constexpr std::int32_t kRealtimeRate = 24000;

class Realtime final : public speech::Dialect {
 public:
  Realtime(Settings settings, const SpeechOpening& opening);

  void opened(speech::RemoteOut& out) override;
  void sound(std::span<const std::int16_t> samples, std::int32_t rate,
             speech::RemoteOut& out) override;
  void hints(const SpeechHints& hints, speech::RemoteOut& out) override;
  void reset(speech::RemoteOut& out) override;
  void flush(speech::RemoteOut& out) override;
  void hear(const http::WebSocket::Message& message, speech::RemoteOut& out) override;

 private:
  [[nodiscard]] std::string session_update() const;
  void append(std::span<const std::int16_t> samples, speech::RemoteOut& out);
  void completed(const std::string& item, const std::string& text, speech::RemoteOut& out);
  void forget(const std::string& item);
  [[nodiscard]] bool is_forgotten(const std::string& item) const;
  void look_whether_flushed(speech::RemoteOut& out);

  Settings settings_;
  SpeechHints hints_;
  speech::Resampler resampler_{kRealtimeRate};
  std::map<std::string, std::string> texts_;  // of items that are not complete
  std::set<std::string> awaited_;             // items that were committed and have no text yet
  std::deque<std::string> forgotten_;         // items from before a reset, the last ones
  bool ready_ = false;
  bool committing_ = false;  // for a flush
  bool flushing_ = false;
};

/// Where the WebSocket of a session is.
[[nodiscard]] std::string realtime_url(const Settings& settings);

}  // namespace gantry::stt_openai
