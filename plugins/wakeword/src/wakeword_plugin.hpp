// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/plugin.hpp>

#include <cstdint>
#include <map>
#include <memory>

#include "listener.hpp"
#include "settings.hpp"

namespace gantry::wakeword {

/// Serves gantry.wakeword.listen/1 and gantry.wakeword.find/1. Sound is looked at in the blocking
/// pool.
class WakewordPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 private:
  Result<StreamHandlers<WakewordAudio>> open(const WakewordListenRequest& request,
                                             Stream<WakewordSpotted> down);
  void find(const Ref<WakewordFindRequest>& request, Reply<WakewordFind> reply);
  [[nodiscard]] Places where() const {
    return places(settings_.model_folder, settings_.dictionary);
  }
  void probe();

  Settings settings_;
  std::map<std::uint64_t, std::shared_ptr<Listener>> listeners_;
  std::uint64_t last_number_ = 0;
  bool stopping_ = false;
  std::shared_ptr<Working> working_ = std::make_shared<Working>();
};

}  // namespace gantry::wakeword
