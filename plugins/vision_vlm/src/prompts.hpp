// SPDX-License-Identifier: Apache-2.0
//
// What the model is asked. Pure.
#pragma once

#include <gantry/contracts/vision.hpp>

#include <string>
#include <string_view>

#include "answer.hpp"
#include "settings.hpp"

namespace gantry::vision_vlm {

std::string locate_prompt(std::string_view description, SentSize sent, Unit unit,
                          std::int32_t most);
/// A description in one request.
std::string describe_prompt(const Settings& settings, std::string_view question,
                            std::string_view known);
/// One pass of several; `before` is what the earlier ones wrote.
enum class Pass : std::uint8_t { Scene, Controls, Actions, Check };
std::string pass_prompt(Pass pass, std::string_view question, std::string_view known,
                        std::string_view before);

/// What is known of the picture already, at most `most` characters.
std::string known_text(const VisionDescribeRequest& request, std::int32_t most);

}  // namespace gantry::vision_vlm
