// SPDX-License-Identifier: Apache-2.0
// What vision models write: every place that is read out of it lies in the picture.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "answer.hpp"

using namespace gantry::vision_vlm;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Unit unit : {Unit::Auto, Unit::Pixels, Unit::Thousandths, Unit::Fractions}) {
    for (const Target& target : targets_in(text, {640, 480}, unit)) {
      const bool inside = target.x >= 0 && target.x <= 640 && target.y >= 0 && target.y <= 480;
      if (!inside || !std::isfinite(target.width) || !std::isfinite(target.height)) std::abort();
    }
  }
  return 0;
}
