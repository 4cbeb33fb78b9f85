// SPDX-License-Identifier: Apache-2.0
#pragma once
// Windows put into words by whatever describes pictures here: a vision model, or rules. The picture
// may leave this machine, so nothing is in it that trees hide; what comes back is a text about a
// screen that anybody may have written, and is redacted and marked as other texts of the screen.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine.hpp"
#include "ocr.hpp"

namespace gantry::observation {

/// Keeps what the kernel said of the plugins that read and describe pictures.
void note_senses(Engine& engine, const Answer<PluginInfoList>& plugins);
/// Whether pictures can be described now, and what is missing if not. Asks the kernel.
Task<ObserverSense> vlm_now(Engine& engine);

struct DescribeWish {
  WindowInfo window;
  std::shared_ptr<const Tree> tree;   ///< Of the window, as clients see it.
  std::optional<Rect> area;           ///< Only this part, screen pixels.
  std::optional<OcrReading> reading;  ///< Of the window, as clients see it.
  std::int32_t max_chars = 0;         ///< 0: the provider's own limit.
};

struct PictureWords {
  std::string text;
  std::string route;       ///< What wrote it: "rules", or the model's name.
  bool truncated = false;  ///< By the provider.
};

/// Asks the guard, sends the picture, and charges the call with the tokens that were counted. Ends
/// a little before the call has to, so that an answer without it is still in time. Fails like a
/// screenshot, like the guard and like the provider.
Task<Outcome<PictureWords>> describe_window(Engine& engine, const ToolCall& call,
                                            DescribeWish wish);

/// The elements of the tree that the picture shows, in its pixels; hidden ones are left out. Pure.
[[nodiscard]] std::vector<VisualElement> elements_in(const Node& root, const Crop& picture);

}  // namespace gantry::observation
