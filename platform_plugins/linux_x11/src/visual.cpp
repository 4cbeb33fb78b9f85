// SPDX-License-Identifier: Apache-2.0
#include "visual.hpp"

#include <numeric>

namespace gantry::x11 {

namespace {

const xcb_visualtype_t* find_visual(const Session& session, xcb_visualid_t id) {
  for (auto depth = xcb_screen_allowed_depths_iterator(&session.screen()); depth.rem > 0;
       xcb_depth_next(&depth)) {
    for (auto visual = xcb_depth_visuals_iterator(depth.data); visual.rem > 0;
         xcb_visualtype_next(&visual)) {
      if (visual.data->visual_id == id) return visual.data;
    }
  }
  return nullptr;
}

Result<std::vector<std::uint32_t>> read_palette(const Session& session, std::size_t entries) {
  std::vector<std::uint32_t> pixels(entries);
  std::iota(pixels.begin(), pixels.end(), 0U);
  GANTRY_ASSIGN(const auto reply,
                fetch<xcb_query_colors_reply>(
                    session.xcb(),
                    xcb_query_colors(session.xcb(), session.screen().default_colormap,
                                     static_cast<std::uint32_t>(entries), pixels.data()),
                    "reading the palette"));
  const xcb_rgb_t* colors = xcb_query_colors_colors(reply.get());
  const auto count = static_cast<std::size_t>(xcb_query_colors_colors_length(reply.get()));
  for (std::size_t i = 0; i < std::min(entries, count); ++i) {
    const auto high_byte = [](std::uint16_t v) { return static_cast<std::uint32_t>(v >> 8); };
    pixels[i] = high_byte(colors[i].red) << 16 | high_byte(colors[i].green) << 8 |
                high_byte(colors[i].blue);
  }
  return pixels;
}

}  // namespace

Result<PixelLayout> pixel_layout(const Session& session, std::uint8_t depth,
                                 xcb_visualid_t visual_id) {
  PixelLayout layout;
  layout.bits_per_pixel = 0;
  for (auto format = xcb_setup_pixmap_formats_iterator(&session.setup()); format.rem > 0;
       xcb_format_next(&format)) {
    if (format.data->depth != depth) continue;
    layout.bits_per_pixel = format.data->bits_per_pixel;
    layout.scanline_pad = format.data->scanline_pad;
  }
  const xcb_visualtype_t* visual = find_visual(session, visual_id);
  if (layout.bits_per_pixel < 8 || visual == nullptr) {
    return Error{Code::Unimplemented,
                 "pixels of depth " + std::to_string(depth) +
                     " cannot be read; run the X server with a depth of 24 bits",
                 {}};
  }
  layout.most_significant_first = session.setup().image_byte_order == XCB_IMAGE_ORDER_MSB_FIRST;
  layout.red_mask = visual->red_mask;
  layout.green_mask = visual->green_mask;
  layout.blue_mask = visual->blue_mask;
  if (visual->_class != XCB_VISUAL_CLASS_TRUE_COLOR &&
      visual->_class != XCB_VISUAL_CLASS_DIRECT_COLOR) {
    GANTRY_ASSIGN(layout.palette, read_palette(session, visual->colormap_entries));
  }
  return layout;
}

}  // namespace gantry::x11
