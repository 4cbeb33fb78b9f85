// SPDX-License-Identifier: Apache-2.0
#pragma once
// One utterance after the other, each uploaded as a WAVE file to /audio/transcriptions.

#include <gantry/host.hpp>
#include <gantry/http/client.hpp>
#include <gantry/speech/recogniser.hpp>

#include <string>
#include <vector>

#include "settings.hpp"

namespace gantry::stt_openai {

/// The request of one upload.
[[nodiscard]] http::HttpRequest upload_request(const Settings& settings, const SpeechHints& hints,
                                               const Audio& audio, const std::string& boundary);
/// The text in the answer. Errors: unavailable (the key, the server), resource_exhausted (its
/// limits), invalid_argument (it takes no such request), data_loss (no such answer).
[[nodiscard]] Result<std::string> uploaded_text(int status, const std::string& body,
                                                const std::string& key);

class Upload final : public speech::Recogniser {
 public:
  Upload(Host& host, Settings settings) : host_(host), settings_(std::move(settings)) {}

  [[nodiscard]] std::int32_t rate() const override { return 16000; }
  [[nodiscard]] std::string route() const override;
  [[nodiscard]] Result<void> prepare(const SpeechHints& hints) override;
  [[nodiscard]] Result<void> begin() override;
  [[nodiscard]] Result<void> sound(std::span<const std::int16_t> samples) override;
  [[nodiscard]] std::string text() override { return {}; }
  [[nodiscard]] Result<speech::Hypothesis> end() override;
  void drop() override { samples_.clear(); }

 private:
  Host& host_;
  Settings settings_;
  SpeechHints hints_;
  std::vector<std::int16_t> samples_;
};

}  // namespace gantry::stt_openai
