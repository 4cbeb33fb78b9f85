// SPDX-License-Identifier: Apache-2.0
//
// Pictures as files: what is in a PNG, JPEG or WebP that somebody sent. A file is refused by the
// size that it claims before anything of it is unpacked.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/contracts/vision.hpp>
#include <gantry/media.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct PictureOpenRequest {
  Buffer file;
};
BOOST_DESCRIBE_STRUCT(PictureOpenRequest, (), (file))

struct OpenedPicture {
  Image image;              // Rgb8; what is transparent is on white; the first of several frames
  std::string format;       // of what the bytes are: "png", "jpeg", "webp"
  std::int32_t frames = 1;  // 1, or 2 when there are more
};
BOOST_DESCRIBE_STRUCT(OpenedPicture, (), (image, format, frames))

/// Errors: invalid_argument (no picture that can be read: {"reason":"no_picture"}, or more pixels
/// than are taken: {"reason":"too_large"}), resource_exhausted (too many are under way).
struct PictureOpen {
  static constexpr std::string_view kName = "gantry.picture.open/1";
  static constexpr std::string_view kDoc = "Unpacks the pixels of a picture file.";
  using Request = PictureOpenRequest;
  using Response = OpenedPicture;
};

struct PictureFitRequest {
  Buffer file;
  std::int32_t max_edge = 2048;     // pixels of the longer edge, at least 1
  std::int64_t max_bytes = 786432;  // of the file, at least 1
};
BOOST_DESCRIBE_STRUCT(PictureFitRequest, (), (file, max_edge, max_bytes))

struct FittedPicture {
  Buffer file;             // the one that was sent, when it fits as it is
  std::string media_type;  // of what the bytes are: "image/png", "image/jpeg", "image/webp"
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::int32_t original_width = 0;  // of the file that was sent
  std::int32_t original_height = 0;
};
BOOST_DESCRIBE_STRUCT(FittedPicture, (),
                      (file, media_type, width, height, original_width, original_height))

/// Errors: those of gantry.picture.open/1.
struct PictureFit {
  static constexpr std::string_view kName = "gantry.picture.fit/1";
  static constexpr std::string_view kDoc =
      "Makes a picture file as small as a model takes it, with as little loss as that needs.";
  using Request = PictureFitRequest;
  using Response = FittedPicture;
};

struct PictureTextRequest {
  Image image;  // where it is there already, else
  Buffer file;
  std::vector<std::string> languages;  // as in OcrRequest
  double min_confidence = 0;           // 0 to 100, as in OcrRequest
};
BOOST_DESCRIBE_STRUCT(PictureTextRequest, (), (image, file, languages, min_confidence))

struct PictureRow {
  std::string text;       // words with a space between them
  double confidence = 0;  // 0 to 1, of its words by their length
  Rect bbox;              // around its words; at least one pixel
};
BOOST_DESCRIBE_STRUCT(PictureRow, (), (text, confidence, bbox))

struct PictureTextRows {
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::vector<PictureRow> rows;  // one for each line that was found, in reading order
  std::string route;             // what read it
};
BOOST_DESCRIBE_STRUCT(PictureTextRows, (), (width, height, rows, route))

/// Errors: those of gantry.picture.open/1 and gantry.ocr.read/1.
struct PictureText {
  static constexpr std::string_view kName = "gantry.picture.text/1";
  static constexpr std::string_view kDoc = "Reads the lines of text of a picture or picture file.";
  using Request = PictureTextRequest;
  using Response = PictureTextRows;
};

struct PictureLocateRequest {
  Buffer file;
  std::string description;  // as in VisionLocateRequest
  std::int32_t max_results = 5;
  std::vector<std::string> languages;
};
BOOST_DESCRIBE_STRUCT(PictureLocateRequest, (), (file, description, max_results, languages))

struct PictureTargets {
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::vector<VisionMatch> matches;  // the best first; at least one
  std::string route;
};
BOOST_DESCRIBE_STRUCT(PictureTargets, (), (width, height, matches, route))

/// Errors: those of gantry.picture.open/1 and gantry.vision.locate/1.
struct PictureLocate {
  static constexpr std::string_view kName = "gantry.picture.locate/1";
  static constexpr std::string_view kDoc = "Finds what a description means in a picture file.";
  using Request = PictureLocateRequest;
  using Response = PictureTargets;
};

}  // namespace gantry
