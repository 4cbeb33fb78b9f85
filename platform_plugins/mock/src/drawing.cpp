// SPDX-License-Identifier: Apache-2.0
#include "drawing.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "canvas.hpp"

namespace gantry::mock {
namespace {

constexpr Colour kPaper = 0x1B1F2A;
constexpr Colour kBar = 0x2A3040;
constexpr Colour kEdge = 0x3C465C;
constexpr Colour kInk = 0xD7DCE8;
constexpr Colour kFaint = 0x7C879F;
constexpr Colour kAccent = 0x4FA3A5;
constexpr int kMargin = 8;
constexpr int kLineHeight = 24;
constexpr int kGutter = 40;
constexpr int kTextScale = 3;

using Painter = void (*)(Canvas&, const Box&, const A11yNode&);

void paint_bar(Canvas& canvas, const Box& box, const A11yNode&) {
  canvas.fill(box.x, box.y, box.width, box.height, kBar);
  canvas.fill(box.x, box.y + box.height - 1, box.width, 1, kEdge);
}

void paint_label(Canvas& canvas, const Box& box, const A11yNode& node) {
  canvas.text(box.x + kMargin, box.y + 6, node.value ? *node.value : node.name, kInk);
}

void paint_document(Canvas& canvas, const Box& box, const A11yNode& node) {
  canvas.fill(box.x, box.y, kGutter, box.height, kBar);
  std::string_view rest = node.value ? std::string_view(*node.value) : std::string_view();
  int y = box.y + kMargin;
  char number = '1';
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    canvas.text(box.x + kMargin, y, std::string_view(&number, 1), kFaint, kTextScale);
    canvas.text(box.x + kGutter + kMargin, y, rest.substr(0, end), kInk, kTextScale);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    y += kLineHeight;
    ++number;
  }
  canvas.fill(box.x + kGutter + kMargin, y, 2, kLineHeight - 6, kAccent);  // the caret
}

void paint_scroll_bar(Canvas& canvas, const Box& box, const A11yNode&) {
  canvas.fill(box.x, box.y, box.width, box.height, kBar);
  const bool wide = box.width > box.height;
  canvas.fill(box.x + 3, box.y + 3, wide ? box.width / 2 : box.width - 6,
              wide ? box.height - 6 : box.height / 2, kEdge);
}

void paint_progress(Canvas& canvas, const Box& box, const A11yNode& node) {
  const double low = node.value_min.value_or(0);
  const double span = node.value_max.value_or(100) - low;
  const double part = span > 0 ? (node.value_now.value_or(low) - low) / span : 0;
  canvas.fill(box.x, box.y, box.width, box.height, kPaper);
  canvas.fill(box.x, box.y, static_cast<int>(part * box.width), box.height, kAccent);
  canvas.frame(box.x, box.y, box.width, box.height, kEdge);
}

void paint_check_box(Canvas& canvas, const Box& box, const A11yNode& node) {
  const int side = box.height - 6;
  canvas.frame(box.x + kMargin, box.y + 3, side, side, kInk);
  if (node.selected.value_or(false)) {
    canvas.fill(box.x + kMargin + 3, box.y + 6, side - 6, side - 6, kAccent);
  }
  canvas.text(box.x + kMargin + side + 6, box.y + 4, node.name, kInk);
}

struct RolePainter {
  std::string_view role;
  Painter paint;
};
constexpr std::array<RolePainter, 8> kPainters{{{"MenuBar", paint_bar},
                                                {"StatusBar", paint_bar},
                                                {"MenuItem", paint_label},
                                                {"Text", paint_label},
                                                {"Document", paint_document},
                                                {"ScrollBar", paint_scroll_bar},
                                                {"ProgressBar", paint_progress},
                                                {"CheckBox", paint_check_box}}};

}  // namespace

Image draw_editor(const A11yTree& tree) {
  const Rect frame = tree.nodes.front().bounds.value_or(Rect{0, 0, 800, 600});
  Canvas canvas(frame.width, frame.height, kPaper);
  for (const A11yNode& node : tree.nodes) {
    const auto* const painter =
        std::find_if(kPainters.begin(), kPainters.end(),
                     [&](const RolePainter& entry) { return entry.role == node.role; });
    if (painter == kPainters.end() || !node.bounds) continue;
    const Rect& r = *node.bounds;
    painter->paint(canvas, {r.x - frame.x, r.y - frame.y, r.width, r.height}, node);
  }
  canvas.frame(0, 0, frame.width, frame.height, kEdge);
  return std::move(canvas).image();
}

}  // namespace gantry::mock
