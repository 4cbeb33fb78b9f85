// SPDX-License-Identifier: Apache-2.0
//
// What kind of artifact bytes are, by the bytes themselves.
#pragma once

#include <span>
#include <string_view>

namespace gantry::artifacts {

struct MediaType {
  std::string_view content_type;  // "image/png"
  std::string_view extension;     // ".png"
};

/// All that there are: PNG, JPEG, WebP, PDF.
std::span<const MediaType> media_types();

/// What the bytes are, by their signature; nullptr: none of these.
const MediaType* sniff(std::string_view bytes);

/// "Image/PNG; q=1" is that of image/png; nullptr: none of these.
const MediaType* declared(std::string_view content_type);

/// Whether it is 32 hexadecimal digits, as they were given out, and the extension of a type. Older
/// ids of other programs (letters, digits, - and _, up to 128) are ids as well, of no artifact.
bool is_artifact_id(std::string_view id);

}  // namespace gantry::artifacts
