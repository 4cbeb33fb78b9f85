// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/plugin.hpp>
#include <gantry/speech/service.hpp>

#include "settings.hpp"

namespace gantry::stt_pocketsphinx {

/// Serves gantry.speech.recognise/1 and gantry.speech.transcribe/1.
class SttPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  void probe();
  /// The titles of the windows that are open now, without waiting for anybody.
  void look_at_windows();

  Settings settings_;
  speech::Service service_{host()};
};

}  // namespace gantry::stt_pocketsphinx
