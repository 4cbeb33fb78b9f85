// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a call may wish of a picture's file, and what the answer tells of its scale.

#include "picture_file.hpp"
#include "tools.hpp"

namespace gantry::observation {

/// BadRequest for numbers out of range.
[[nodiscard]] Outcome<PictureWish> picture_wish(const Arguments& arguments);
/// Adds `scale`, {x, y}: screen pixels for a pixel of the picture, and `coordinates`, the same as a
/// sentence about the arguments of tools that act. `shown` is what the picture shows, screen
/// pixels.
void add_scale(JsonObject& out, const Rect& shown, std::int32_t width, std::int32_t height);

// Parameters that go with it.
inline constexpr Parameter kMaxEdge{"max_edge", ParameterType::Integer,
                                    "Scale so that the longer edge has at most so many pixels; the "
                                    "answer tells the scale. 0: as it "
                                    "is."};
inline constexpr Parameter kMaxImageBytes{"max_image_bytes", ParameterType::Integer,
                                          "Most bytes of the picture's file, from 1000: what is "
                                          "longer is encoded with less quality, then "
                                          "made smaller. 0: any number."};
inline constexpr Parameter kImageFormat{.name = "image_format",
                                        .type = ParameterType::String,
                                        .doc = "png, jpeg, or auto: the smaller of the two.",
                                        .values = "png|jpeg|auto"};

}  // namespace gantry::observation
