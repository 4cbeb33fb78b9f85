// SPDX-License-Identifier: Apache-2.0
//
// What differs between recognisers: where they find lines, and what reads one.
#pragma once

#include <gantry/ocr/line_finder.hpp>
#include <gantry/ocr/pictures.hpp>
#include <gantry/result.hpp>

#include <opencv2/core.hpp>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gantry::ocr {

/// How one request is to be read.
struct Manner {
  std::string languages;  // as language_code() gives them
  std::filesystem::path folder;
  OcrMode mode = OcrMode::Fast;

  /// What one engine can serve, and what a reading is known by.
  [[nodiscard]] std::string key() const {
    return languages + '@' + folder.string() + (mode == OcrMode::Accurate ? "!" : "");
  }
};

/// One line: the same part of the picture's ink and of its pixels.
struct Piece {
  cv::Mat ink;
  cv::Mat pixels;  // 1, 3 or 4 channels, as the picture has them
};

/// Reads lines. Not thread-safe; each worker has its own.
class LineEngine {
 public:
  virtual ~LineEngine() = default;
  /// Lines that are read best at a time.
  [[nodiscard]] virtual std::size_t batch() const { return 1; }
  /// The words of each line, from the left.
  [[nodiscard]] virtual Result<std::vector<std::vector<ReadWord>>> read(
      std::span<const Piece> lines) = 0;
};

/// Thread-safe: workers ask it at the same time.
class Method {
 public:
  virtual ~Method() = default;
  /// Where the lines of a picture are, in reading order. `inked` says what it differs in from a
  /// picture that is known. Errors: unavailable.
  [[nodiscard]] virtual Result<Page> find(const cv::Mat& picture, const Inked& inked) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<LineEngine>> make_engine(const Manner& manner) = 0;
  /// What recognises, with its version.
  [[nodiscard]] virtual std::string route(const Manner& manner) const = 0;
  /// Gives up what it holds beside the engines.
  virtual void release() {}
};

/// Lines by their ink, each read by Tesseract.
class TesseractMethod : public Method {
 public:
  [[nodiscard]] Result<Page> find(const cv::Mat& picture, const Inked& inked) override;
  [[nodiscard]] Result<std::unique_ptr<LineEngine>> make_engine(const Manner& manner) override;
  [[nodiscard]] std::string route(const Manner& manner) const override;
};

}  // namespace gantry::ocr
