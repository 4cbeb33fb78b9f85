// SPDX-License-Identifier: Apache-2.0
#pragma once
// Words recognised in a window's pixels, as far as they may be shown. The picture comes through the
// shield, so what is painted over is never recognised; the words are redacted besides, because
// hidden texts are painted over only where the operator wants it.

#include <gantry/contracts/observe.hpp>

#include <string>
#include <vector>

#include "crops.hpp"
#include "engine.hpp"

namespace gantry::observation {

inline constexpr double kLeastConfidence = 30;  ///< Of 100; the published ocr.min_confidence.

/// Whether text can be recognised now, and what is missing if not. Asks the kernel.
Task<ObserverSense> ocr_now(Engine& engine);

struct OcrQuery {
  WindowInfo window;
  CropWish wish;
  std::vector<std::string> languages;  ///< Empty: what the provider is set to.
  double min_confidence = kLeastConfidence;
  OcrMode mode = OcrMode::Fast;
};

struct OcrReading {
  std::vector<OcrWord> words;  ///< bbox in pixels of the part that was read, from its corner.
  std::int32_t width = 0;      ///< Of that part, pixels.
  std::int32_t height = 0;
  Rect area;                        ///< Of that part, screen pixels.
  std::optional<Rect> source_bbox;  ///< As in Crop.
  std::string route;
  std::string warning;
  Image image;  ///< What was read.
};

/// Where a part of the picture that was read is on the screen, at whatever scale it is. Pure.
[[nodiscard]] Rect on_screen(const Rect& part, const OcrReading& reading);

/// Fails like a screenshot, and like the provider.
Task<Outcome<OcrReading>> read_window(Engine& engine, OcrQuery query);

/// A line of words, or a part of it that stands apart, on the screen.
struct SeenLine {
  std::string text;
  double confidence = 0;  ///< 0 to 100, the mean of its words.
  Rect bounds;
};
[[nodiscard]] std::vector<SeenLine> seen_lines(const OcrReading& reading);

/// The words as text, a line each. Pure.
[[nodiscard]] std::string lines_of(const std::vector<OcrWord>& words);

/// Hides what the rules say: in single words, in words that only together are what a rule means,
/// and everything in a window that is hidden as a whole.
void redact_words(std::vector<OcrWord>& words, Redaction& redaction, std::string_view title);

}  // namespace gantry::observation
