// SPDX-License-Identifier: Apache-2.0
#include <gantry/path_roots.hpp>

#include "reference_image.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spng.h>

#include <fstream>
#include <memory>

namespace gantry::observation {
namespace {

constexpr std::size_t kMaxFile = 64U << 20U;
constexpr std::uint32_t kMaxReferenceSide = 16'384;
constexpr std::size_t kMaxPixels = 64U << 20U;
constexpr std::size_t kMaxChunk = 64U << 20U;

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};

Result<std::string> read_bytes(const std::filesystem::path& file, const std::string& path) {
  std::ifstream stream(file, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream ? static_cast<std::streamoff>(stream.tellg()) : -1;
  if (size < 0) return not_found(fmt::format("the reference '{}' cannot be read", path));
  if (static_cast<std::size_t>(size) > kMaxFile) {
    return invalid_argument(fmt::format("the reference '{}' is larger than 64 MiB", path));
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  stream.seekg(0);
  stream.read(bytes.data(), size);
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  return bytes;
}

Result<picture::GrayImage> decode(const std::string& bytes, const std::string& path) {
  const auto refused = [&path](const char* why) {
    return invalid_argument(
        fmt::format("the reference '{}' is no PNG to compare with: {}", path, why));
  };
  const std::unique_ptr<spng_ctx, FreeContext> context(spng_ctx_new(0));
  if (context == nullptr) return Error{Code::ResourceExhausted, "out of memory", {}};
  spng_set_image_limits(context.get(), kMaxReferenceSide, kMaxReferenceSide);
  spng_set_chunk_limits(context.get(), kMaxChunk, kMaxChunk);
  spng_set_png_buffer(context.get(), bytes.data(), bytes.size());
  spng_ihdr header{};
  if (const int error = spng_get_ihdr(context.get(), &header); error != 0) {
    return refused(spng_strerror(error));
  }
  std::size_t size = 0;
  if (const int error = spng_decoded_image_size(context.get(), SPNG_FMT_RGBA8, &size); error != 0) {
    return refused(spng_strerror(error));
  }
  if (size / 4 > kMaxPixels) return refused("it has too many pixels");
  std::vector<std::uint8_t> pixels(size);
  if (const int error = spng_decode_image(context.get(), pixels.data(), size, SPNG_FMT_RGBA8, 0);
      error != 0) {
    return refused(spng_strerror(error));
  }
  const auto width = static_cast<std::int32_t>(header.width);
  return picture::to_gray({width, static_cast<std::int32_t>(header.height), width * 4,
                           PixelFormat::Rgba8, Buffer::of(std::move(pixels))});
}

}  // namespace

Result<picture::GrayImage> read_reference_image(const std::string& path,
                                                const std::vector<std::string>& folders) {
  const auto file = find_in_roots(path, folders);
  std::error_code ignored;
  if (!file || !std::filesystem::is_regular_file(*file, ignored)) {
    return not_found(
        fmt::format("there is no file '{}' in the reference folders ({}); the key "
                    "plugins.observation.config.reference_roots names them",
                    path, fmt::join(folders, ", ")));
  }
  GANTRY_ASSIGN(const std::string bytes, read_bytes(*file, path));
  return decode(bytes, path);
}

}  // namespace gantry::observation
