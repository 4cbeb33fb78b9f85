// SPDX-License-Identifier: Apache-2.0
#include <gantry/picture/check.hpp>
#include <gantry/picture/jpeg.hpp>

#include <turbojpeg.h>

#include <memory>
#include <string>

namespace gantry::picture {
namespace {

struct FreeCompressor {
  void operator()(void* handle) const { tjDestroy(handle); }
};
struct FreeFile {
  void operator()(unsigned char* bytes) const { tjFree(bytes); }
};

constexpr int pixel_layout(PixelFormat format) {
  switch (format) {
    case PixelFormat::Bgrx8:
    case PixelFormat::Bgra8: return TJPF_BGRX;
    case PixelFormat::Rgb8: return TJPF_RGB;
    case PixelFormat::Rgba8: return TJPF_RGBX;
    case PixelFormat::Gray8: return TJPF_GRAY;
  }
  return TJPF_BGRX;
}

}  // namespace

Result<std::vector<std::uint8_t>> encode_jpeg(const Image& image, int quality) {
  GANTRY_TRY(check_pixels(image));
  const std::unique_ptr<void, FreeCompressor> compressor(tjInitCompress());
  if (!compressor)
    return internal_error(std::string("no JPEG encoder: ") + tjGetErrorStr2(nullptr));
  const bool gray = image.format == PixelFormat::Gray8;
  unsigned char* file = nullptr;
  unsigned long size = 0;
  const int failed = tjCompress2(compressor.get(), image.pixels.data(), image.width, image.stride,
                                 image.height, pixel_layout(image.format), &file, &size,
                                 gray ? TJSAMP_GRAY : TJSAMP_444, quality, 0);
  const std::unique_ptr<unsigned char, FreeFile> owned(file);
  if (failed != 0) {
    return invalid_argument(std::string("no JPEG: ") + tjGetErrorStr2(compressor.get()));
  }
  return std::vector<std::uint8_t>(file, file + size);
}

}  // namespace gantry::picture
