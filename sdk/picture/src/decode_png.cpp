// SPDX-License-Identifier: Apache-2.0
#include <spng.h>

#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "decode_parts.hpp"

namespace gantry::picture {
namespace {

constexpr std::size_t kSignature = 8;
constexpr std::size_t kChunkFrame = 12;        // length, type and check sum
constexpr std::size_t kMaxChunk = 64U << 20U;  // of what is not pixels

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
using Context = std::unique_ptr<spng_ctx, FreeContext>;

Error broken(int error) { return no_picture(spng_strerror(error)); }

std::uint32_t big_endian(const std::uint8_t* at) {
  return static_cast<std::uint32_t>(at[0]) << 24U | static_cast<std::uint32_t>(at[1]) << 16U |
         static_cast<std::uint32_t>(at[2]) << 8U | at[3];
}

/// Whether an APNG's control chunk stands before the pixels.
bool is_animated(Bytes file) {
  std::size_t at = kSignature;
  while (at + kChunkFrame <= file.size()) {
    const std::string_view type(reinterpret_cast<const char*>(file.data()) + at + 4, 4);
    if (type == "acTL") return true;
    if (type == "IDAT") return false;
    const std::size_t length = big_endian(file.data() + at);
    if (length > file.size() - at - kChunkFrame) return false;
    at += kChunkFrame + length;
  }
  return false;
}

/// A zero size is no size for the library; others are told by the limits that they break.
Result<void> claimed_size(Bytes file, const DecodeLimits& limits) {
  constexpr std::size_t kHeader = kSignature + 8 + 8;
  if (file.size() < kHeader || std::memcmp(file.data() + kSignature + 4, "IHDR", 4) != 0) {
    return no_picture("the PNG has no header");
  }
  return check_size(big_endian(file.data() + 16), big_endian(file.data() + 20), limits);
}

}  // namespace

Result<DecodedPicture> decode_png(Bytes file, const DecodeLimits& limits) {
  GANTRY_TRY(claimed_size(file, limits));
  const Context context(spng_ctx_new(0));
  if (context == nullptr) return Error{Code::ResourceExhausted, "out of memory", {}};
  const auto side = static_cast<std::uint32_t>(limits.max_side);
  spng_set_image_limits(context.get(), side, side);
  spng_set_chunk_limits(context.get(), kMaxChunk, kMaxChunk);
  spng_set_png_buffer(context.get(), file.data(), file.size());
  spng_ihdr header{};
  if (const int error = spng_get_ihdr(context.get(), &header)) return broken(error);
  std::size_t size = 0;
  if (const int error = spng_decoded_image_size(context.get(), SPNG_FMT_RGBA8, &size)) {
    return broken(error);
  }
  std::vector<std::uint8_t> rgba(size);
  if (const int error =
          spng_decode_image(context.get(), rgba.data(), size, SPNG_FMT_RGBA8, SPNG_DECODE_TRNS)) {
    return broken(error);
  }
  return DecodedPicture{on_white(static_cast<std::int32_t>(header.width),
                                 static_cast<std::int32_t>(header.height), rgba),
                        FileFormat::Png, is_animated(file)};
}

}  // namespace gantry::picture
