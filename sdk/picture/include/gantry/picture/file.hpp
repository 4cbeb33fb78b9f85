// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures as files of a wished size. Models take pictures up to some edge and shrink larger ones
// without saying so, which moves every coordinate; hosts refuse answers that are too long. So a
// picture is scaled and encoded here until it fits, and its scale is told.

#include <gantry/media.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::picture {

enum class PictureFormat { Png, Jpeg, Smaller };

struct PictureWish {
  std::int32_t max_edge = 0;   ///< Most pixels of the longer edge; 0: as many as there are.
  std::int64_t max_bytes = 0;  ///< Most bytes of the file; 0: any number.
  PictureFormat format = PictureFormat::Png;
  bool given = false;  ///< The call names any of these, so the answer tells the scale.
};

/// Tells wishes apart, for what is kept by them.
[[nodiscard]] std::string picture_key(const PictureWish& wish);

struct PictureFile {
  std::vector<std::uint8_t> bytes;
  std::string_view format;  ///< "png" or "jpeg"
  std::int32_t width = 0;
  std::int32_t height = 0;
};

/// The picture as the wish has it: first scaled to max_edge, then in the smaller of the formats
/// that are allowed; while the file is longer than max_bytes, as JPEG of lower quality, then with
/// three quarters of the edge. Pure, and takes its time: call it where waiting is allowed.
[[nodiscard]] Result<PictureFile> encode_picture(const Image& image, const PictureWish& wish);

}  // namespace gantry::picture
