// SPDX-License-Identifier: Apache-2.0
//
// Text recognition.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/media.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// Fast is what a provider does by itself; Accurate may take several times as long, and is the same
/// where a provider knows no better way.
enum class OcrMode : std::uint8_t { Fast, Accurate };
BOOST_DESCRIBE_ENUM(OcrMode, Fast, Accurate)

struct OcrRequest {
  Image image;
  std::optional<Rect> region;          // image pixels, cut to the image; none: all of it
  std::vector<std::string> languages;  // ISO 639-2, "eng"; empty: what the provider is set to
  double min_confidence = 0;           // 0 to 100; less certain words are left out
  OcrMode mode = OcrMode::Fast;
};
BOOST_DESCRIBE_STRUCT(OcrRequest, (), (image, region, languages, min_confidence, mode))

struct OcrWord {
  std::string text;       // UTF-8, without blanks around it
  double confidence = 0;  // 0 to 100
  Rect bbox;              // image pixels, from the image's corner also when a region was asked for
  std::int32_t line = 0;  // words of the same line have the same number
};
BOOST_DESCRIBE_STRUCT(OcrWord, (), (text, confidence, bbox, line))

struct OcrResult {
  std::vector<OcrWord> words;  // in reading order
  std::string route;           // what recognised them, with its version
};
BOOST_DESCRIBE_STRUCT(OcrResult, (), (words, route))

/// Errors: invalid_argument (no image, no such language), unavailable (the recogniser or its
/// language data is missing; says how to get it), deadline_exceeded.
struct OcrRead {
  static constexpr std::string_view kName = "gantry.ocr.read/1";
  static constexpr std::string_view kDoc = "Recognises the words of a picture.";
  using Request = OcrRequest;
  using Response = OcrResult;
};

}  // namespace gantry
