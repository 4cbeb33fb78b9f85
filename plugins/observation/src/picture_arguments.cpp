// SPDX-License-Identifier: Apache-2.0
#include "picture_arguments.hpp"

#include <fmt/format.h>

#include "json_object.hpp"

namespace gantry::observation {
namespace {

constexpr std::int64_t kMaxEdgePixels = 32767;
constexpr std::int64_t kLeastBytes = 1000;
constexpr std::int64_t kMostBytes = 1 << 30;

Outcome<std::int64_t> number_between(const Arguments& arguments, std::string_view name,
                                     std::int64_t least, std::int64_t most) {
  const auto number = arguments.integer(name);
  if (!number.ok()) return number.failure();
  const std::int64_t value = number->value_or(0);
  if (value != 0 && (value < least || value > most)) {
    return failure(Fault::BadRequest, fmt::format("{} must be 0 or from {} to {}, found {}", name,
                                                  least, most, value));
  }
  return value;
}

PictureFormat format_of(const std::string& word) {
  if (word == "jpeg") return PictureFormat::Jpeg;
  return word == "auto" ? PictureFormat::Smaller : PictureFormat::Png;
}

}  // namespace

Outcome<PictureWish> picture_wish(const Arguments& arguments) {
  const auto edge = number_between(arguments, kMaxEdge.name, 1, kMaxEdgePixels);
  if (!edge.ok()) return edge.failure();
  const auto bytes = number_between(arguments, kMaxImageBytes.name, kLeastBytes, kMostBytes);
  if (!bytes.ok()) return bytes.failure();
  PictureWish wish;
  wish.max_edge = static_cast<std::int32_t>(*edge);
  wish.max_bytes = *bytes;
  wish.format = format_of(arguments.text(kImageFormat.name));
  wish.given = arguments.kind(kMaxEdge.name) || arguments.kind(kMaxImageBytes.name) ||
               arguments.kind(kImageFormat.name);
  return wish;
}

void add_scale(JsonObject& out, const Rect& shown, std::int32_t width, std::int32_t height) {
  if (shown.empty() || width < 1 || height < 1) return;
  const double x = static_cast<double>(shown.width) / width;
  const double y = static_cast<double>(shown.height) / height;
  JsonObject scale;
  scale.add("x", x);
  scale.add("y", y);
  out.add("scale", scale);
  const std::string space = "Tools that act take screen pixels, as in bounds. ";
  if (width == shown.width && height == shown.height && shown.x == 0 && shown.y == 0) {
    out.add("coordinates", space + "Pixels of this picture are screen pixels.");
    return;
  }
  out.add("coordinates",
          space + fmt::format("For a point of this picture: x = {} + {:.6g} * its column, y = {} + "
                              "{:.6g} * its row.",
                              shown.x, x, shown.y, y));
}

}  // namespace gantry::observation
