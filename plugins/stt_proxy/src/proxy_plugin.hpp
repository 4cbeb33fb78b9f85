// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/plugin.hpp>
#include <gantry/speech/remote_session.hpp>

#include <cstdint>
#include <map>
#include <memory>

#include "settings.hpp"

namespace gantry::stt_proxy {

/// Serves gantry.speech.recognise/1.
class ProxyPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override { return {}; }
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  [[nodiscard]] Result<StreamHandlers<SpeechInput>> open(const SpeechOpening& opening,
                                                         Stream<SpeechEvent> down);

  Settings settings_;
  std::map<std::uint64_t, std::shared_ptr<speech::RemoteSession>> sessions_;
  std::uint64_t last_ = 0;
};

}  // namespace gantry::stt_proxy
