// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "decode_parts.hpp"

namespace gantry::picture {
namespace {

bool has_at(Bytes file, std::size_t at, std::string_view text) {
  return file.size() >= at + text.size() &&
         std::equal(text.begin(), text.end(), file.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char c, std::uint8_t byte) { return static_cast<std::uint8_t>(c) == byte; });
}

/// `ink` of 255 over white.
std::uint8_t over_white(std::uint8_t value, std::uint8_t ink) {
  constexpr unsigned kWhite = 255;
  return static_cast<std::uint8_t>((value * ink + kWhite * (kWhite - ink) + kWhite / 2) / kWhite);
}

}  // namespace

Error no_picture(const std::string& why) {
  return Error{Code::InvalidArgument, "not a picture that can be read: " + why,
               R"({"reason":"no_picture"})"};
}

Result<void> check_size(std::int64_t width, std::int64_t height, const DecodeLimits& limits) {
  if (width <= 0 || height <= 0) return no_picture(fmt::format("its size is {}x{}", width, height));
  if (width > limits.max_side || height > limits.max_side || width * height > limits.max_pixels) {
    return Error{
        Code::InvalidArgument,
        fmt::format("the picture of {}x{} is too large: at most {} pixels, and {} on a side", width,
                    height, limits.max_pixels, limits.max_side),
        R"({"reason":"too_large"})"};
  }
  if (limits.admit) {
    return limits.admit(static_cast<std::int32_t>(width), static_cast<std::int32_t>(height));
  }
  return {};
}

Image rgb_image(std::int32_t width, std::int32_t height, std::vector<std::uint8_t> pixels) {
  return {width, height, width * 3, PixelFormat::Rgb8, Buffer::of(std::move(pixels))};
}

Image on_white(std::int32_t width, std::int32_t height, const std::vector<std::uint8_t>& rgba) {
  std::vector<std::uint8_t> rgb(rgba.size() / 4 * 3);
  std::uint8_t* to = rgb.data();
  for (std::size_t i = 0; i + 4 <= rgba.size(); i += 4) {
    const std::uint8_t ink = rgba[i + 3];
    for (std::size_t channel = 0; channel < 3; ++channel) {
      *to++ = ink == 255 ? rgba[i + channel] : over_white(rgba[i + channel], ink);
    }
  }
  return rgb_image(width, height, std::move(rgb));
}

FileFormat format_of(std::span<const std::uint8_t> file) {
  if (has_at(file, 0, "\x89PNG\r\n\x1a\n")) return FileFormat::Png;
  if (has_at(file, 0, "\xff\xd8\xff")) return FileFormat::Jpeg;
  if (has_at(file, 0, "RIFF") && has_at(file, 8, "WEBP")) return FileFormat::Webp;
  return FileFormat::Unknown;
}

std::string_view format_name(FileFormat format) {
  constexpr std::array<std::string_view, 4> kNames = {"", "png", "jpeg", "webp"};
  return kNames[static_cast<std::size_t>(format)];
}

Result<DecodedPicture> decode(std::span<const std::uint8_t> file, const DecodeLimits& limits) {
  switch (format_of(file)) {
    case FileFormat::Png: return decode_png(file, limits);
    case FileFormat::Jpeg: return decode_jpeg(file, limits);
    case FileFormat::Webp: return decode_webp(file, limits);
    case FileFormat::Unknown: break;
  }
  return no_picture(file.empty() ? "it is empty" : "it is no PNG, JPEG or WebP");
}

Result<FileSize> size_of(std::span<const std::uint8_t> file) {
  std::optional<FileSize> found;
  DecodeLimits look;
  look.max_side = std::numeric_limits<std::int32_t>::max();
  look.max_pixels = std::numeric_limits<std::int64_t>::max();
  look.admit = [&found](std::int32_t width, std::int32_t height) -> Result<void> {
    found = FileSize{width, height};
    return Error{Code::Cancelled, "nothing is to be unpacked", {}};
  };
  const auto stopped = decode(file, look);
  if (!found) return stopped.error();
  return *found;
}

}  // namespace gantry::picture
