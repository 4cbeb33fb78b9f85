// SPDX-License-Identifier: Apache-2.0
//
// What is known of a picture: elements of a tree, shapes and texts, each thing once.
#pragma once

#include <gantry/contracts/vision.hpp>

#include <string>
#include <vector>

namespace gantry::vision_ground {

struct Thing {
  Rect box;
  std::string kind;        // "control", "icon", "text", "region"
  std::string role;        // may be empty
  std::string text;        // as it stands on it
  std::string plain_text;  // for comparing
  std::string label;       // plain; of a text beside it, when that is its name
  double certain = 1;
  std::string source;  // "a11y+vision+ocr"
  std::string colour;  // VisionColour::name, when it was asked for
};

/// A line of words, parted where the gap is wider than between words.
[[nodiscard]] std::vector<VisualElement> lines_of(const std::vector<OcrWord>& words);

/// Elements that are the same thing become one; controls take the text on them and the label beside
/// them. Pure.
[[nodiscard]] std::vector<Thing> gather(const std::vector<VisualElement>& known,
                                        const std::vector<VisualElement>& seen,
                                        const std::vector<OcrWord>& words);

}  // namespace gantry::vision_ground
