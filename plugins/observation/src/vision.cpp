// SPDX-License-Identifier: Apache-2.0
#include "vision.hpp"

#include <algorithm>
#include <utility>

#include "geometry.hpp"
#include "time_units.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kMostElements = 500;
/// Four passes of a model at its usual patience.
constexpr std::int64_t kLongestLook = 16 * 60 * kNanosecondsPerSecond;
/// What is left of the caller's time for the rest of the answer.
constexpr std::int64_t kMargin = 2 * kNanosecondsPerSecond;

std::string_view kind_of(const Node& node) {
  if (!node.children.empty()) return "region";
  if (node.role == "Text" || node.role == "Label") return "text";
  return node.role == "Image" || node.role == "Icon" ? "icon" : "control";
}

/// Where a part of the screen is in the picture, at whatever scale it is.
Rect in_picture(const Rect& part, const Crop& picture) {
  const auto scaled = [](std::int64_t at, std::int32_t pixels, std::int32_t screen) {
    return static_cast<std::int32_t>(at * pixels / std::max(1, screen));
  };
  const Rect& area = picture.area;
  return {scaled(std::int64_t{part.x} - area.x, picture.image.width, area.width),
          scaled(std::int64_t{part.y} - area.y, picture.image.height, area.height),
          scaled(part.width, picture.image.width, area.width),
          scaled(part.height, picture.image.height, area.height)};
}

Task<Outcome<Crop>> picture_of(Engine& engine, const DescribeWish& wish) {
  CaptureRequest request;
  request.target = CaptureTarget::Window;
  request.handle = wish.window.handle;
  const Answer<Capture> capture = co_await engine.shield.capture_for_words(std::move(request));
  if (!capture.ok()) {
    Failure why = failure_from(capture.error());
    why.message = "Screenshot capture failed: " + why.message;
    co_return why;
  }
  Crop cut;
  CropWish part;
  part.area = wish.area;
  std::function<void()> work = [&] { cut = crop(**capture, part); };
  const Result<void> done = co_await engine.desktop.offload(std::move(work));
  if (!done.ok()) co_return failure(Fault::Internal, done.error().message);
  co_return cut;
}

VisionDescribeRequest request_of(const Engine& engine, const DescribeWish& wish,
                                 const Crop& picture) {
  VisionDescribeRequest out;
  out.image = picture.image;
  out.max_chars = wish.max_chars;
  const VlmSettings& settings = engine.settings.vlm;
  if (settings.ground_with_tree && wish.tree != nullptr) {
    out.elements = elements_in(wish.tree->root, picture);
  }
  // Boxes of words are pixels of what was read, which may be another part or another size by now.
  const bool same = wish.reading && wish.reading->area == picture.area &&
                    wish.reading->width == picture.image.width &&
                    wish.reading->height == picture.image.height;
  if (settings.ground_with_ocr && same) out.words = wish.reading->words;
  return out;
}

}  // namespace

void note_senses(Engine& engine, const Answer<PluginInfoList>& plugins) {
  const auto provider = [&](std::string_view contract) {
    return plugins.ok() ? provider_of(**plugins, contract) : Provider{};
  };
  engine.reader = provider(OcrRead::kName);
  engine.describer = provider(VisionDescribe::kName);
}

Task<ObserverSense> vlm_now(Engine& engine) {
  const Answer<PluginInfoList> plugins = co_await engine.desktop.plugins();
  note_senses(engine, plugins);
  co_return vlm_sense(engine.settings, engine.describer);
}

std::vector<VisualElement> elements_in(const Node& root, const Crop& picture) {
  std::vector<VisualElement> out;
  walk(root, [&](const Node& node, int) {
    const bool shown = node.visible && node.hidden == nullptr && &node != &root;
    if (!shown || !intersects(node.bounds, picture.area) || out.size() >= kMostElements) return;
    VisualElement element;
    element.bbox = in_picture(intersection(node.bounds, picture.area), picture);
    element.kind = kind_of(node);
    element.role = node.role;
    element.text = node.name.empty() ? node.value.value_or("") : node.name;
    element.confidence = node.confidence.value_or(1);
    element.source = node.source.empty() ? "a11y" : node.source;
    out.push_back(std::move(element));
  });
  return out;
}

Task<Outcome<PictureWords>> describe_window(Engine& engine, const ToolCall& call,
                                            DescribeWish wish) {
  const std::string title = engine.shield.true_title(wish.window.handle, wish.window.title);
  if (engine.redaction.hides_window(title)) {
    co_return PictureWords{engine.redaction.rules().replacement, {}, false};
  }
  const Outcome<bool> admitted = co_await engine.gate.admit_vision(call);
  if (!admitted.ok()) co_return admitted.failure();
  const Outcome<Crop> picture = co_await picture_of(engine, wish);
  if (!picture.ok()) co_return picture.failure();
  const std::int64_t left = call.life.deadline_ns() - engine.desktop.monotonic_ns() - kMargin;
  if (left <= 0) co_return failure(Fault::Timeout, "there is no time left to look at the picture");

  VisionDescribeRequest request = request_of(engine, wish, *picture);
  const Answer<VisionDescription> answer =
      co_await engine.desktop.describe(std::move(request), std::min(left, kLongestLook));
  if (!answer.ok()) {
    Failure why = failure_from(answer.error());
    if (answer.error().code == Code::ResourceExhausted) why.fault = Fault::RateLimited;
    co_return why;
  }
  const VisionDescription& said = **answer;
  if (call.settlement != nullptr && said.tokens > 0) {
    call.settlement->vlm_tokens += static_cast<std::uint32_t>(said.tokens);
  }
  co_return PictureWords{engine.shield.recorded(said.text), said.route, said.truncated};
}

}  // namespace gantry::observation
