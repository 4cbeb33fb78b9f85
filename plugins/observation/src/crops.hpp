// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which part of a picture a call asks for: a rectangle or an element of the screen, with some
// pixels around it. Both are in screen pixels; the answer is told in those of the picture, from its
// corner (observer contract 1.4, screenshot/cropped).

#include <optional>
#include <string>

#include "engine.hpp"
#include "tools.hpp"

namespace gantry::observation {

struct CropWish {
  std::optional<Rect> area;  ///< With the padding, screen pixels; none: everything.
  std::string warning;       ///< Why there is none although one was asked for.
};

/// Whether the call names an element, which needs a window to look for it in.
[[nodiscard]] bool crops_to_element(const Arguments& arguments);

/// bbox, or element_id, selector and tree_token, and padding_px of the call. `window` is where the
/// element is looked for. BadRequest for numbers out of range and for both at once,
/// ElementNotFound, and whatever reading the tree may fail with.
Task<Outcome<CropWish>> crop_wish(Engine& engine, const ToolCall& call,
                                  const std::optional<ChosenWindow>& window);

/// The picture to cut from. Fails in the adapter's words.
Task<Outcome<Ref<Capture>>> take_picture(Engine& engine, CaptureRequest request);

struct Crop {
  Image image;
  Rect area;                        ///< What it shows, screen pixels.
  std::optional<Rect> source_bbox;  ///< The same from the corner of the whole picture, if cut.
  std::string warning;
};

/// The wished part, cut to the picture; all of it when it shows nothing of the part. Pure.
[[nodiscard]] Crop crop(const Capture& capture, const CropWish& wish);

// Parameters that go with it.
inline constexpr Parameter kCropBbox{
    "bbox", ParameterType::Object,
    "Rectangle {x, y, width, height} in screen pixels, as the bounds of elements."};
inline constexpr Parameter kCropElement{"element_id", ParameterType::String,
                                        "Show this element, by the id that a tree gave it."};
inline constexpr Parameter kCropSelector{"selector", ParameterType::String,
                                         "Show the first element that the selector matches."};
inline constexpr Parameter kCropToken{
    "tree_token", ParameterType::String,
    "The capture that element_id comes from; without it the one that was answered last."};
inline constexpr Parameter kCropPadding{
    "padding_px", ParameterType::Integer,
    "Pixels around the rectangle or element that are shown too, 0 to 10000. Default 0."};

}  // namespace gantry::observation
