// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/voice/voice_plugin.hpp>

#include <memory>
#include <string>
#include <string_view>

#include "settings.hpp"

namespace gantry::tts_espeak {

/// Whether espeak-ng may be given this as a voice: letters, digits, and - + _ within.
[[nodiscard]] bool is_voice(std::string_view name);

/// Serves speech output. Each sentence is a run of the program, in the blocking pool.
class EspeakPlugin final : public voice::VoicePlugin {
 public:
  using VoicePlugin::VoicePlugin;

 private:
  Result<voice::SayLimits> configure() override;
  void probe() override;
  Result<std::string> voice(const std::string& asked) override;
  VoiceList voices() override;
  void speak(std::shared_ptr<voice::Utterance> utterance) override;

  Settings settings_;
};

}  // namespace gantry::tts_espeak
