// SPDX-License-Identifier: Apache-2.0
#include <gantry/picture/scale.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace gantry::picture {
namespace {

/// How much of each source line one target line covers: `weights[i]` of line `first + i`. A target
/// line's weights add up to kFullWeight.
struct Cover {
  std::int32_t first = 0;
  std::vector<std::uint32_t> weights;
};
constexpr std::uint32_t kFullWeight = 1U << 12U;

/// The cover of each of `small` lines by `big` ones, at least as many.
std::vector<Cover> covers_of(std::int32_t small, std::int32_t big) {
  std::vector<Cover> out(static_cast<std::size_t>(small));
  for (std::int64_t i = 0; i < small; ++i) {
    // In units of 1/small of a source line: target line i is [i * big, (i + 1) * big).
    const std::int64_t begin = i * big;
    const std::int64_t end = begin + big;
    Cover& cover = out[static_cast<std::size_t>(i)];
    cover.first = static_cast<std::int32_t>(begin / small);
    // Rounded where the parts meet, so that they add up and no error gathers.
    std::uint32_t given = 0;
    for (std::int64_t line = cover.first; line * small < end; ++line) {
      const std::int64_t covered = std::min(end, (line + 1) * small) - begin;
      const auto until = static_cast<std::uint32_t>(covered * kFullWeight / big);
      cover.weights.push_back(until - given);
      given = until;
    }
  }
  return out;
}

/// One source row with its columns gathered: bytes times kFullWeight.
void gather_row(const std::uint8_t* from, std::size_t step, const std::vector<Cover>& columns,
                std::vector<std::uint32_t>& out) {
  std::uint32_t* to = out.data();
  for (const Cover& cover : columns) {
    const std::uint8_t* const first = from + static_cast<std::size_t>(cover.first) * step;
    for (std::size_t channel = 0; channel < step; ++channel) {
      const std::uint8_t* pixel = first + channel;
      std::uint32_t sum = 0;
      for (const std::uint32_t weight : cover.weights) {
        sum += weight * *pixel;
        pixel += step;
      }
      *to++ = sum;
    }
  }
}

/// The mean of what each pixel of the smaller picture covers, rows and columns apart.
Image mean_scaled(const Image& image, std::int32_t width, std::int32_t height) {
  const auto step = static_cast<std::size_t>(bytes_per_pixel(image.format));
  const std::vector<Cover> columns = covers_of(width, image.width);
  const std::vector<Cover> rows = covers_of(height, image.height);
  const std::size_t length = static_cast<std::size_t>(width) * step;
  std::vector<std::uint8_t> pixels(length * static_cast<std::size_t>(height));
  std::vector<std::uint32_t> gathered(length);
  std::vector<std::uint32_t> sums(length);  // 255 * kFullWeight * kFullWeight fits
  std::int32_t gathered_row = -1;
  std::uint8_t* to = pixels.data();
  for (const Cover& cover : rows) {
    std::fill(sums.begin(), sums.end(), 0);
    for (std::size_t i = 0; i < cover.weights.size(); ++i) {
      const std::int32_t row = cover.first + static_cast<std::int32_t>(i);
      if (row != gathered_row) {
        gather_row(image.pixels.data() + std::int64_t{row} * image.stride, step, columns, gathered);
        gathered_row = row;
      }
      const std::uint32_t weight = cover.weights[i];
      for (std::size_t at = 0; at < length; ++at) sums[at] += weight * gathered[at];
    }
    for (const std::uint32_t sum : sums)
      *to++ = static_cast<std::uint8_t>(sum / (kFullWeight * kFullWeight));
  }
  Image out = image;
  out.width = width;
  out.height = height;
  out.stride = static_cast<std::int32_t>(length);
  out.pixels = Buffer::of(std::move(pixels));
  return out;
}

std::int32_t in_proportion(std::int32_t side, std::int32_t edge, std::int32_t longer) {
  const std::int64_t scaled = (std::int64_t{side} * edge + longer / 2) / longer;
  return static_cast<std::int32_t>(std::max<std::int64_t>(1, scaled));
}

}  // namespace

Image cut(const Image& image, std::int32_t x, std::int32_t y, std::int32_t width,
          std::int32_t height) {
  const std::int64_t begin =
      std::int64_t{y} * image.stride + std::int64_t{x} * bytes_per_pixel(image.format);
  Image part = image;
  part.width = width;
  part.height = height;
  part.pixels = Buffer::wrap(image.pixels.bytes().subspan(static_cast<std::size_t>(begin)),
                             [whole = image.pixels] {});
  return part;
}

Image scaled_to(const Image& image, std::int32_t edge) {
  const std::int32_t longer = std::max(image.width, image.height);
  if (longer <= edge || edge <= 0) return image;
  return mean_scaled(image, in_proportion(image.width, edge, longer),
                     in_proportion(image.height, edge, longer));
}

Image shrink(const Image& image, std::int32_t max_width) {
  if (image.width <= max_width || max_width <= 0) return image;
  const auto height =
      std::max<std::int64_t>(1, std::int64_t{image.height} * max_width / image.width);
  return mean_scaled(image, max_width, static_cast<std::int32_t>(height));
}

}  // namespace gantry::picture
