// SPDX-License-Identifier: Apache-2.0
//
// Parts of a line that are read anew, while its other words stay as they are.
#pragma once

#include <gantry/ocr/line_finder.hpp>

#include <opencv2/core.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace gantry::ocr {

/// Words of a line that stand next to each other, and the columns that hold them alone.
struct Stretch {
  std::size_t first = 0;
  std::size_t last = 0;  // the one behind
  cv::Range columns;
};

/// The confidence of the least certain word, 0 to 100; 0 for none.
[[nodiscard]] double least_certain(const std::vector<ReadWord>& words);

/// The words of a line of ink that are less certain than `certain` (0 to 100), with those that no
/// gap parts from them; all of the line where there are no words. The last first, so that one can
/// be replaced after the other. Pure.
[[nodiscard]] std::vector<Stretch> uncertain_in(const std::vector<ReadWord>& words,
                                                const cv::Mat& ink, double certain);

/// The words of a stretch, with boxes from the corner of its columns.
[[nodiscard]] std::vector<ReadWord> words_in(const std::vector<ReadWord>& words,
                                             const Stretch& part);

/// Puts `read`, whose boxes are from the corner of the stretch, in the place of its words.
void replace(std::vector<ReadWord>& words, const Stretch& part, std::vector<ReadWord> read);

/// A line and the ink that it is in.
struct LineOfInk {
  const cv::Mat& ink;
  cv::Rect box;
};

/// What is known of a line: `words` with boxes in it, of which those of `part` are to be read.
struct Renewal {
  std::vector<ReadWord> words;
  Stretch part;
};

/// What is left to read of `now` where `before` had been read as `words`: the words between what
/// the two have in common on the left and on the right. None where that is all of it, or they are
/// not the same line. Both are in pictures of one size. Pure.
[[nodiscard]] std::optional<Renewal> renewal_of(std::vector<ReadWord> words,
                                                const LineOfInk& before, const LineOfInk& now);

}  // namespace gantry::ocr
