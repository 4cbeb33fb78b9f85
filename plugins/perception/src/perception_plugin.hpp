// SPDX-License-Identifier: Apache-2.0
//
// Picture files on their way to the plugins that look at pixels.
#pragma once

#include <gantry/contracts/picture.hpp>
#include <gantry/host.hpp>
#include <gantry/plugin.hpp>
#include <gantry/task.hpp>

#include "settings.hpp"

namespace gantry::perception {

class PerceptionPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override;
  Result<void> reconfigure() override;

 private:
  Task<Result<OpenedPicture>> open(Buffer file);
  Task<Result<PictureTextRows>> read(Ref<PictureTextRequest> request);
  Task<Result<PictureTargets>> locate(Ref<PictureLocateRequest> request);
  /// Runs what answers a call, unless too many are under way.
  template <class C>
  void run(Reply<C> reply, Task<Result<typename C::Response>> task);

  Settings settings_;
  RunningTasks running_;  // last: what it still holds at the end refers to the rest
};

}  // namespace gantry::perception
