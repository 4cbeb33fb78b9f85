// SPDX-License-Identifier: Apache-2.0
//
// Pictures that came last, to find what has changed in the next.
#pragma once

#include <gantry/contracts/ocr.hpp>
#include <gantry/ocr/line_finder.hpp>
#include <gantry/result.hpp>

#include <opencv2/core.hpp>

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace gantry::ocr {

/// The part of `request.image` that is to be read, without a copy, and where it is in the image.
struct View {
  cv::Mat pixels;  // valid as long as the request
  cv::Point corner;
};

/// Errors: invalid_argument (no picture, fewer bytes than its size needs, more than `max_pixels`,
/// a region outside of it).
Result<View> view_of(const OcrRequest& request, std::int64_t max_pixels);

/// Where two pictures of one size and type differ: rectangles around runs of rows, empty when they
/// are the same. Pure.
[[nodiscard]] std::vector<Rect> changes_between(const cv::Mat& before, const cv::Mat& after);

/// A picture that has been read.
struct Known {
  cv::Mat pixels;
  cv::Mat ink;
  cv::Mat turned;                            // the ink with the text in bars made ink
  std::vector<OcrWord> words;                // boxes from the corner of the picture
  std::vector<cv::Rect> lines;               // of the picture, also those without words
  std::vector<std::vector<ReadWord>> found;  // of each line
  std::string manner;                        // in which `words` were read
};

/// The last pictures, the newest first. Not thread-safe; what is in it is not changed any more.
class Pictures {
 public:
  /// Those of this size and type.
  [[nodiscard]] std::vector<std::shared_ptr<const Known>> like(const cv::Mat& picture) const;
  /// Puts `picture` in front, in the place of `instead` if that is there; keeps `limit` of them.
  void put(std::shared_ptr<const Known> picture, const std::shared_ptr<const Known>& instead,
           std::size_t limit);
  void clear() { pictures_.clear(); }
  [[nodiscard]] std::size_t size() const { return pictures_.size(); }

 private:
  std::list<std::shared_ptr<const Known>> pictures_;
};

/// The ink of `picture`, from that of the picture in `known` that it differs from the least where
/// that is less work. `base` is that picture, or none; `made` the pixels that were made anew;
/// `unchanged` says that `base` is this very picture.
struct Inked {
  cv::Mat ink;
  std::shared_ptr<const Known> base;
  std::vector<Rect> changed;  // since `base`
  std::int64_t made = 0;
  bool unchanged = false;
};
/// Where the ink may differ from that of `base`: the changes and what they reach.
[[nodiscard]] std::vector<cv::Rect> changed_ink(const Inked& inked);
[[nodiscard]] Inked ink_with(const cv::Mat& picture,
                             const std::vector<std::shared_ptr<const Known>>& known);

}  // namespace gantry::ocr
