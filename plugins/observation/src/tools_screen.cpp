// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base64.hpp"
#include "crops.hpp"
#include "image_scale.hpp"
#include "node_json.hpp"
#include "png.hpp"
#include "sketch_tool.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kFullScreen = "(full screen)";
constexpr std::int64_t kMaxWidth = 32767;

/// The primary monitor when there are several, else everything.
Task<CaptureRequest> primary_monitor(Engine& engine) {
  CaptureRequest request;
  const Answer<MonitorList> monitors = co_await engine.directory.monitors();
  if (!monitors.ok() || (*monitors)->monitors.size() < 2) co_return request;
  for (const MonitorInfo& monitor : (*monitors)->monitors) {
    if (!monitor.primary) continue;
    request.target = CaptureTarget::Monitor;
    request.monitor = monitor.index;
  }
  co_return request;
}

/// The window that the call names, if it names one; a screenshot without one shows the screen.
Task<Outcome<std::optional<ChosenWindow>>> named_window(Engine& engine, const ToolCall& call) {
  const Outcome<WindowSelector> selector = window_selector(call.arguments);
  if (!selector.ok()) co_return selector.failure();
  if (!selector->given()) co_return std::optional<ChosenWindow>();
  const Outcome<ChosenWindow> window =
      co_await engine.directory.choose(call.arguments, MissingWindow::UseFocused);
  if (!window.ok()) co_return window.failure();
  co_return std::optional<ChosenWindow>(*window);
}

void add_image(JsonObject& out, const EncodedImage& image) {
  out.add("format", "png");
  out.add("encoding", "base64");
  out.add("data", RawJson{'"' + *image.base64 + '"'});
  out.add("width", image.width);
  out.add("height", image.height);
  out.add("bounds", rect_json(image.area));
}

Task<ToolOutcome> get_screenshot(Engine& engine, const ToolCall& call) {
  const auto window = co_await named_window(engine, call);
  if (!window.ok()) co_return window.failure();
  CaptureRequest request;
  if (*window) {
    request.target = CaptureTarget::Window;
    request.handle = (*window)->info.handle;
  } else {
    request = co_await primary_monitor(engine);
  }
  const Outcome<EncodedImage> image = co_await engine.screens.shoot(std::move(request));
  if (!image.ok()) co_return image.failure();
  JsonObject out;
  out.add("window", *window ? std::string_view((*window)->info.title) : kFullScreen);
  add_image(out, *image);
  if (*window) {
    out.add("window_uid", (*window)->info.uid);
    out.add_if("warning", (*window)->warning);
  }
  co_return out;
}

Task<ToolOutcome> get_full_screenshot(Engine& engine, const ToolCall& call) {
  const auto window = co_await named_window(engine, call);
  if (!window.ok()) co_return window.failure();
  CaptureRequest everything;
  const Outcome<EncodedImage> image = co_await engine.screens.shoot(std::move(everything));
  if (!image.ok()) co_return image.failure();
  JsonObject out;
  out.add("window", *window ? std::string_view((*window)->info.title) : kFullScreen);
  out.add("screenshot_scope", "full_display");
  add_image(out, *image);
  out.add("sketch", nullptr);
  if (!*window) co_return out;

  out.add("window_uid", (*window)->info.uid);
  out.add_if("warning", (*window)->warning);
  // The picture is the answer; a window without a tree only lacks the sketch beside it.
  const Outcome<TreeCapture> capture = co_await engine.trees.get((*window)->info, Freshness::Fresh);
  if (capture.ok()) {
    const SketchOptions options = sketch_options(engine.settings.sketch, call.arguments);
    out.add("sketch", draw_sketch(capture->tree->root, (*window)->info.bounds, options).text);
  } else {
    out.add("sketch_error", capture.failure().message);
  }
  co_return out;
}

Outcome<std::int32_t> max_width_of(const Arguments& arguments) {
  const auto number = arguments.integer("max_width");
  if (!number.ok()) return number.failure();
  const std::int64_t width = number->value_or(0);
  if (width < 0 || width > kMaxWidth) {
    return failure(Fault::BadRequest,
                   fmt::format("max_width must be from 0 to {}, found {}", kMaxWidth, width));
  }
  return static_cast<std::int32_t>(width);
}

