// SPDX-License-Identifier: Apache-2.0
#include "screens.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>

#include "base64.hpp"

namespace gantry::observation {
namespace {

/// Two independent checksums; libdeflate computes them at memory speed.
std::uint64_t content_of(const Image& image) {
  const std::uint64_t crc = libdeflate_crc32(0, image.pixels.data(), image.pixels.size());
  const std::uint64_t adler = libdeflate_adler32(1, image.pixels.data(), image.pixels.size());
  return crc << 32U | adler;
}

struct Encoding {
  std::uint64_t content = 0;
  Result<EncodedImage> image = EncodedImage{};
};

/// Encodes unless the pixels are those of `known`, whose encoding then is the answer.
Encoding encode(const Capture& capture, const PictureWish& wish, std::uint64_t known_content,
                const EncodedImage& known) {
  Encoding out;
  out.content = content_of(capture.image);
  if (out.content == known_content && known.base64 != nullptr) {
    out.image = known;
    return out;
  }
  const Result<PictureFile> file = encode_picture(capture.image, wish);
  out.image = file.ok() ? Result<EncodedImage>(encoded_image(*file, capture.area)) : file.error();
  return out;
}

}  // namespace

std::string capture_key(const CaptureRequest& request) {
  std::string key =
      fmt::format("{}/{}/{}", static_cast<int>(request.target), request.handle, request.monitor);
  if (request.region) {
    const Rect& r = *request.region;
    key += fmt::format("/{},{},{},{}", r.x, r.y, r.width, r.height);
  }
  return key;
}

EncodedImage encoded_image(const PictureFile& file, const Rect& area) {
  return {std::make_shared<const std::string>(encode_base64(file.bytes)), file.width, file.height,
          area, file.format};
}

Task<Outcome<EncodedImage>> Screens::shoot(CaptureRequest request, PictureWish wish) {
  const std::string key = capture_key(request) + picture_key(wish);
  Kept known{key, 0, 0, {}};
  if (const Kept* found = find(key)) known = *found;
  request.unless_serial = known.serial;

  const Answer<Capture> answer = co_await desktop_.capture(std::move(request));
  if (!answer.ok()) {
    Failure why = failure_from(answer.error());
    why.message = "Screenshot capture failed: " + why.message;
    co_return why;
  }
  const Ref<Capture>& capture = *answer;
  if (capture->unchanged && known.image.base64 != nullptr) co_return known.image;

  Encoding encoding;
  std::function<void()> work = [&] {
    encoding = encode(*capture, wish, known.content, known.image);
  };
  const Result<void> done = co_await desktop_.offload(std::move(work));
  if (!done.ok()) encoding.image = done.error();
  if (!encoding.image.ok()) {
    co_return failure(Fault::Internal,
                      "Screenshot capture failed: " + encoding.image.error().message);
  }
  keep({key, capture->serial, encoding.content, *encoding.image});
  co_return *encoding.image;
}

const Screens::Kept* Screens::find(const std::string& key) const {
  const auto entry =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.key == key; });
  return entry != kept_.end() ? &*entry : nullptr;
}

void Screens::keep(Kept entry) {
  kept_.remove_if([&](const Kept& kept) { return kept.key == entry.key; });
  kept_.push_front(std::move(entry));
  if (kept_.size() > kKept) kept_.pop_back();
}

}  // namespace gantry::observation
