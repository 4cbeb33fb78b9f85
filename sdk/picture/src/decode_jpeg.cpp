// SPDX-License-Identifier: Apache-2.0
#include <turbojpeg.h>

#include <algorithm>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "decode_parts.hpp"

namespace gantry::picture {
namespace {

constexpr std::size_t kMostPasses = 64;  // programs that write JPEG files need ten or so

struct FreeDecoder {
  void operator()(void* handle) const { tjDestroy(handle); }
};

/// Whether the file says that it is Adobe's: then four colours are stored as what is left of white.
bool is_adobes(Bytes file) {
  constexpr std::size_t kLooked = 64U << 10U;
  const std::string_view head(reinterpret_cast<const char*>(file.data()),
                              std::min(file.size(), kLooked));
  return head.find(std::string_view("\xff\xee", 2)) != std::string_view::npos &&
         head.find("Adobe") != std::string_view::npos;
}

std::vector<std::uint8_t> rgb_of_cmyk(const std::vector<std::uint8_t>& cmyk, bool inverted) {
  constexpr unsigned kFull = 255;
  std::vector<std::uint8_t> rgb(cmyk.size() / 4 * 3);
  std::uint8_t* to = rgb.data();
  for (std::size_t i = 0; i + 4 <= cmyk.size(); i += 4) {
    const auto light = [&](std::size_t at) -> unsigned {
      return inverted ? cmyk[i + at] : kFull - cmyk[i + at];
    };
    for (std::size_t channel = 0; channel < 3; ++channel) {
      *to++ = static_cast<std::uint8_t>((light(channel) * light(3) + kFull / 2) / kFull);
    }
  }
  return rgb;
}

/// How often the file goes over all its pixels. Each time costs as much as there are pixels, but
/// only a few bytes of the file.
std::size_t passes_of(Bytes file) {
  constexpr std::uint8_t kMark = 0xFF;
  constexpr std::uint8_t kScan = 0xDA;
  constexpr std::uint8_t kEnd = 0xD9;
  const auto is_bare = [](std::uint8_t kind) {  // TEM, RST0 to RST7 and SOI: nothing follows
    return kind == 0x01 || (kind >= 0xD0 && kind <= 0xD8);
  };
  std::size_t passes = 0;
  std::size_t at = 2;
  while (at + 4 <= file.size()) {
    const std::uint8_t kind = file[at + 1];
    if (file[at] != kMark || kind == kMark || kind == 0 || is_bare(kind)) {
      ++at;  // data of a pass, or what fills up
      continue;
    }
    if (kind == kEnd) break;
    if (kind == kScan) ++passes;
    at += 2 + (std::size_t{file[at + 2]} << 8U | file[at + 3]);
  }
  return passes;
}

/// A warning about something that is missing, not about something that could be passed over.
bool is_cut_off(std::string_view warning) {
  return warning.find("remature end") != std::string_view::npos;
}

}  // namespace

Result<DecodedPicture> decode_jpeg(Bytes file, const DecodeLimits& limits) {
  const std::unique_ptr<void, FreeDecoder> decoder(tjInitDecompress());
  if (!decoder) return Error{Code::ResourceExhausted, "out of memory", {}};
  int width = 0;
  int height = 0;
  int subsampling = 0;
  int colours = 0;
  if (tjDecompressHeader3(decoder.get(), file.data(), static_cast<unsigned long>(file.size()),
                          &width, &height, &subsampling, &colours) != 0) {
    return no_picture(tjGetErrorStr2(decoder.get()));
  }
  GANTRY_TRY(check_size(width, height, limits));
  if (passes_of(file) > kMostPasses) return no_picture("the JPEG goes over its pixels too often");
  const bool four = colours == TJCS_CMYK || colours == TJCS_YCCK;
  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  std::vector<std::uint8_t> pixels(count * (four ? 4 : 3));
  const int failed = tjDecompress2(decoder.get(), file.data(),
                                   static_cast<unsigned long>(file.size()), pixels.data(), width, 0,
                                   height, four ? TJPF_CMYK : TJPF_RGB, TJFLAG_LIMITSCANS);
  if (failed != 0 && (tjGetErrorCode(decoder.get()) != TJERR_WARNING ||
                      is_cut_off(tjGetErrorStr2(decoder.get())))) {
    return no_picture(tjGetErrorStr2(decoder.get()));
  }
  if (four) pixels = rgb_of_cmyk(pixels, is_adobes(file));
  return DecodedPicture{rgb_image(width, height, std::move(pixels)), FileFormat::Jpeg, false};
}

}  // namespace gantry::picture
