// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/voice/voice_plugin.hpp>

#include <memory>
#include <string>

#include "settings.hpp"

namespace gantry::tts_flite {

/// Serves gantry.voice.say/1 and gantry.voice.voices/1. The work is done in the blocking pool.
class FlitePlugin final : public voice::VoicePlugin {
 public:
  using VoicePlugin::VoicePlugin;

 private:
  Result<voice::SayLimits> configure() override;
  void probe() override;
  Result<std::string> voice(const std::string& asked) override;
  VoiceList voices() override;
  void speak(std::shared_ptr<voice::Utterance> utterance) override;
  void release() override;

  Settings settings_;
};

}  // namespace gantry::tts_flite
