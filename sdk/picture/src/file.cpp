// SPDX-License-Identifier: Apache-2.0
#include <gantry/picture/check.hpp>
#include <gantry/picture/file.hpp>
#include <gantry/picture/jpeg.hpp>
#include <gantry/picture/png.hpp>
#include <gantry/picture/scale.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gantry::picture {
namespace {

/// At 85 text is as readable as in the PNG; 50 still reads. Below, fewer pixels are the better
/// loss.
constexpr std::array<int, 3> kQualities{85, 70, 50};

/// What one format made of an image; the shorter of two is kept.
struct Shortest {
  PictureFile file;
  Error why = internal_error("no picture format was allowed");

  void offer(Result<std::vector<std::uint8_t>> bytes, std::string_view format, const Image& image) {
    if (!bytes.ok()) {
      why = std::move(bytes).error();
    } else if (file.bytes.empty() || bytes->size() < file.bytes.size()) {
      file = {std::move(*bytes), format, image.width, image.height};
    }
  }
};

bool fits(const PictureFile& file, const PictureWish& wish) {
  return wish.max_bytes == 0 || static_cast<std::int64_t>(file.bytes.size()) <= wish.max_bytes;
}

/// The best file of an image that is not scaled any more; it may be too long.
Result<PictureFile> encode_at_size(const Image& image, const PictureWish& wish) {
  Shortest shortest;
  if (wish.format != PictureFormat::Jpeg) shortest.offer(encode_png(image), "png", image);
  for (const int quality : kQualities) {
    if (wish.format == PictureFormat::Png) break;
    if (quality != kQualities.front() && fits(shortest.file, wish)) break;
    shortest.offer(encode_jpeg(image, quality), "jpeg", image);
  }
  if (shortest.file.bytes.empty()) return shortest.why;
  return std::move(shortest.file);
}

}  // namespace

std::string picture_key(const PictureWish& wish) {
  return fmt::format("/{}/{}/{}", wish.max_edge, wish.max_bytes, static_cast<int>(wish.format));
}

Result<PictureFile> encode_picture(const Image& image, const PictureWish& wish) {
  GANTRY_TRY(check_pixels(image));
  const std::int32_t longer = std::max(image.width, image.height);
  std::int32_t edge = wish.max_edge > 0 ? std::min(wish.max_edge, longer) : longer;
  while (true) {
    GANTRY_ASSIGN(PictureFile file, encode_at_size(scaled_to(image, edge), wish));
    // A single pixel fits into any limit that a call may set.
    if (fits(file, wish) || edge <= 1) return file;
    edge = edge * 3 / 4;
  }
}

}  // namespace gantry::picture
