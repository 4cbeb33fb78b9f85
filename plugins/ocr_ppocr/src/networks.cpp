// SPDX-License-Identifier: Apache-2.0
#include "networks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <opencv2/imgproc.hpp>

#include "ctc.hpp"

namespace gantry::ocr_ppocr {
namespace {

constexpr int kHeight = 48;       // of a line as the recogniser sees it
constexpr int kWidest = 3200;     // columns; wider lines are squeezed
constexpr double kAround = 0.18;  // ground around a line, of its height
constexpr std::array<float, 3> kMean{0.485F, 0.456F, 0.406F};
constexpr std::array<float, 3> kSpread{0.229F, 0.224F, 0.225F};

/// Blue, green, red.
cv::Mat colours_of(const cv::Mat& picture) {
  cv::Mat out;
  switch (picture.channels()) {
    case 1: cv::cvtColor(picture, out, cv::COLOR_GRAY2BGR); return out;
    case 4: cv::cvtColor(picture, out, cv::COLOR_BGRA2BGR); return out;
    default: return picture;
  }
}

/// Writes `picture` (3 channels of 8 bits) as three planes `width` wide: (value / 255 - mean) /
/// spread.
void write_planes(const cv::Mat& picture, float* out, int width, int height,
                  const std::array<float, 3>& mean, const std::array<float, 3>& spread) {
  std::array<std::array<float, 256>, 3> table{};
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t value = 0; value < 256; ++value) {
      table[c][value] = (static_cast<float>(value) / 255 - mean[c]) / spread[c];
    }
  }
  const std::size_t plane = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  for (int y = 0; y < picture.rows; ++y) {
    const std::uint8_t* row = picture.ptr(y);
    float* to = out + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
    for (int x = 0; x < picture.cols; ++x) {
      for (std::size_t c = 0; c < 3; ++c)
        to[c * plane + static_cast<std::size_t>(x)] = table[c][row[3 * x + static_cast<int>(c)]];
    }
  }
}

/// The line with some ground around it, as far as the picture goes.
cv::Mat with_ground(const cv::Mat& line, cv::Point& corner) {
  const int margin = std::max(2, static_cast<int>(std::lround(line.rows * kAround)));
  cv::Size whole;
  cv::Point at;
  line.locateROI(whole, at);
  cv::Mat out = line;
  out.adjustROI(margin, margin, margin, margin);
  cv::Point grown;
  out.locateROI(whole, grown);
  corner = at - grown;
  return out;
}

/// A line as the recogniser sees it.
struct Strip {
  cv::Mat pixels;
  double scale = 1;  // of its columns beside those of the picture
  int left = 0;      // columns of ground, before scaling
};

Strip strip_of(const cv::Mat& line) {
  Strip out;
  cv::Point corner;
  const cv::Mat whole = with_ground(line, corner);
  out.left = corner.x;
  const double ratio = static_cast<double>(whole.cols) / whole.rows;
  const int width = std::clamp(static_cast<int>(std::ceil(kHeight * ratio)), 16, kWidest);
  out.scale = static_cast<double>(width) / whole.cols;
  cv::resize(colours_of(whole), out.pixels, cv::Size(width, kHeight), 0, 0, cv::INTER_LINEAR);
  return out;
}

}  // namespace

void Detector::release() {
  const std::lock_guard lock(mutex_);
  network_.reset();
}

Result<std::vector<Found>> Detector::find(const cv::Mat& picture) {
  const std::lock_guard lock(mutex_);
  if (network_ == nullptr) {
    const onnx::Options options{.threads = threads_, .keep_memory = true};
    GANTRY_ASSIGN(network_, onnx::Session::open(models_dir_, "ppocr/det.onnx", options));
  }
  std::vector<Found> lines;
  std::vector<int> seen_in;
  const std::vector<cv::Rect> parts = parts_of(picture.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    GANTRY_ASSIGN(const auto found, look(*network_, picture(parts[i])));
    for (const Found& line : found) {
      lines.push_back({line.core + parts[i].tl(), line.box + parts[i].tl()});
      seen_in.push_back(static_cast<int>(i));
    }
  }
  return joined(std::move(lines), seen_in);
}

