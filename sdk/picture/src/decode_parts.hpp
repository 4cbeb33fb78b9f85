// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the decoders of single formats share.

#include <gantry/picture/decode.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace gantry::picture {

using Bytes = std::span<const std::uint8_t>;

Error no_picture(const std::string& why);
/// Refuses a size that is empty, beyond the limits, or not admitted. Once for each file.
Result<void> check_size(std::int64_t width, std::int64_t height, const DecodeLimits& limits);

/// An Rgb8 image of rows without gaps.
Image rgb_image(std::int32_t width, std::int32_t height, std::vector<std::uint8_t> pixels);
/// RGBA pixels laid on white.
Image on_white(std::int32_t width, std::int32_t height, const std::vector<std::uint8_t>& rgba);

Result<DecodedPicture> decode_png(Bytes file, const DecodeLimits& limits);
Result<DecodedPicture> decode_jpeg(Bytes file, const DecodeLimits& limits);
Result<DecodedPicture> decode_webp(Bytes file, const DecodeLimits& limits);

}  // namespace gantry::picture
