// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/ocr/method.hpp>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "networks.hpp"

namespace gantry::ocr_ppocr {

/// Lines by PP-OCRv4's detector, read by Tesseract; those that it is uncertain of, and all of them
/// in the mode Accurate, by PP-OCRv4's recogniser. When a network cannot be opened, `failed` hears
/// why, once, and everything is done as without it.
class PpocrMethod final : public ocr::TesseractMethod,
                          public std::enable_shared_from_this<PpocrMethod> {
 public:
  using Failed = std::function<void(const Error&)>;
  PpocrMethod(const std::filesystem::path& models_dir, int threads, Failed failed);

  [[nodiscard]] Result<ocr::Page> find(const cv::Mat& picture, const ocr::Inked& inked) override;
  [[nodiscard]] Result<std::unique_ptr<ocr::LineEngine>> make_engine(
      const ocr::Manner& manner) override;
  [[nodiscard]] std::string route(const ocr::Manner& manner) const override;
  void release() override;

  [[nodiscard]] Result<std::unique_ptr<ocr::LineEngine>> make_tesseract(const ocr::Manner& manner) {
    return TesseractMethod::make_engine(manner);
  }
  /// Tells `failed`, the first time.
  void give_up(const Error& error);
  [[nodiscard]] bool works() const { return works_.load(); }

 private:
  [[nodiscard]] Result<std::vector<cv::Rect>> look(const cv::Mat& picture, const cv::Mat& ink);
  /// Lines of a picture of which those of an earlier one are known.
  [[nodiscard]] Result<std::vector<cv::Rect>> look_again(const cv::Mat& picture, const cv::Mat& ink,
                                                         const ocr::Inked& inked);

  Detector detector_;
  std::shared_ptr<Recogniser> recogniser_;
  Failed failed_;
  std::atomic<bool> works_{true};
};

}  // namespace gantry::ocr_ppocr
