// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/voice/voice_plugin.hpp>

#include <memory>
#include <string>

#include "settings.hpp"

namespace gantry::tts_openai {

/// Serves speech output. Each sentence is a request, read in the blocking pool.
class OpenAiVoicePlugin final : public voice::VoicePlugin {
 public:
  using VoicePlugin::VoicePlugin;

 private:
  Result<voice::SayLimits> configure() override;
  void probe() override;
  Result<std::string> voice(const std::string& asked) override;
  VoiceList voices() override;
  void speak(std::shared_ptr<voice::Utterance> utterance) override;
  [[nodiscard]] Result<void> ready() const;

  Settings settings_;
};

}  // namespace gantry::tts_openai
