// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/window.hpp>
#include <gantry/plugin.hpp>
#include <gantry/speech/service.hpp>

#include <cstdint>
#include <string>
#include <vector>

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
  /// What is on the screen now, without waiting for anybody; one look at a time.
  void look_at_screen();
  void look_at_elements(const WindowList& windows);
  void take_elements(const A11yTree& tree);
  void tell_service();

  /// The elements of one window, as the tree of `sequence` has them.
  struct Elements {
    std::string window;
    std::uint64_t sequence = 0;
    std::vector<std::string> names;
  };

  Settings settings_;
  std::vector<std::string> titles_;
  Elements elements_;
  bool looking_ = false;
  speech::Service service_{host()};
};

}  // namespace gantry::stt_pocketsphinx
