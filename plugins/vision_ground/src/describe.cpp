// SPDX-License-Identifier: Apache-2.0
#include "describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace gantry::vision_ground {
namespace {

constexpr std::size_t kUsual = 4000;  // characters

std::string line_of(const Thing& thing) {
  std::string what = thing.kind == "text" ? "text" : thing.role.empty() ? thing.kind : thing.role;
  if (!thing.text.empty()) what += fmt::format(" \"{}\"", thing.text);
  if (!thing.label.empty()) what += fmt::format(", labelled \"{}\"", thing.label);
  return fmt::format("- {} at ({}, {})\n", what, thing.box.x + thing.box.width / 2,
                     thing.box.y + thing.box.height / 2);
}

/// Cuts at `limit` bytes, not within a letter.
void cut(std::string& text, std::size_t limit) {
  while (limit > 0 && (static_cast<std::uint8_t>(text[limit]) & 0xC0U) == 0x80U) --limit;
  text.resize(limit);
}

}  // namespace

VisionDescription description_of(const std::vector<Thing>& things, const Rect& area,
                                 const VisionColour& ground, std::int32_t max_chars) {
  std::vector<const Thing*> shown;
  std::size_t controls = 0;
  std::size_t texts = 0;
  for (const Thing& thing : things) {
    if (thing.kind == "region" && thing.text.empty()) continue;
    shown.push_back(&thing);
    ++(thing.kind == "text" ? texts : controls);
  }
  std::stable_sort(shown.begin(), shown.end(), [](const Thing* a, const Thing* b) {
    return std::pair(a->box.y, a->box.x) < std::pair(b->box.y, b->box.x);
  });
  VisionDescription out;
  out.route = "rules";
  out.text = fmt::format("A picture of {}x{} pixels", area.width, area.height);
  if (!ground.background.empty()) {
    out.text += fmt::format(", {} ({})", ground.dark ? "dark" : "light", ground.background);
  }
  out.text += fmt::format(", with {} controls or icons and {} other texts.\n", controls, texts);
  for (const Thing* thing : shown) out.text += line_of(*thing);
  const std::size_t limit = max_chars > 0 ? static_cast<std::size_t>(max_chars) : kUsual;
  if (out.text.size() > limit) {
    cut(out.text, limit);
    out.truncated = true;
  }
  return out;
}

}  // namespace gantry::vision_ground
