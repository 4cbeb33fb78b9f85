// SPDX-License-Identifier: Apache-2.0
#include "crops.hpp"

#include <fmt/format.h>

#include <array>

#include "elements.hpp"
#include "image_scale.hpp"
#include "occlusion.hpp"

namespace gantry::observation {
namespace {

constexpr std::int64_t kMaxPadding = 10'000;
/// Far beyond any desktop, and sums of it fit into the 32 bits of a rectangle.
constexpr std::int64_t kFarthest = 1'000'000;

Outcome<Rect> bbox_of(const Arguments& arguments) {
  const Outcome<Arguments> box = arguments.object("bbox");
  if (!box.ok()) return box.failure();
  Rect out;
  const std::array<std::pair<std::string_view, std::int32_t*>, 4> parts{
      {{"x", &out.x}, {"y", &out.y}, {"width", &out.width}, {"height", &out.height}}};
  for (const auto& [name, part] : parts) {
    const auto number = box->integer(name);
    if (!number.ok()) {
      return failure(Fault::BadRequest, "bbox." + number.failure().message);
    }
    if (!number->has_value()) {
      return failure(Fault::BadRequest,
                     fmt::format("bbox.{} is missing; it needs x, y, width and height", name));
    }
    if (**number < -kFarthest || **number > kFarthest) {
      return failure(Fault::BadRequest, fmt::format("bbox.{} must be from {} to {}, found {}", name,
                                                    -kFarthest, kFarthest, **number));
    }
    *part = static_cast<std::int32_t>(**number);
  }
  return out;
}

Outcome<std::int32_t> padding_of(const Arguments& arguments) {
  const auto number = arguments.integer("padding_px");
  if (!number.ok()) return number.failure();
  const std::int64_t padding = number->value_or(0);
  if (padding < 0 || padding > kMaxPadding) {
    return failure(Fault::BadRequest,
                   fmt::format("padding_px must be from 0 to {}, found {}", kMaxPadding, padding));
  }
  return static_cast<std::int32_t>(padding);
}

/// Bounds of the element that is meant, as it is now.
Task<Outcome<Rect>> element_bounds(Engine& engine, const WindowInfo& window,
                                   const ElementQuery& query) {
  const Outcome<TreeCapture> capture = co_await engine.trees.get(window, Freshness::Fresh);
  if (!capture.ok()) co_return capture.failure();
  const Outcome<FoundElement> found =
      resolve_element(engine.trees, window.uid, *capture->tree, query);
  if (!found.ok()) co_return found.failure();
  co_return found->node->bounds;
}

/// Coordinates that fit into a rectangle of 32 bits with room for the padding: adapters report
/// sentinels far away, and a part that far is nowhere anyway.
bool is_near(const Rect& r) {
  return r.x >= -kFarthest && r.y >= -kFarthest && right_of(r) <= 2 * kFarthest &&
         bottom_of(r) <= 2 * kFarthest;
}

}  // namespace

bool crops_to_element(const Arguments& arguments) { return element_query(arguments).given(); }

Task<Outcome<CropWish>> crop_wish(Engine& engine, const ToolCall& call,
                                  const std::optional<ChosenWindow>& window) {
  const Outcome<std::int32_t> padding = padding_of(call.arguments);
  if (!padding.ok()) co_return padding.failure();
  const ElementQuery query = element_query(call.arguments);
  const bool boxed = call.arguments.is_object("bbox");
  if (boxed && query.given()) {
    co_return failure(Fault::BadRequest, "give bbox or an element, not both");
  }
  CropWish wish;
  if (!boxed && !query.given()) co_return wish;
  Rect bounds;
  if (boxed) {
    const Outcome<Rect> box = bbox_of(call.arguments);
    if (!box.ok()) co_return box.failure();
    bounds = *box;
  } else {
    const Outcome<Rect> found = co_await element_bounds(engine, window.value().info, query);
    if (!found.ok()) co_return found.failure();
    bounds = *found;
  }
  if (bounds.empty() || !is_near(bounds)) {
    wish.warning = "what is asked for has no size on the screen; the picture is whole";
    co_return wish;
  }
  const std::int32_t around = *padding;
  wish.area = Rect{bounds.x - around, bounds.y - around, bounds.width + 2 * around,
                   bounds.height + 2 * around};
  co_return wish;
}

Task<Outcome<Ref<Capture>>> take_picture(Engine& engine, CaptureRequest request) {
  const Answer<Capture> capture = co_await engine.desktop.capture(std::move(request));
  if (capture.ok()) co_return *capture;
  Failure why = failure_from(capture.error());
  why.message = "Screenshot capture failed: " + why.message;
  co_return why;
}

Crop crop(const Capture& capture, const CropWish& wish) {
  Crop out{capture.image, capture.area, std::nullopt, wish.warning};
  if (!wish.area) return out;
  const Rect part = intersection(*wish.area, capture.area);
  if (part.empty()) {
    out.warning = "the picture shows nothing of what is asked for; it is whole";
    return out;
  }
  out.image = part_of(capture, part);
  out.area = part;
  out.source_bbox = Rect{part.x - capture.area.x, part.y - capture.area.y, part.width, part.height};
  return out;
}

}  // namespace gantry::observation
