// SPDX-License-Identifier: Apache-2.0
#include "scenario_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "canvas.hpp"

namespace gantry::mock {
namespace {

constexpr Colour kGround = 0x20242F;
constexpr Colour kWindow = 0xF4F5F7;
constexpr Colour kTitle = 0x2F4858;
constexpr Colour kTitleInk = 0xFFFFFF;
constexpr Colour kField = 0xFFFFFF;
constexpr Colour kButton = 0xDDE3EA;
constexpr Colour kFormEdge = 0x8C97A6;
constexpr Colour kFormInk = 0x1B1F2A;
constexpr Colour kFormFaint = 0x9AA3AF;
constexpr Colour kFormAccent = 0x2A7F9E;
constexpr int kTitleHeight = 18;
constexpr int kPadding = 6;
constexpr int kLargest = 4096;  // pixels on a side: bounds of a file may be larger

struct Look {
  const NodeSpec& node;
  std::string value;
  bool has_value;
  bool focused;
  [[nodiscard]] Colour ink() const { return node.enabled ? kFormInk : kFormFaint; }
  /// What a field shows: its value, or one dot for each byte of a secret.
  [[nodiscard]] std::string shown() const {
    return node.secret ? std::string(std::min<std::size_t>(value.size(), 12), '.') : value;
  }
};

using FormPainter = void (*)(Canvas&, const Box&, const Look&);

void text_in(Canvas& canvas, const Box& box, std::string_view text, Colour ink, int inset) {
  canvas.text(box.x + inset, box.y + std::max(2, (box.height - 10) / 2), text, ink);
}

void paint_field(Canvas& canvas, const Box& box, const Look& look) {
  canvas.fill(box.x, box.y, box.width, box.height, kField);
  canvas.frame(box.x, box.y, box.width, box.height, look.focused ? kFormAccent : kFormEdge);
  const std::string shown = look.shown();
  text_in(canvas, box, shown.empty() ? look.node.name : shown,
          shown.empty() ? kFormFaint : look.ink(), kPadding);
}

void paint_button(Canvas& canvas, const Box& box, const Look& look) {
  canvas.fill(box.x, box.y, box.width, box.height, kButton);
  canvas.frame(box.x, box.y, box.width, box.height, look.focused ? kFormAccent : kFormEdge);
  text_in(canvas, box, look.node.name, look.ink(), kPadding);
}

void paint_choice(Canvas& canvas, const Box& box, const Look& look) {
  const int side = std::max(6, std::min(box.height - 6, 14));
  canvas.fill(box.x + 2, box.y + 3, side, side, kField);
  canvas.frame(box.x + 2, box.y + 3, side, side, look.ink());
  if (look.node.selected.value_or(false)) {
    canvas.fill(box.x + 5, box.y + 6, side - 6, side - 6, kFormAccent);
  }
  text_in(canvas, box, look.node.name, look.ink(), side + 2 * kPadding);
}

void paint_item(Canvas& canvas, const Box& box, const Look& look) {
  if (look.node.selected.value_or(false)) {
    canvas.fill(box.x, box.y, box.width, box.height, 0xCFE6EE);
  }
  canvas.fill(box.x, box.y + box.height - 1, box.width, 1, kButton);
  text_in(canvas, box, look.node.name, look.ink(), kPadding);
}

void paint_text(Canvas& canvas, const Box& box, const Look& look) {
  text_in(canvas, box, look.has_value ? look.node.name + ": " + look.shown() : look.node.name,
          look.ink(), 0);
}

void paint_group(Canvas& canvas, const Box& box, const Look& look) {
  canvas.frame(box.x, box.y, box.width, box.height, look.focused ? kFormAccent : kButton);
  if (look.has_value) text_in(canvas, box, look.shown(), look.ink(), kPadding);
}

struct FormRolePainter {
  std::string_view role;
  FormPainter paint;
};
constexpr std::array<FormRolePainter, 17> kFormPainters{{
    {"Edit", paint_field},
    {"TextField", paint_field},
    {"ComboBox", paint_field},
    {"Document", paint_field},
    {"Button", paint_button},
    {"ToggleButton", paint_button},
    {"CheckBox", paint_choice},
    {"RadioButton", paint_choice},
    {"Switch", paint_choice},
    {"ListItem", paint_item},
    {"TreeItem", paint_item},
    {"MenuItem", paint_item},
    {"Tab", paint_item},
    {"Text", paint_text},
    {"Label", paint_text},
    {"Heading", paint_text},
    {"Link", paint_text},
}};

FormPainter painter_of(std::string_view role) {
  const auto* const row =
      std::find_if(kFormPainters.begin(), kFormPainters.end(),
                   [&](const FormRolePainter& entry) { return entry.role == role; });
  return row != kFormPainters.end() ? row->paint : paint_group;
}

void paint_node(Canvas& canvas, const ScenarioWorld& world, const WindowSpec& window,
                const NodeSpec& node, const std::string& position, int left, int top) {
  const std::string native = native_of(window, node, position);
  const auto value = world.value_of({&window, &node, native});
  const Box box{node.bounds.x - left, node.bounds.y - top, node.bounds.width, node.bounds.height};
  if (position != "root") {
    painter_of(node.role)(
        canvas, box,
        {node, value.value_or(""), value.has_value(), world.is_focused(window, native)});
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    paint_node(canvas, world, window, node.children[i], position + "." + std::to_string(i), left,
               top);
  }
}

void paint_window(Canvas& canvas, const ScenarioWorld& world, const WindowSpec& window, int left,
                  int top) {
  const Rect& r = window.bounds;
  canvas.fill(r.x - left, r.y - top, r.width, r.height, kWindow);
  canvas.fill(r.x - left, r.y - top, r.width, kTitleHeight, kTitle);
  canvas.text(r.x - left + kPadding, r.y - top + 4, window.title, kTitleInk);
  canvas.frame(r.x - left, r.y - top, r.width, r.height, kFormEdge);
  paint_node(canvas, world, window, window.tree, "root", left, top);
}

}  // namespace

Picture draw_window(const ScenarioWorld& world, const WindowSpec& window) {
  Rect area = window.bounds;
  area.width = std::min(area.width, kLargest);
  area.height = std::min(area.height, kLargest);
  Canvas canvas(area.width, area.height, kGround);
  paint_window(canvas, world, window, area.x, area.y);
  return {std::move(canvas).image(), area};
}

Picture draw_screen(const ScenarioWorld& world) {
  Rect area{0, 0, 800, 600};
  const auto windows = world.top_down();
  for (const WindowSpec* window : windows) {
    area.width = std::max(area.width, window->bounds.x + window->bounds.width);
    area.height = std::max(area.height, window->bounds.y + window->bounds.height);
  }
  area.width = std::min(area.width, kLargest);
  area.height = std::min(area.height, kLargest);
  Canvas canvas(area.width, area.height, kGround);
  for (auto window = windows.rbegin(); window != windows.rend(); ++window) {
    paint_window(canvas, world, **window, 0, 0);
  }
  return {std::move(canvas).image(), area};
}

namespace {

std::string text_of(const Rect& rect) {
  return fmt::format("{}x{} at {},{}", rect.width, rect.height, rect.x, rect.y);
}

}  // namespace

Result<Picture> crop(Picture picture, const Rect& region) {
  const Rect& area = picture.area;
  const int left = std::max(region.x, area.x);
  const int top = std::max(region.y, area.y);
  // A request may hold any numbers, so their sum may be wider than they are.
  const auto end = [](int from, int length, int limit) {
    return static_cast<int>(std::min<std::int64_t>(std::int64_t{from} + length, limit));
  };
  const int right = end(region.x, region.width, area.x + area.width);
  const int bottom = end(region.y, region.height, area.y + area.height);
  if (right <= left || bottom <= top) {
    return Error{Code::OutOfRange,
                 fmt::format("capturing {}: it lies outside the picture, which is {}",
                             text_of(region), text_of(area)),
                 {}};
  }
  Picture out;
  out.area = {left, top, right - left, bottom - top};
  out.image = picture.image;
  out.image.width = out.area.width;
  out.image.height = out.area.height;
  out.image.stride = out.area.width * 3;
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(out.image.stride) *
                                   static_cast<std::size_t>(out.image.height));
  for (int row = 0; row < out.image.height; ++row) {
    const std::uint8_t* from =
        picture.image.pixels.data() +
        static_cast<std::ptrdiff_t>(top - area.y + row) * picture.image.stride +
        static_cast<std::ptrdiff_t>(left - area.x) * 3;
    std::memcpy(
        pixels.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(out.image.stride),
        from, static_cast<std::size_t>(out.image.stride));
  }
  out.image.pixels = Buffer::of(std::move(pixels));
  return out;
}

}  // namespace gantry::mock