Result<std::vector<Found>> Detector::look(const onnx::Session& network, const cv::Mat& part) {
  const int width = rounded_up(part.cols, kGrain);
  const int height = rounded_up(part.rows, kGrain);
  std::vector<float> planes(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  write_planes(colours_of(part), planes.data(), width, height, kMean, kSpread);
  const std::string input = network.inputs().front();
  GANTRY_ASSIGN(
      auto out,
      network.run({{input.c_str(), {1, 3, height, width}, std::span<const float>(planes)}}));
  const auto map = out.front().floats();
  if (map.size() != planes.size() / 3)
    return internal_error("the detector's answer has another size than its picture");
  const cv::Mat probability(height, width, CV_32FC1, const_cast<float*>(map.data()));
  return boxes_of(probability, part.size());
}

void Recogniser::release() {
  const std::lock_guard lock(mutex_);
  network_.reset();
}

Result<std::shared_ptr<const Recogniser::Network>> Recogniser::network() {
  const std::lock_guard lock(mutex_);
  if (network_ != nullptr) return network_;
  GANTRY_ASSIGN(const auto file, onnx::model_file(models_dir_, "ppocr/keys.txt"));
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto made = std::make_shared<Network>();
  auto keys = read_keys(text);
  if (!keys.ok())
    return unavailable(file.string() + ": " + keys.error().message,
                       "run: gantry models fetch ppocr");
  made->keys = std::move(*keys);
  const onnx::Options options{.threads = 1, .keep_memory = true};
  GANTRY_ASSIGN(made->session, onnx::Session::open(models_dir_, "ppocr/rec.onnx", options));
  network_ = std::move(made);
  return network_;
}

Result<std::vector<std::vector<ocr::ReadWord>>> Recogniser::read(
    std::span<const ocr::Piece> lines) {
  GANTRY_ASSIGN(const auto used, network());
  std::vector<Strip> strips;
  int width = 0;
  for (const ocr::Piece& line : lines) {
    strips.push_back(strip_of(line.pixels));
    width = std::max(width, strips.back().pixels.cols);
  }
  const std::size_t plane = static_cast<std::size_t>(width) * kHeight;
  std::vector<float> planes(strips.size() * 3 * plane);
  constexpr std::array<float, 3> kHalf{0.5F, 0.5F, 0.5F};
  for (std::size_t i = 0; i < strips.size(); ++i) {
    write_planes(strips[i].pixels, planes.data() + i * 3 * plane, width, kHeight, kHalf, kHalf);
  }
  const std::string input = used->session->inputs().front();
  const auto count = static_cast<std::int64_t>(strips.size());
  GANTRY_ASSIGN(auto out,
                used->session->run(
                    {{input.c_str(), {count, 3, kHeight, width}, std::span<const float>(planes)}}));
  const auto scores = out.front().floats();
  const onnx::Shape& shape = out.front().shape();
  if (shape.size() != 3 || shape[0] != count ||
      shape[2] != static_cast<std::int64_t>(used->keys.size())) {
    return internal_error("the recogniser's answer does not fit its list of characters");
  }
  const auto columns = static_cast<std::size_t>(shape[1]);
  const double step = static_cast<double>(width) / static_cast<double>(columns);
  std::vector<std::vector<ocr::ReadWord>> words;
  for (std::size_t i = 0; i < strips.size(); ++i) {
    const std::size_t size = columns * used->keys.size();
    auto characters = decode(scores.subspan(i * size, size), used->keys);
    const double narrow = step / strips[i].scale;
    for (Character& one : characters) one.at -= strips[i].left / narrow;
    words.push_back(words_of(characters, lines[i].ink, narrow));
  }
  return words;
}

}  // namespace gantry::ocr_ppocr
