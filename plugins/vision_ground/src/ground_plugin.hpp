// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/vision.hpp>
#include <gantry/errand.hpp>
#include <gantry/host.hpp>
#include <gantry/plugin.hpp>
#include <gantry/task.hpp>

#include <optional>
#include <string>
#include <vector>

#include "knowledge.hpp"
#include "settings.hpp"

namespace gantry::vision_ground {

/// Asks for texts, shapes and colours, and answers from them. What one of them lacks is left out;
/// only when nothing is known the answer is `unavailable`.
class GroundPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override;
  Result<void> reconfigure() override;

 private:
  /// What a request brings along and asks for, common to both contracts.
  struct Sight {
    ErrandPtr errand;
    Image image;
    std::optional<Rect> region;
    std::vector<OcrWord> words;
    std::vector<VisualElement> elements;
    std::vector<std::string> languages;
    Rect area;
    std::vector<Thing> things;
    Error no_text;  // why the picture could not be read; unknown where it could
  };

  Task<Result<VisionLocateResult>> locate(Ref<VisionLocateRequest> request, ErrandPtr errand);
  Task<Result<VisionDescription>> describe(Ref<VisionDescribeRequest> request, ErrandPtr errand);
  /// Fills in `things`. Errors: what the picture itself is refused for.
  Task<Result<Done>> look(Sight& sight);
  Task<Result<Done>> read(Sight& sight);
  /// The colours of the things, in their order, or of the whole area.
  Task<std::vector<VisionColour>> colours(const Sight& sight, bool of_things);
  template <class C>
  void run(Reply<C> reply, const ErrandPtr& errand, Task<Result<typename C::Response>> task);

  Settings settings_;
  RunningTasks running_;  // last: what it still holds at the end refers to the rest
};

}  // namespace gantry::vision_ground
