// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/plugin.hpp>
#include <gantry/speech/remote_session.hpp>

#include "settings.hpp"

namespace gantry::stt_proxy {

/// Serves gantry.speech.recognise/1.
class ProxyPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override { return {}; }
  Result<void> reconfigure() override;
  void stop(Deadline) override { sessions_.stop(); }

 private:
  [[nodiscard]] Result<StreamHandlers<SpeechInput>> open(const SpeechOpening& opening,
                                                         Stream<SpeechEvent> down);

  Settings settings_;
  speech::RemoteSessions sessions_{host()};
};

}  // namespace gantry::stt_proxy
