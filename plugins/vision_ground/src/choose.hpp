// SPDX-License-Identifier: Apache-2.0
//
// Which of the things a phrase means.
#pragma once

#include <gantry/contracts/vision.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <vector>

#include "knowledge.hpp"
#include "phrase.hpp"

namespace gantry::vision_ground {

struct Wanted {
  Rect area;  // of the picture that was looked at
  double min_confidence = 0.45;
  std::int32_t max_results = 5;
  bool unique = false;
};

/// The best first, at least one. Errors as gantry.vision.locate/1 has them: not_found,
/// failed_precondition (ambiguous). Pure.
Result<std::vector<VisionMatch>> choose(const Phrase& phrase, const std::vector<Thing>& things,
                                        const Wanted& wanted);

}  // namespace gantry::vision_ground
