// SPDX-License-Identifier: Apache-2.0
// Text recognition (observer contract 1.4, ocr).
#include <fmt/format.h>

#include <cmath>

#include "node_json.hpp"
#include "ocr.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

RawJson words_json(const OcrReading& reading) {
  JsonArray out;
  for (const OcrWord& word : reading.words) {
    JsonObject entry;
    entry.add("text", word.text);
    entry.add("confidence", std::lround(word.confidence));
    entry.add("bbox", rect_json(word.bbox));
    entry.add("bounds", rect_json(on_screen(word.bbox, reading)));
    entry.add("line", word.line);
    out.add(entry);
  }
  return out.done();
}

Outcome<double> confidence_of(const Arguments& arguments) {
  const auto number = arguments.number("min_confidence");
  if (!number.ok()) return number.failure();
  const double value = number->value_or(kLeastConfidence);
  if (value >= 0 && value <= 100) return value;
  return failure(Fault::BadRequest,
                 fmt::format("min_confidence must be from 0 to 100, found {}", value));
}

Outcome<OcrMode> mode_of(const Arguments& arguments) {
  const std::string mode = arguments.text("mode");
  if (mode.empty() || mode == "fast") return OcrMode::Fast;
  if (mode == "accurate") return OcrMode::Accurate;
  return failure(Fault::BadRequest, "mode must be fast or accurate");
}

Task<Outcome<ChosenWindow>> read_from(Engine& engine, const ToolCall& call) {
  const Outcome<WindowSelector> selector = window_selector(call.arguments);
  if (!selector.ok()) co_return selector.failure();
  if (!selector->given()) {
    co_return failure(Fault::BadRequest, "window_uid or window_index is required");
  }
  co_return co_await engine.directory.choose(call.arguments, MissingWindow::UseFocused);
}

Task<ToolOutcome> get_ocr(Engine& engine, const ToolCall& call) {
  // Before the arguments: nothing that a caller could change would help.
  const ObserverSense sense = co_await ocr_now(engine);
  if (!sense.available) {
    co_return failure(Fault::PlatformUnsupported, "text cannot be recognised: " + sense.reason,
                      {{"hint", sense.cure}});
  }
  const Outcome<double> confidence = confidence_of(call.arguments);
  if (!confidence.ok()) co_return confidence.failure();
  const Outcome<OcrMode> mode = mode_of(call.arguments);
  if (!mode.ok()) co_return mode.failure();
  const Outcome<ChosenWindow> window = co_await read_from(engine, call);
  if (!window.ok()) co_return window.failure();
  const std::optional<ChosenWindow> where = *window;
  const Outcome<CropWish> wish = co_await crop_wish(engine, call, where);
  if (!wish.ok()) co_return wish.failure();
  OcrQuery query{window->info, *wish, call.arguments.list("languages"), *confidence, *mode};
  const Outcome<OcrReading> reading = co_await read_window(engine, std::move(query));
  if (!reading.ok()) co_return reading.failure();

  JsonObject out;
  out.add("window", window->info.title);
  out.add("window_uid", window->info.uid);
  out.add("words", words_json(*reading));
  out.add_if("route", reading->route);
  if (reading->source_bbox) out.add("source_bbox", rect_json(*reading->source_bbox));
  out.add_if("warning", reading->warning.empty() ? window->warning : reading->warning);
  co_return out;
}

constexpr Parameter kOcr[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    kCropBbox,
    kCropElement,
    kCropSelector,
    kCropToken,
    kCropPadding,
    {"languages",
     ParameterType::Array,
     "Languages of the text as ISO 639-2 codes, such as eng or deu. Default: as configured.",
     false,
     {},
     R"({"type":"string"})"},
    {"min_confidence", ParameterType::Number,
     "Leave out words that are less certain than this, 0 to 100. Default 30."},
    {"mode", ParameterType::String,
     "accurate takes several times as long and misreads fewer identifiers; fast when not given.",
     false, "fast|accurate"},
};

constexpr Tool kOcrTools[] = {
    {"get_ocr", get_ocr, ToolKind::Read, true,
     "Recognises the words in a window's pixels, or in a part of it. For what the accessibility "
     "tree does not show; needs a plugin for text recognition.",
     kOcr},
};

}  // namespace

std::span<const Tool> ocr_tools() { return kOcrTools; }

}  // namespace gantry::observation
