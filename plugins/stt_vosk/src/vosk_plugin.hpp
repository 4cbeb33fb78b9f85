// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/plugin.hpp>
#include <gantry/speech/service.hpp>

#include <memory>

#include "settings.hpp"
#include "vosk_engine.hpp"

namespace gantry::stt_vosk {

/// Serves gantry.speech.recognise/1 and gantry.speech.transcribe/1.
class VoskPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override { return {}; }
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override { service_.stop(deadline); }

 private:
  void probe();

  Settings settings_;
  std::shared_ptr<ModelShelf> shelf_ = std::make_shared<ModelShelf>();
  speech::Service service_{host()};
};

}  // namespace gantry::stt_vosk
