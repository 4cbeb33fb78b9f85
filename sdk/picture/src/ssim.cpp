// SPDX-License-Identifier: Apache-2.0
#include <gantry/picture/ssim.hpp>

#include <array>
#include <cstddef>

namespace gantry::picture {
namespace {

constexpr int kWindow = 7;
constexpr double kCount = kWindow * kWindow;
constexpr double kC1 = (0.01 * 255) * (0.01 * 255);
constexpr double kC2 = (0.03 * 255) * (0.03 * 255);

/// Sums over a window: of both pictures, of their squares, and of their product.
struct Sums {
  std::int64_t a = 0, b = 0, aa = 0, bb = 0, ab = 0;

  void add(std::int64_t x, std::int64_t y, std::int64_t sign) {
    a += sign * x;
    b += sign * y;
    aa += sign * x * x;
    bb += sign * y * y;
    ab += sign * x * y;
  }
  void add(const Sums& other, std::int64_t sign) {
    a += sign * other.a;
    b += sign * other.b;
    aa += sign * other.aa;
    bb += sign * other.bb;
    ab += sign * other.ab;
  }
};

double similarity(const Sums& sums) {
  const double mean_a = static_cast<double>(sums.a) / kCount;
  const double mean_b = static_cast<double>(sums.b) / kCount;
  const double unbiased = kCount / (kCount - 1);
  const double var_a = unbiased * (static_cast<double>(sums.aa) / kCount - mean_a * mean_a);
  const double var_b = unbiased * (static_cast<double>(sums.bb) / kCount - mean_b * mean_b);
  const double cov = unbiased * (static_cast<double>(sums.ab) / kCount - mean_a * mean_b);
  return ((2 * mean_a * mean_b + kC1) * (2 * cov + kC2)) /
         ((mean_a * mean_a + mean_b * mean_b + kC1) * (var_a + var_b + kC2));
}

/// Where red, green and blue are in a pixel.
struct Channels {
  int red, green, blue;
};
constexpr Channels channels_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::Bgrx8:
    case PixelFormat::Bgra8: return {2, 1, 0};
    case PixelFormat::Rgb8:
    case PixelFormat::Rgba8: return {0, 1, 2};
    case PixelFormat::Gray8: return {0, 0, 0};
  }
  return {0, 0, 0};
}

}  // namespace

GrayImage to_gray(const Image& image) {
  GrayImage out;
  out.width = image.width;
  out.height = image.height;
  out.pixels.reserve(static_cast<std::size_t>(image.width) *
                     static_cast<std::size_t>(image.height));
  const Channels at = channels_of(image.format);
  const int step = bytes_per_pixel(image.format);
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* pixel = image.pixels.data() + static_cast<std::ptrdiff_t>(y) * image.stride;
    for (int x = 0; x < image.width; ++x, pixel += step) {
      // 16-bit fixed point of 0.299, 0.587 and 0.114, rounded.
      const std::uint32_t gray =
          19595U * pixel[at.red] + 38470U * pixel[at.green] + 7471U * pixel[at.blue] + 0x8000U;
      out.pixels.push_back(static_cast<std::uint8_t>(gray >> 16U));
    }
  }
  return out;
}

std::optional<double> structural_similarity(const GrayImage& a, const GrayImage& b) {
  if (a.width != b.width || a.height != b.height) return std::nullopt;
  if (a.width < kWindow || a.height < kWindow) return std::nullopt;
  const auto width = static_cast<std::size_t>(a.width);
  // Sums of each column over the last seven rows; they slide down, and windows slide along them.
  std::vector<Sums> columns(width);
  const auto add_row = [&](int y, std::int64_t sign) {
    const std::size_t row = static_cast<std::size_t>(y) * width;
    for (std::size_t x = 0; x < width; ++x) {
      columns[x].add(a.pixels[row + x], b.pixels[row + x], sign);
    }
  };
  double total = 0;
  for (int y = 0; y < a.height; ++y) {
    add_row(y, 1);
    if (y >= kWindow) add_row(y - kWindow, -1);
    if (y < kWindow - 1) continue;
    Sums window;
    for (std::size_t x = 0; x < width; ++x) {
      window.add(columns[x], 1);
      if (x >= kWindow) window.add(columns[x - kWindow], -1);
      if (x + 1 >= kWindow) total += similarity(window);
    }
  }
  const double windows = static_cast<double>(a.width - kWindow + 1) * (a.height - kWindow + 1);
  return total / windows;
}

}  // namespace gantry::picture
