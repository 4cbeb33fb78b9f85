// SPDX-License-Identifier: Apache-2.0
//
// Points and boxes in what vision models write: JSON in many forms, tags and pairs in brackets, in
// pixels, percents, thousandths or fractions. Pure; the text is anybody's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::vision_vlm {

enum class Unit : std::uint8_t { Auto, Pixels, Thousandths, Fractions };

/// "auto", "pixels", "thousandths", "fractions".
Unit unit_named(std::string_view name);

struct Target {
  double x = 0;  // pixels of the picture that was sent
  double y = 0;
  double width = 0;  // of a box around the point; 0: a point only
  double height = 0;
  double confidence = -1;  // as the model says; negative: it says nothing
  std::string label;
};

struct SentSize {
  std::int32_t width = 0;
  std::int32_t height = 0;
};

/// What the text names, in its order, at most 100; empty when it says that nothing is there, or
/// nothing that can be read. Targets that lie outside of the picture are left out.
std::vector<Target> targets_in(std::string_view text, SentSize sent, Unit unit);

}  // namespace gantry::vision_vlm
