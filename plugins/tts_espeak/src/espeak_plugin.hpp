// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/plugin.hpp>
#include <gantry/voice/say_server.hpp>

#include <memory>
#include <string>
#include <string_view>

#include "settings.hpp"

namespace gantry::tts_espeak {

/// Whether espeak-ng may be given this as a voice: letters, digits, and - + _ within.
[[nodiscard]] bool is_voice(std::string_view name);

/// Serves speech output. Each sentence is a run of the program, in the blocking pool.
class EspeakPlugin final : public Plugin, private voice::Engine {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override { server_.stop(deadline); }

 private:
  Result<std::string> voice(const std::string& asked) override;
  VoiceList voices() override;
  void speak(std::shared_ptr<voice::Utterance> utterance) override;
  void probe();

  Settings settings_;
  voice::SayServer server_{host(), *this};
};

}  // namespace gantry::tts_espeak
