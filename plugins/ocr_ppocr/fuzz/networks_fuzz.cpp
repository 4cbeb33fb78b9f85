// SPDX-License-Identifier: Apache-2.0
// What comes out of a model file may be anything: the list of characters, the scores of the
// columns, the probabilities of the pixels.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "boxes.hpp"
#include "ctc.hpp"

namespace {

using namespace gantry::ocr_ppocr;

std::vector<float> floats(std::string_view bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

void need(bool holds) {
  if (!holds) std::abort();
}

void read_scores(std::string_view bytes) {
  const std::vector<std::string> keys{"", "a", "b", "c", " "};
  const std::vector<float> scores = floats(bytes);
  const cv::Mat ink = cv::Mat::zeros(20, 100, CV_8UC1);
  const auto words = words_of(decode(scores, keys), ink, 8);
  for (const auto& word : words) {
    need(!word.text.empty() && word.confidence >= 0 && word.confidence <= 100.001);
    need((word.box & cv::Rect(0, 0, 100, 20)) == word.box);
  }
}

void read_map(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const int width = 1 + static_cast<unsigned char>(bytes[0]) % 64;
  std::vector<float> map = floats(bytes.substr(2));
  const int height = static_cast<int>(map.size()) / width;
  if (height == 0) return;
  const cv::Mat probability(height, width, CV_32FC1, map.data());
  const cv::Rect all(0, 0, width, height);
  const cv::Mat ink(height, width, CV_8UC1, cv::Scalar(255));
  for (const Found& found : boxes_of(probability, all.size())) {
    need(!found.box.empty() && (found.box & all) == found.box);
    const cv::Rect tight = tightened(found, ink);
    need(!tight.empty() && (tight & found.box) == tight);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0: (void)read_keys(rest); break;
    case 1: read_scores(rest); break;
    default: read_map(rest); break;
  }
  return 0;
}
