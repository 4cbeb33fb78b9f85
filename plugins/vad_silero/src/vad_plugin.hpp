// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/vad.hpp>
#include <gantry/onnx/onnx.hpp>
#include <gantry/plugin.hpp>

#include <memory>
#include <set>

#include "session.hpp"
#include "settings.hpp"

namespace gantry::vad_silero {

/// Serves gantry.vad.detect/1 on a thread of its own; a second of sound takes it some 5 ms.
class VadPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  Result<StreamHandlers<VadInput>> open(const VadOpening& opening, Stream<VadEvent> down);
  std::unique_ptr<speech::VoiceDetector> make_detector(std::string& route);
  void probe();
  void tell(const Error& error);

  Settings settings_;
  std::weak_ptr<onnx::Session> model_;  // as long as a session needs it
  std::set<std::shared_ptr<Session>> sessions_;
};

}  // namespace gantry::vad_silero
