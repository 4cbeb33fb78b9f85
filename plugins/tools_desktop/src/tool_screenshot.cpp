// SPDX-License-Identifier: Apache-2.0
// screenshot: a picture of the screen or of a window.
#include <gantry/llm/json.hpp>

#include <array>
#include <utility>

#include "tools.hpp"

namespace gantry::desk {
namespace {

namespace json = boost::json;

constexpr double kLargestEdge = 8192;
/// What a model needs to point at something in the picture.
constexpr std::array<std::string_view, 10> kShown{"window",  "window_uid", "bounds", "width",
                                                  "height",  "scale",      "format", "note",
                                                  "warning", "coordinates"};

Task<ToolResult> screenshot(Run& run) {
  const bool window = run.arguments.has("window_uid") || run.arguments.has("window_title");
  json::object arguments;
  add_window(run.arguments, arguments);
  const std::int64_t edge =
      run.arguments.integer("max_edge").value_or(run.settings().screenshot.max_edge);
  if (edge > 0) arguments["max_edge"] = edge;
  std::string tool = window ? "get_screenshot" : "get_full_screenshot";
  const Seen seen = co_await run.observe(std::move(tool), std::move(arguments));
  if (!seen.ok) co_return failed(seen);
  const json::value answer(seen.answer);
  auto bytes = codec::read_base64(llm::text_of(answer, "data"));
  if (!bytes.ok() || bytes->empty()) {
    co_return failed("Internal", "the observer answered without a picture");
  }
  json::object out{{"action", "screenshot"}};
  for (const std::string_view name : kShown) {
    const json::value* value = llm::member(answer, name);
    if (value != nullptr) out[llm::jsv(name)] = *value;
  }
  ToolResult result = done(std::move(out));
  ContentBlock& picture = result.content.emplace_back();
  picture.kind = ContentKind::Image;
  const std::string format(llm::text_of(answer, "format"));
  picture.media_type = "image/" + (format.empty() ? "png" : format);
  picture.data = Buffer::of(std::move(*bytes));
  co_return result;
}

constexpr Parameter kScreenshot[] = {
    {"window_title", Kind::Text,
     "Only the window with this in its title; the whole desktop when no window is named."},
    {"window_uid", Kind::Text, "Only this window, by the uid that get_open_windows gave it."},
    {"max_edge",
     Kind::Integer,
     "Longest side of the picture in pixels; 0: as it is. Points in a smaller picture are "
     "bounds.x + column * scale.x.",
     false,
     {},
     0,
     kLargestEdge},
    kExplanation,
};

constexpr Tool kScreenshotTools[] = {
    {"screenshot", "Screenshot",
     "Takes a picture of the whole desktop or of one window. What is hidden by the guard's rules "
     "is "
     "painted over.",
     kScreenshot, screenshot, true, false, true},
};

}  // namespace

std::span<const Tool> screenshot_tools() { return kScreenshotTools; }

}  // namespace gantry::desk
