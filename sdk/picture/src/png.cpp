// SPDX-License-Identifier: Apache-2.0
#include <gantry/picture/check.hpp>
#include <gantry/picture/png.hpp>

#include <fmt/format.h>
#include <libdeflate.h>

#include <array>
#include <cstring>
#include <memory>
#include <string_view>

namespace gantry::picture {
namespace {

constexpr std::array<std::uint8_t, 8> kSignature{0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A};
constexpr std::uint8_t kBitDepth = 8;
constexpr std::uint8_t kTrueColour = 2;
constexpr std::size_t kRgb = 3;
constexpr std::size_t kSampling = 8;

enum class RowFilter : std::uint8_t { None = 0, Sub = 1 };

void put_u32(std::vector<std::uint8_t>& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<std::uint8_t>(value >> static_cast<unsigned>(shift)));
  }
}

void put_u32_at(std::uint8_t* at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i)
    at[i] = static_cast<std::uint8_t>(value >> (24U - 8U * static_cast<unsigned>(i)));
}

/// Chunk: length, type, data, CRC over type and data (PNG 1.2, section 3.2).
void put_chunk(std::vector<std::uint8_t>& out, std::string_view type,
               const std::vector<std::uint8_t>& data) {
  put_u32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), data.begin(), data.end());
  put_u32(out, libdeflate_crc32(0, out.data() + start, out.size() - start));
}

/// One pixel as a little-endian word whose low three bytes are red, green, blue.
template <PixelFormat Format>
std::uint32_t rgb_word(const std::uint8_t* from) {
  if constexpr (Format == PixelFormat::Gray8) {
    return from[0] * 0x010101U;
  } else if constexpr (Format == PixelFormat::Rgb8) {
    return from[0] | static_cast<std::uint32_t>(from[1]) << 8U |
           static_cast<std::uint32_t>(from[2]) << 16U;
  } else {
    std::uint32_t word = 0;
    std::memcpy(&word, from, sizeof word);
    const bool reversed = Format == PixelFormat::Bgrx8 || Format == PixelFormat::Bgra8;
    return reversed ? __builtin_bswap32(word) >> 8U : word;
  }
}

/// Stores a whole word per pixel and lets the next pixel overwrite the fourth byte: three times as
/// fast as single bytes. The buffer has the slack for the last pixel.
template <PixelFormat Format>
void copy_row(const std::uint8_t* from, std::uint8_t* to, std::int32_t width) {
  constexpr auto kStep = static_cast<std::size_t>(bytes_per_pixel(Format));
  for (std::int32_t x = 0; x < width; ++x, from += kStep, to += kRgb) {
    const std::uint32_t word = rgb_word<Format>(from);
    std::memcpy(to, &word, sizeof word);
  }
}

using CopyRow = void (*)(const std::uint8_t*, std::uint8_t*, std::int32_t);

constexpr CopyRow copier_of(PixelFormat format) {
  switch (format) {
    case PixelFormat::Bgrx8: return copy_row<PixelFormat::Bgrx8>;
    case PixelFormat::Bgra8: return copy_row<PixelFormat::Bgra8>;
    case PixelFormat::Rgb8: return copy_row<PixelFormat::Rgb8>;
    case PixelFormat::Rgba8: return copy_row<PixelFormat::Rgba8>;
    case PixelFormat::Gray8: return copy_row<PixelFormat::Gray8>;
  }
  return copy_row<PixelFormat::Rgba8>;
}

/// Sub keeps the difference to the pixel on the left. Right to left, so it can be done in place.
void apply_sub(std::uint8_t* row, std::size_t bytes) {
  for (std::size_t i = bytes; i-- > kRgb;)
    row[i] = static_cast<std::uint8_t>(row[i] - row[i - kRgb]);
}

/// Photographs and gradients compress far better as differences, flat surfaces and text better as
/// they are. Pixels that differ from their neighbour by a little mark the former; every eighth is
/// looked at.
RowFilter choose_filter(const std::uint8_t* row, std::size_t bytes) {
  std::size_t slight = 0;
  std::size_t strong = 0;
  for (std::size_t i = kRgb + 1; i < bytes; i += kRgb * kSampling) {
    // The row is filled; the analyzer does not follow copy_row's word-wise stores.
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
    const int difference = row[i] - row[i - kRgb];
    if (difference == 0) continue;
    (difference > -16 && difference < 16 ? slight : strong) += 1;
  }
  return slight > 2 * strong && slight * kSampling * kRgb * 4 > bytes ? RowFilter::Sub
                                                                      : RowFilter::None;
}

/// All rows with their filter bytes, ready for compression.
std::unique_ptr<std::uint8_t[]> filtered_rows(const Image& image, std::size_t& size) {
  const std::size_t row_bytes = static_cast<std::size_t>(image.width) * kRgb;
  size = (row_bytes + 1) * static_cast<std::size_t>(image.height);
  std::unique_ptr<std::uint8_t[]> raw(new std::uint8_t[size + 1]);  // one more: see copy_row
  const CopyRow copy = copier_of(image.format);
  const std::uint8_t* from = image.pixels.data();
  std::uint8_t* out = raw.get();
  for (std::int32_t y = 0; y < image.height; ++y, out += row_bytes + 1, from += image.stride) {
    copy(from, out + 1, image.width);
    const RowFilter filter = choose_filter(out + 1, row_bytes);
    if (filter == RowFilter::Sub) apply_sub(out + 1, row_bytes);
    out[0] = static_cast<std::uint8_t>(filter);
  }
  return raw;
}

struct FreeDeflater {
  void operator()(libdeflate_compressor* compressor) const {
    libdeflate_free_compressor(compressor);
  }
};

}  // namespace

Result<std::vector<std::uint8_t>> encode_png(const Image& image, const PngOptions& options) {
  GANTRY_TRY(check_pixels(image));
  const std::unique_ptr<libdeflate_compressor, FreeDeflater> compressor(
      libdeflate_alloc_compressor(options.level));
  if (!compressor) {
    return internal_error(fmt::format("compression level {} is not in 0..12", options.level));
  }
  std::size_t raw_size = 0;
  const auto raw = filtered_rows(image, raw_size);

  std::vector<std::uint8_t> out(kSignature.begin(), kSignature.end());
  std::vector<std::uint8_t> header;
  put_u32(header, static_cast<std::uint32_t>(image.width));
  put_u32(header, static_cast<std::uint32_t>(image.height));
  header.insert(header.end(), {kBitDepth, kTrueColour, 0, 0, 0});
  put_chunk(out, "IHDR", header);

  // The pixel data is compressed straight into the file's buffer: it is too big to copy twice.
  const std::size_t chunk_start = out.size();
  const std::size_t bound = libdeflate_zlib_compress_bound(compressor.get(), raw_size);
  out.resize(chunk_start + 8 + bound);
  std::memcpy(out.data() + chunk_start + 4, "IDAT", 4);
  const std::size_t packed = libdeflate_zlib_compress(compressor.get(), raw.get(), raw_size,
                                                      out.data() + chunk_start + 8, bound);
  put_u32_at(out.data() + chunk_start, static_cast<std::uint32_t>(packed));
  out.resize(chunk_start + 8 + packed);
  put_u32(out, libdeflate_crc32(0, out.data() + chunk_start + 4, packed + 4));
  put_chunk(out, "IEND", {});
  return out;
}

}  // namespace gantry::picture
