// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "crops.hpp"
#include "image_scale.hpp"
#include "node_json.hpp"
#include "picture_arguments.hpp"
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

void add_image(JsonObject& out, const EncodedImage& image, const PictureWish& wish) {
  out.add("format", image.format);
  out.add("encoding", "base64");
  out.add("data", RawJson{'"' + *image.base64 + '"'});
  out.add("width", image.width);
  out.add("height", image.height);
  out.add("bounds", rect_json(image.area));
  if (wish.given) add_scale(out, image.area, image.width, image.height);
}

Task<ToolOutcome> get_screenshot(Engine& engine, const ToolCall& call) {
  const Outcome<PictureWish> wish = picture_wish(call.arguments);
  if (!wish.ok()) co_return wish.failure();
  const auto window = co_await named_window(engine, call);
  if (!window.ok()) co_return window.failure();
  CaptureRequest request;
  if (*window) {
    request.target = CaptureTarget::Window;
    request.handle = (*window)->info.handle;
  } else {
    request = co_await primary_monitor(engine);
  }
  const Outcome<EncodedImage> image = co_await engine.screens.shoot(std::move(request), *wish);
  if (!image.ok()) co_return image.failure();
  JsonObject out;
  out.add("window", *window ? std::string_view((*window)->info.title) : kFullScreen);
  add_image(out, *image, *wish);
  if (*window) {
    out.add("window_uid", (*window)->info.uid);
    out.add_if("warning", (*window)->warning);
  }
  co_return out;
}

Task<ToolOutcome> get_full_screenshot(Engine& engine, const ToolCall& call) {
  const Outcome<PictureWish> wish = picture_wish(call.arguments);
  if (!wish.ok()) co_return wish.failure();
  const auto window = co_await named_window(engine, call);
  if (!window.ok()) co_return window.failure();
  const SketchOptions options = sketch_options(engine.settings.sketch, call.arguments);
  CaptureRequest everything;
  const Outcome<EncodedImage> image = co_await engine.screens.shoot(std::move(everything), *wish);
  if (!image.ok()) co_return image.failure();
  JsonObject out;
  out.add("window", *window ? std::string_view((*window)->info.title) : kFullScreen);
  out.add("screenshot_scope", "full_display");
  add_image(out, *image, *wish);
  out.add("sketch", nullptr);
  if (!*window) co_return out;

  out.add("window_uid", (*window)->info.uid);
  out.add_if("warning", (*window)->warning);
  // The picture is the answer; a window without a tree only lacks the sketch beside it.
  const Outcome<TreeCapture> capture = co_await engine.trees.get((*window)->info, Freshness::Fresh);
  if (capture.ok()) {
    const std::shared_ptr<const Tree> tree = capture->tree;
    const Rect reference = (*window)->info.bounds;
    const Outcome<DrawnSketch> sketch =
        co_await drawn_sketch(engine, tree, reference, options, false);
    if (!sketch.ok()) co_return sketch.failure();
    out.add("sketch", sketch->text);
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
                                        const CropWish& wish, std::int32_t max_width,
                                        const PictureWish& picture, Crop& cut) {
  Result<EncodedImage> out = EncodedImage{};
  std::function<void()> work = [&] {
    cut = crop(capture, wish);
    const Result<PictureFile> file = encode_picture(shrink(cut.image, max_width), picture);
    out = file.ok() ? Result<EncodedImage>(encoded_image(*file, cut.area)) : file.error();
  };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok() || !out.ok()) {
    const Error& why = done.ok() ? out.error() : done.error();
    co_return failure(Fault::Internal, "Screenshot capture failed: " + why.message);
  }
  co_return std::move(*out);
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
  const Outcome<PictureWish> picture = picture_wish(call.arguments);
  if (!picture.ok()) co_return picture.failure();
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
      co_await encode_crop(engine, **capture, *wish, *max_width, *picture, cut);
  if (!image.ok()) co_return image.failure();
  JsonObject out;
  out.add("window", *window ? std::string_view((*window)->info.title) : kFullScreen);
  add_image(out, *image, *picture);
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
    kMaxEdge,
    kMaxImageBytes,
    kImageFormat,
};
constexpr Parameter kScreenshot[] = {
    kWindowUid, kWindowIndex, kWindowTitle, kMaxEdge, kMaxImageBytes, kImageFormat,
};
constexpr Parameter kFullScreenshot[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    {"grid_width", ParameterType::Integer, "Columns of the sketch beside the picture."},
    {"grid_height", ParameterType::Integer, "Rows of the sketch beside the picture."},
    kMaxEdge,
    kMaxImageBytes,
    kImageFormat,
};

constexpr Tool kScreenTools[] = {
    {"get_full_screenshot", get_full_screenshot, ToolKind::Picture, true,
     "Shoots the whole desktop, with a sketch of the window when one is named.", kFullScreenshot},
    {"get_screenshot", get_screenshot, ToolKind::Picture, true,
     "Shoots a window, or the primary monitor when no window is named.", kScreenshot},
    {"get_screenshot_cropped", get_screenshot_cropped, ToolKind::Picture, true,
     "Shoots an element or a rectangle, at most as wide as asked.", kCropped},
};

}  // namespace

std::span<const Tool> screen_tools() { return kScreenTools; }

}  // namespace gantry::observation