/// Cuts, shrinks and encodes where that may take its time.
Task<Outcome<EncodedImage>> encode_crop(Engine& engine, const Capture& capture,
                                        const CropWish& wish, std::int32_t max_width, Crop& cut) {
  Result<std::vector<std::uint8_t>> png = std::vector<std::uint8_t>();
  EncodedImage out;
  std::function<void()> work = [&] {
    cut = crop(capture, wish);
    cut.image = shrink(cut.image, max_width);
    png = encode_png(cut.image);
    if (png.ok()) out.base64 = std::make_shared<const std::string>(encode_base64(*png));
  };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok() || !png.ok()) {
    const Error& why = done.ok() ? png.error() : done.error();
    co_return failure(Fault::Internal, "Screenshot capture failed: " + why.message);
  }
  out.width = cut.image.width;
  out.height = cut.image.height;
  out.area = cut.area;
  co_return out;
}

/// The window that is named; an element without one is looked for in the focused window.
Task<Outcome<std::optional<ChosenWindow>>> cropped_window(Engine& engine, const ToolCall& call) {
  auto window = co_await named_window(engine, call);
  if (!window.ok() || *window || !crops_to_element(call.arguments)) co_return window;
  const Outcome<ChosenWindow> focused =
      co_await engine.directory.choose(call.arguments, MissingWindow::UseFocused);
  if (!focused.ok()) co_return focused.failure();
  co_return std::optional<ChosenWindow>(*focused);
}

Task<ToolOutcome> get_screenshot_cropped(Engine& engine, const ToolCall& call) {
  const Outcome<std::int32_t> max_width = max_width_of(call.arguments);
  if (!max_width.ok()) co_return max_width.failure();
  const auto window = co_await cropped_window(engine, call);
  if (!window.ok()) co_return window.failure();
  const Outcome<CropWish> wish = co_await crop_wish(engine, call, *window);
  if (!wish.ok()) co_return wish.failure();
  CaptureRequest request;
  if (*window) {
    request.target = CaptureTarget::Window;
    request.handle = (*window)->info.handle;
  } else if (!wish->area) {  // a rectangle may lie on any monitor
    request = co_await primary_monitor(engine);
  }
  const Outcome<Ref<Capture>> capture = co_await take_picture(engine, std::move(request));
  if (!capture.ok()) co_return capture.failure();
  Crop cut;
  const Outcome<EncodedImage> image =
      co_await encode_crop(engine, **capture, *wish, *max_width, cut);
  if (!image.ok()) co_return image.failure();
  JsonObject out;
  out.add("window", *window ? std::string_view((*window)->info.title) : kFullScreen);
  add_image(out, *image);
  if (cut.source_bbox) out.add("source_bbox", rect_json(*cut.source_bbox));
  std::string warning = cut.warning;
  if (*window) {
    out.add("window_uid", (*window)->info.uid);
    if (warning.empty()) warning = (*window)->warning;
  }
  out.add_if("warning", warning);
  co_return out;
}

constexpr Parameter kCropped[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    kCropBbox,
    kCropElement,
    kCropSelector,
    kCropToken,
    kCropPadding,
    {"max_width", ParameterType::Integer,
     "Shrink to this many pixels in width, keeping the shape. 0, the default: as it is."},
};
constexpr Parameter kScreenshot[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
};
constexpr Parameter kFullScreenshot[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    {"grid_width", ParameterType::Integer, "Columns of the sketch beside the picture."},
    {"grid_height", ParameterType::Integer, "Rows of the sketch beside the picture."},
};

constexpr Tool kScreenTools[] = {
    {"get_full_screenshot", get_full_screenshot, ToolKind::Picture, true,
     "Shoots the whole desktop as PNG, with a sketch of the window when one is named.",
     kFullScreenshot},
    {"get_screenshot", get_screenshot, ToolKind::Picture, false,
     "Shoots a window as PNG, or the primary monitor when no window is named.", kScreenshot},
    {"get_screenshot_cropped", get_screenshot_cropped, ToolKind::Picture, false,
     "Shoots an element or a rectangle as PNG, at most as wide as asked.", kCropped},
};

}  // namespace

std::span<const Tool> screen_tools() { return kScreenTools; }

}  // namespace gantry::observation
