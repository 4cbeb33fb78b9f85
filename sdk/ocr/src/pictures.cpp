// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/pictures.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <opencv2/imgproc.hpp>

#include <gantry/ocr/normalise.hpp>

namespace gantry::ocr {
namespace {

/// Runs of changed rows that are closer than this are one.
constexpr int kRowGap = 24;

int type_of(PixelFormat format) {
  switch (bytes_per_pixel(format)) {
    case 1: return CV_8UC1;
    case 3: return CV_8UC3;
    default: return CV_8UC4;
  }
}

std::size_t row_bytes(const cv::Mat& picture) {
  return static_cast<std::size_t>(picture.cols) * picture.elemSize();
}

/// First and past-the-last column that differ in one row, which does differ.
std::pair<int, int> columns(const std::uint8_t* a, const std::uint8_t* b, const cv::Mat& picture) {
  const std::size_t size = row_bytes(picture);
  const std::size_t first = static_cast<std::size_t>(std::mismatch(a, a + size, b).first - a);
  std::size_t last = size;
  while (last > first && a[last - 1] == b[last - 1]) --last;
  const std::size_t pixel = picture.elemSize();
  return {static_cast<int>(first / pixel), static_cast<int>((last + pixel - 1) / pixel)};
}

std::int64_t area_of(const std::vector<Rect>& changed) {
  std::int64_t out = 0;
  for (const Rect& part : changed) {
    out += static_cast<std::int64_t>(part.width + 4 * kReachX) * (part.height + 4 * kReachY);
  }
  return out;
}

}  // namespace

Result<View> view_of(const OcrRequest& request, std::int64_t max_pixels) {
  const Image& image = request.image;
  if (image.width <= 0 || image.height <= 0) {
    return invalid_argument(
        fmt::format("there is no picture to read: its size is {}x{}", image.width, image.height));
  }
  const std::int64_t pixels = static_cast<std::int64_t>(image.width) * image.height;
  if (pixels > max_pixels) {
    return invalid_argument(
        fmt::format("a picture of {}x{} has more than the {} pixels of "
                    "max_pixels; ask for a smaller one",
                    image.width, image.height, max_pixels));
  }
  const std::int64_t row = static_cast<std::int64_t>(image.width) * bytes_per_pixel(image.format);
  const std::int64_t needed = static_cast<std::int64_t>(image.height - 1) * image.stride + row;
  if (image.stride < row || std::cmp_less(image.pixels.size(), needed)) {
    return invalid_argument(fmt::format(
        "the picture is cut off: {}x{} with {} bytes a row needs {} bytes and rows of at least "
        "{}, found {}",
        image.width, image.height, image.stride, needed, row, image.pixels.size()));
  }
  // OpenCV has no read-only matrix; nothing here writes to it.
  const cv::Mat whole(image.height, image.width, type_of(image.format),
                      const_cast<std::uint8_t*>(image.pixels.data()),
                      static_cast<std::size_t>(image.stride));
  if (!request.region) return View{whole, {}};
  const Rect& wish = *request.region;
  const std::int64_t left = std::max<std::int64_t>(wish.x, 0);
  const std::int64_t top = std::max<std::int64_t>(wish.y, 0);
  const std::int64_t right = std::min<std::int64_t>(std::int64_t{wish.x} + wish.width, image.width);
  const std::int64_t bottom =
      std::min<std::int64_t>(std::int64_t{wish.y} + wish.height, image.height);
  if (right <= left || bottom <= top) {
    return invalid_argument(
        fmt::format("the region {}x{} at ({}, {}) is not in the picture of "
                    "{}x{}",
                    wish.width, wish.height, wish.x, wish.y, image.width, image.height));
  }
  const cv::Rect part(static_cast<int>(left), static_cast<int>(top), static_cast<int>(right - left),
                      static_cast<int>(bottom - top));
  return View{whole(part), part.tl()};
}

std::vector<Rect> changes_between(const cv::Mat& before, const cv::Mat& after) {
  std::vector<Rect> out;
  int last_row = 0;
  for (int y = 0; y < after.rows; ++y) {
    const std::uint8_t* a = before.ptr(y);
    const std::uint8_t* b = after.ptr(y);
    if (std::memcmp(a, b, row_bytes(after)) == 0) continue;
    const auto [left, right] = columns(a, b, after);
    if (out.empty() || y - last_row > kRowGap) {
      out.push_back({left, y, right - left, 1});
    } else {
      Rect& run = out.back();
      const int end = std::max(run.x + run.width, right);
      run.x = std::min(run.x, left);
      run.width = end - run.x;
      run.height = y + 1 - run.y;
    }
    last_row = y;
  }
  return out;
}

std::vector<std::shared_ptr<const Known>> Pictures::like(const cv::Mat& picture) const {
  std::vector<std::shared_ptr<const Known>> out;
  for (const auto& known : pictures_) {
    if (known->pixels.size() == picture.size() && known->pixels.type() == picture.type()) {
      out.push_back(known);
    }
  }
  return out;
}

void Pictures::put(std::shared_ptr<const Known> picture,
                   const std::shared_ptr<const Known>& instead, std::size_t limit) {
  if (instead != nullptr) pictures_.remove(instead);
  pictures_.push_front(std::move(picture));
  while (pictures_.size() > limit) pictures_.pop_back();
}

std::vector<cv::Rect> changed_ink(const Inked& inked) {
  std::vector<cv::Rect> out;
  for (const Rect& part : inked.changed) {
    out.emplace_back(part.x - kReachX, part.y - kReachY, part.width + 2 * kReachX,
                     part.height + 2 * kReachY);
  }
  return out;
}

Inked ink_with(const cv::Mat& picture, const std::vector<std::shared_ptr<const Known>>& known) {
  Inked out;
  std::vector<Rect> least;
  for (const auto& candidate : known) {
    std::vector<Rect> changed = changes_between(candidate->pixels, picture);
    if (out.base != nullptr && area_of(changed) >= area_of(least)) continue;
    out.base = candidate;
    least = std::move(changed);
    if (least.empty()) break;
  }
  if (out.base != nullptr && least.empty()) {
    out.ink = out.base->ink;
    out.unchanged = true;
    return out;
  }
  const std::int64_t whole = static_cast<std::int64_t>(picture.total());
  if (out.base == nullptr || area_of(least) * 2 > whole) {
    out.base = nullptr;
    out.ink = ink_of(picture);
    out.made = whole;
    return out;
  }
  out.ink = out.base->ink.clone();
  out.made = renew_ink(out.ink, picture, least);
  out.changed = std::move(least);
  return out;
}

}  // namespace gantry::ocr
