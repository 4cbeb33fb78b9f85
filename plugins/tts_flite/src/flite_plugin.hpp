// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/plugin.hpp>
#include <gantry/voice/say_server.hpp>

#include <memory>
#include <string>

#include "settings.hpp"

namespace gantry::tts_flite {

/// Serves gantry.voice.say/1 and gantry.voice.voices/1. The work is done in the blocking pool.
class FlitePlugin final : public Plugin, private voice::Engine {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  Result<std::string> voice(const std::string& asked) override;
  VoiceList voices() override;
  void speak(std::shared_ptr<voice::Utterance> utterance) override;
  void release() override;
  void probe();

  Settings settings_;
  voice::SayServer server_{host(), *this};
};

}  // namespace gantry::tts_flite
