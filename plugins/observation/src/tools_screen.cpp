// SPDX-License-Identifier: Apache-2.0
#include "node_json.hpp"
#include "sketch_tool.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kFullScreen = "(full screen)";

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

constexpr Tool kTools[] = {
    {"get_full_screenshot", get_full_screenshot, ToolKind::Picture, true,
     "Shoots the whole desktop as PNG, with a sketch of the window when one is named.",
     kFullScreenshot},
    {"get_screenshot", get_screenshot, ToolKind::Picture, false,
     "Shoots a window as PNG, or the primary monitor when no window is named.", kScreenshot},
};

}  // namespace

std::span<const Tool> screen_tools() { return kTools; }

}  // namespace gantry::observation
