// SPDX-License-Identifier: Apache-2.0
#include "rendered_text.hpp"

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace gantry::ocr::test {
namespace {

void paint(cairo_t* on, const Colour& colour) {
  cairo_set_source_rgb(on, colour.red, colour.green, colour.blue);
}

void round_bar(cairo_t* on, const Rect& box) {
  constexpr double kRadius = 4;
  constexpr double kRight = 1.5707963267948966;
  const double left = box.x + kRadius;
  const double right = box.x + box.width - kRadius;
  const double top = box.y + kRadius;
  const double bottom = box.y + box.height - kRadius;
  cairo_new_sub_path(on);
  cairo_arc(on, right, top, kRadius, -kRight, 0);
  cairo_arc(on, right, bottom, kRadius, 0, kRight);
  cairo_arc(on, left, bottom, kRadius, kRight, 2 * kRight);
  cairo_arc(on, left, top, kRadius, 2 * kRight, 3 * kRight);
  cairo_close_path(on);
}

}  // namespace

Image draw(std::int32_t width, std::int32_t height, const Palette& palette,
           const std::vector<Label>& labels, std::vector<Rect>* boxes) {
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height), &cairo_surface_destroy);
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> on(cairo_create(surface.get()),
                                                              &cairo_destroy);
  paint(on.get(), palette.ground);
  cairo_paint(on.get());
  cairo_select_font_face(on.get(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         CAIRO_FONT_WEIGHT_NORMAL);
  for (const Label& label : labels) {
    cairo_set_font_size(on.get(), label.size);
    cairo_text_extents_t extents;
    cairo_text_extents(on.get(), label.text.c_str(), &extents);
    const double base = label.y + label.size;
    if (label.bar) {
      paint(on.get(), label.bar->ground);
      if (label.button) {
        round_bar(on.get(), {label.x - 10, label.y - 3,
                             static_cast<std::int32_t>(extents.width) + 20, label.size + 9});
      } else {
        cairo_rectangle(on.get(), label.x - 60, label.y - 1, extents.width + 120, label.size + 5);
      }
      cairo_fill(on.get());
    }
    paint(on.get(), label.bar ? label.bar->text : palette.text);
    cairo_move_to(on.get(), label.x, base);
    cairo_show_text(on.get(), label.text.c_str());
    if (boxes == nullptr) continue;
    boxes->push_back({static_cast<std::int32_t>(std::floor(label.x + extents.x_bearing)),
                      static_cast<std::int32_t>(std::floor(base + extents.y_bearing)),
                      static_cast<std::int32_t>(std::ceil(extents.width)),
                      static_cast<std::int32_t>(std::ceil(extents.height))});
  }
  if (cairo_status(on.get()) != CAIRO_STATUS_SUCCESS) throw std::runtime_error("Cairo failed");
  cairo_surface_flush(surface.get());
  const std::int32_t stride = cairo_image_surface_get_stride(surface.get());
  const std::uint8_t* data = cairo_image_surface_get_data(surface.get());
  std::vector<std::uint8_t> bytes(data, data + static_cast<std::ptrdiff_t>(stride) * height);
  return {width, height, stride, PixelFormat::Bgrx8, Buffer::of(std::move(bytes))};
}

Image as_format(const Image& bgrx, PixelFormat format) {
  std::vector<std::uint8_t> bytes;
  for (std::int32_t y = 0; y < bgrx.height; ++y) {
    for (std::int32_t x = 0; x < bgrx.width; ++x) {
      const std::uint8_t* p = bgrx.pixels.data() + std::ptrdiff_t{y} * bgrx.stride + x * 4;
      switch (format) {
        case PixelFormat::Gray8:
          bytes.push_back(static_cast<std::uint8_t>((p[0] + p[1] + p[2]) / 3));
          break;
        case PixelFormat::Rgb8: bytes.insert(bytes.end(), {p[2], p[1], p[0]}); break;
        case PixelFormat::Rgba8: bytes.insert(bytes.end(), {p[2], p[1], p[0], 255}); break;
        case PixelFormat::Bgrx8:
        case PixelFormat::Bgra8: bytes.insert(bytes.end(), {p[0], p[1], p[2], 255}); break;
      }
    }
  }
  return {bgrx.width, bgrx.height, bgrx.width * bytes_per_pixel(format), format,
          Buffer::of(std::move(bytes))};
}

std::size_t edits(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace gantry::ocr::test
