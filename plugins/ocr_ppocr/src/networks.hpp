// SPDX-License-Identifier: Apache-2.0
//
// The two networks of PP-OCRv4, opened when they are needed.
#pragma once

#include <gantry/ocr/method.hpp>
#include <gantry/onnx/onnx.hpp>

#include <opencv2/core.hpp>

#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "boxes.hpp"

namespace gantry::ocr_ppocr {

/// Finds lines. Thread-safe; one picture at a time, as each needs some 200 MB.
class Detector {
 public:
  Detector(std::filesystem::path models_dir, int threads)
      : models_dir_(std::move(models_dir)), threads_(threads) {}
  /// Lines of a picture of 1, 3 or 4 channels. Errors: unavailable, internal.
  [[nodiscard]] Result<std::vector<Found>> find(const cv::Mat& picture);
  void release();

 private:
  [[nodiscard]] Result<std::vector<Found>> look(const onnx::Session& network, const cv::Mat& part);

  std::filesystem::path models_dir_;
  int threads_;
  std::mutex mutex_;
  std::shared_ptr<onnx::Session> network_;
};

/// Reads lines. Thread-safe: each run is on the calling thread alone.
class Recogniser {
 public:
  explicit Recogniser(std::filesystem::path models_dir) : models_dir_(std::move(models_dir)) {}
  /// Errors: unavailable, internal.
  [[nodiscard]] Result<std::vector<std::vector<ocr::ReadWord>>> read(
      std::span<const ocr::Piece> lines);
  void release();

 private:
  struct Network {
    std::shared_ptr<onnx::Session> session;
    std::vector<std::string> keys;
  };
  [[nodiscard]] Result<std::shared_ptr<const Network>> network();

  std::filesystem::path models_dir_;
  std::mutex mutex_;
  std::shared_ptr<const Network> network_;
};

}  // namespace gantry::ocr_ppocr
