// SPDX-License-Identifier: Apache-2.0
#pragma once
// Screenshots as base64 text of a picture file. What was encoded last is kept, so that an unchanged
// screen costs neither a grab nor an encoding.

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "desktop.hpp"
#include "errors.hpp"
#include "picture_file.hpp"

namespace gantry::observation {

struct EncodedImage {
  std::shared_ptr<const std::string> base64;
  std::int32_t width = 0;
  std::int32_t height = 0;
  Rect area;  ///< What the image shows, in screen pixels.
  std::string_view format = "png";
};

/// The file as text, with the size that it has; `area` is what it shows.
[[nodiscard]] EncodedImage encoded_image(const PictureFile& file, const Rect& area);

/// Names what a request captures: the same pixels have the same name.
[[nodiscard]] std::string capture_key(const CaptureRequest& request);

class Screens {
 public:
  explicit Screens(Desktop& desktop) : desktop_(desktop) {}

  /// Errors keep the adapter's words: the window is gone, minimised, or there is no display.
  Task<Outcome<EncodedImage>> shoot(CaptureRequest request, PictureWish wish);

 private:
  static constexpr std::size_t kKept = 4;

  struct Kept {
    std::string key;            ///< What was captured, and how it was wished.
    std::uint64_t serial = 0;   ///< The adapter's; 0: it cannot tell.
    std::uint64_t content = 0;  ///< Checksum of the pixels, for adapters without a serial.
    EncodedImage image;
  };
  [[nodiscard]] const Kept* find(const std::string& key) const;
  void keep(Kept entry);

  Desktop& desktop_;
  std::list<Kept> kept_;  ///< Most recently used first.
};

}  // namespace gantry::observation
