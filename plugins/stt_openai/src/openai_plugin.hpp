// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/plugin.hpp>
#include <gantry/speech/remote_session.hpp>
#include <gantry/speech/service.hpp>

#include "settings.hpp"

namespace gantry::stt_openai {

/// Serves gantry.speech.recognise/1 and gantry.speech.transcribe/1.
class OpenAiPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override { return {}; }
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  [[nodiscard]] Result<void> check_key() const;
  [[nodiscard]] Result<StreamHandlers<SpeechInput>> open(const SpeechOpening& opening,
                                                         Stream<SpeechEvent> down);
  [[nodiscard]] speech::RemotePlan plan() const;

  Settings settings_;
  speech::Service service_{host()};
  speech::RemoteSessions sessions_{host()};
};

}  // namespace gantry::stt_openai
