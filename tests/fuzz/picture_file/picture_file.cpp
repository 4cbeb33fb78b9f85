// SPDX-License-Identifier: Apache-2.0
// Pictures that clients send: the bytes of a file, and the same bytes as base64 or a data URL.
#include <gantry/picture/decode.hpp>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "source.hpp"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void decode(std::span<const std::uint8_t> file) {
  gantry::picture::DecodeLimits limits;
  limits.max_pixels = 1 << 20;
  const auto found = gantry::picture::decode(file, limits);
  if (!found.ok()) return check(found.error().code == gantry::Code::InvalidArgument);
  const gantry::Image& image = found->image;
  check(image.width > 0 && image.height > 0);
  check(std::int64_t{image.width} * image.height <= limits.max_pixels);
  check(image.pixels.size() ==
        static_cast<std::size_t>(image.stride) * static_cast<std::size_t>(image.height));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  decode({data, size});
  const auto bytes =
      gantry::perception_http::inline_bytes({reinterpret_cast<const char*>(data), size});
  if (bytes) decode(bytes->bytes());
  return 0;
}
