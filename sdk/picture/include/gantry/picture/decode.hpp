// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pixels out of picture files. What a file is, its bytes say and nothing else. Pure; safe on any
// thread; a screenshot takes 10 to 40 ms, so call it where waiting is allowed.

#include <gantry/media.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace gantry::picture {

enum class FileFormat : std::uint8_t { Unknown, Png, Jpeg, Webp };

/// From the first bytes of a file.
[[nodiscard]] FileFormat format_of(std::span<const std::uint8_t> file);
/// "png", "jpeg", "webp".
[[nodiscard]] std::string_view format_name(FileFormat format);

struct DecodeLimits {
  std::int64_t max_pixels = 40'000'000;  ///< width times height
  std::int32_t max_side = 32'767;
  /// Asked once, with the size that the file claims, before anything is unpacked; its error is the
  /// answer.
  std::function<Result<void>(std::int32_t width, std::int32_t height)> admit = {};
};

struct FileSize {
  std::int32_t width = 0;
  std::int32_t height = 0;
};
/// What the file says of itself; nothing is unpacked. Errors: as decode()'s.
[[nodiscard]] Result<FileSize> size_of(std::span<const std::uint8_t> file);

struct DecodedPicture {
  Image image;  ///< Rgb8 without gaps
  FileFormat format = FileFormat::Unknown;
  bool animated =
      false;  ///< there are more frames; `image` is the first, or the still one of an APNG
};

/// Every bit depth and colour model becomes 8-bit RGB; what is transparent is laid on white.
/// Errors: invalid_argument with the detail {"reason":"no_picture"} (no format that is known,
/// broken or cut off) or {"reason":"too_large"} (by what the file says, before it is unpacked).
[[nodiscard]] Result<DecodedPicture> decode(std::span<const std::uint8_t> file,
                                            const DecodeLimits& limits = {});

}  // namespace gantry::picture
