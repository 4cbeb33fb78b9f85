// SPDX-License-Identifier: Apache-2.0
//
// Picture files on their way to the plugins that look at pixels.
#pragma once

#include <gantry/contracts/picture.hpp>
#include <gantry/errand.hpp>
#include <gantry/host.hpp>
#include <gantry/plugin.hpp>
#include <gantry/task.hpp>

#include "pixel_budget.hpp"
#include "settings.hpp"

namespace gantry::perception {

class PerceptionPlugin final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override;
  Result<void> reconfigure() override;

 private:
  Task<Result<OpenedPicture>> open(Buffer file);
  Task<Result<FittedPicture>> fit(Ref<PictureFitRequest> request);
  Task<Result<PictureTextRows>> read(Ref<PictureTextRequest> request, ErrandPtr errand);
  Task<Result<PictureTargets>> locate(Ref<PictureLocateRequest> request, ErrandPtr errand);
  /// Runs what answers a call, unless too many are under way. The errand is given up with the call.
  template <class C>
  void run(Reply<C> reply, const ErrandPtr& errand, Task<Result<typename C::Response>> task);

  Settings settings_;
  PixelBudget budget_;
  RunningTasks running_;  // last: what it still holds at the end refers to the rest
};

}  // namespace gantry::perception
