// SPDX-License-Identifier: Apache-2.0
//
// Image and Audio: pixels and samples by reference. Both are values: copying shares the bytes.
#pragma once

#include <gantry/buffer.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>

namespace gantry {

/// Layout of one pixel in memory, first byte first. X bytes are undefined.
enum class PixelFormat : std::uint8_t { Bgrx8, Bgra8, Rgb8, Rgba8, Gray8 };
BOOST_DESCRIBE_ENUM(PixelFormat, Bgrx8, Bgra8, Rgb8, Rgba8, Gray8)

/// Bytes that one pixel takes.
constexpr std::int32_t bytes_per_pixel(PixelFormat format) {
  switch (format) {
    case PixelFormat::Gray8: return 1;
    case PixelFormat::Rgb8: return 3;
    case PixelFormat::Bgrx8:
    case PixelFormat::Bgra8:
    case PixelFormat::Rgba8: return 4;
  }
  return 4;
}

/// Raw pixels, row 0 at the top; row r begins at byte r * stride.
struct Image {
  std::int32_t width = 0;   // pixels
  std::int32_t height = 0;  // pixels
  std::int32_t stride = 0;  // bytes from one row to the next, >= width * bytes_per_pixel
  PixelFormat format = PixelFormat::Bgrx8;
  Buffer pixels;  // at least (height - 1) * stride + width * bytes_per_pixel bytes
};
BOOST_DESCRIBE_STRUCT(Image, (), (width, height, stride, format, pixels))

/// Interleaved signed 16-bit little-endian samples.
struct Audio {
  std::int32_t sample_rate = 16000;  // frames per second
  std::int32_t channels = 1;
  Buffer samples;  // frames * channels * 2 bytes
};
BOOST_DESCRIBE_STRUCT(Audio, (), (sample_rate, channels, samples))

}  // namespace gantry
