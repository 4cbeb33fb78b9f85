// SPDX-License-Identifier: Apache-2.0
//
// A plugin that serves gantry.voice.*: what all of them do, whatever their engine. Strand only.
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/plugin.hpp>
#include <gantry/voice/say_server.hpp>

namespace gantry::voice {

class VoicePlugin : public Plugin, protected Engine {
 public:
  using Plugin::Plugin;
  Result<void> init() override {
    GANTRY_TRY(reconfigure());
    return server_.serve();
  }
  Result<void> reconfigure() override {
    GANTRY_ASSIGN(const SayLimits limits, configure());
    server_.configure(limits);
    probe();
    return {};
  }
  void stop(Deadline deadline) override { server_.stop(deadline); }

 protected:
  /// Reads the configuration anew.
  virtual Result<SayLimits> configure() = 0;
  /// Tells health and suitability.
  virtual void probe() = 0;

 private:
  SayServer server_{host(), *this};
};

}  // namespace gantry::voice
