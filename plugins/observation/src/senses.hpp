// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text recognition and vision models, as far as the engine can use them: whether they are there,
// and what to say in their place when they are not.

#include <gantry/contracts/observe.hpp>

#include <string>

#include "settings.hpp"

namespace gantry::observation {

[[nodiscard]] ObserverSense ocr_sense(const Settings& settings);
[[nodiscard]] ObserverSense vlm_sense(const Settings& settings);

/// "[OCR unavailable: <reason>. <cure>]", the text of a section that cannot be filled.
[[nodiscard]] std::string unavailable_section(std::string_view name, const ObserverSense& sense);

}  // namespace gantry::observation
