// SPDX-License-Identifier: Apache-2.0
//
// From what the recogniser says of each column of a line to words. All of it is pure.
#pragma once

#include <gantry/ocr/line_finder.hpp>
#include <gantry/result.hpp>

#include <opencv2/core.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::ocr_ppocr {

/// What the classes of the recogniser stand for: none, the lines of its file, a blank. Full-width
/// forms are the plain ones. Errors: data_loss (empty, a line that is no single character of UTF-8,
/// too many).
Result<std::vector<std::string>> read_keys(std::string_view text);

struct Character {
  std::string text;
  double confidence = 0;  // 0 to 1
  double at = 0;          // its middle, in columns
};

/// Greedy: the best class of each column, repetitions as one, without those that are nothing.
/// `scores` has `keys.size()` numbers for each column.
[[nodiscard]] std::vector<Character> decode(std::span<const float> scores,
                                            const std::vector<std::string>& keys);

/// Words of characters whose columns are `step` pixels of `ink` wide. Blanks where the ink has a
/// wide gap are put in, those where it has none are left out.
[[nodiscard]] std::vector<ocr::ReadWord> words_of(const std::vector<Character>& characters,
                                                  const cv::Mat& ink, double step);

}  // namespace gantry::ocr_ppocr
