// SPDX-License-Identifier: Apache-2.0
#include <webp/decode.h>
#include <webp/demux.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "decode_parts.hpp"

namespace gantry::picture {
namespace {

struct FreeAnimation {
  void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
};

/// The canvas as the first frame leaves it.
Result<std::vector<std::uint8_t>> first_frame(Bytes file, std::size_t size) {
  const WebPData data{file.data(), file.size()};
  WebPAnimDecoderOptions options;
  if (WebPAnimDecoderOptionsInit(&options) == 0) return no_picture("no WebP decoder");
  options.color_mode = MODE_RGBA;
  const std::unique_ptr<WebPAnimDecoder, FreeAnimation> decoder(
      WebPAnimDecoderNew(&data, &options));
  std::uint8_t* frame = nullptr;
  int shown_ms = 0;
  if (decoder == nullptr || WebPAnimDecoderGetNext(decoder.get(), &frame, &shown_ms) == 0) {
    return no_picture("the WebP animation is broken");
  }
  return std::vector<std::uint8_t>(frame, frame + size);
}

}  // namespace

Result<DecodedPicture> decode_webp(Bytes file, const DecodeLimits& limits) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(file.data(), file.size(), &features) != VP8_STATUS_OK) {
    return no_picture("the WebP has no header that can be read");
  }
  GANTRY_TRY(check_size(features.width, features.height, limits));
  const std::size_t size =
      static_cast<std::size_t>(features.width) * static_cast<std::size_t>(features.height) * 4;
  const bool animated = features.has_animation != 0;
  std::vector<std::uint8_t> rgba;
  if (animated) {
    GANTRY_ASSIGN(rgba, first_frame(file, size));
  } else {
    rgba.resize(size);
    if (WebPDecodeRGBAInto(file.data(), file.size(), rgba.data(), size, features.width * 4) ==
        nullptr) {
      return no_picture("the WebP is broken or cut off");
    }
  }
  return DecodedPicture{on_white(features.width, features.height, rgba), FileFormat::Webp,
                        animated};
}

}  // namespace gantry::picture
