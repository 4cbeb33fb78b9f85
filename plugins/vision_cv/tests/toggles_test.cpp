// SPDX-License-Identifier: Apache-2.0
// Check boxes and radio buttons of several looks, sizes and scales, drawn with smooth edges.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "detector.hpp"
#include "drawn.hpp"
#include "regions.hpp"
#include "toggles.hpp"

namespace gantry::vision_cv::test {
namespace {

using Shape = std::function<bool(double, double)>;

Colour blend(Colour below, Colour above, double part) {
  Colour out = 0;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const double mixed =
        ((below >> shift) & 0xFFU) * (1 - part) + ((above >> shift) & 0xFFU) * part;
    out |= static_cast<Colour>(std::lround(mixed)) << shift;
  }
  return out;
}

/// Each pixel is covered as much as 8 by 8 points in it are.
void paint(Canvas& canvas, const Rect& about, Colour colour, const Shape& in) {
  constexpr int kPoints = 8;
  for (std::int32_t y = about.y; y < about.y + about.height; ++y) {
    for (std::int32_t x = about.x; x < about.x + about.width; ++x) {
      int count = 0;
      for (int i = 0; i < kPoints * kPoints; ++i) {
        const int row = i / kPoints;
        count += in(x + (i % kPoints + 0.5) / kPoints, y + (row + 0.5) / kPoints) ? 1 : 0;
      }
      if (count == 0) continue;
      const double part = static_cast<double>(count) / (kPoints * kPoints);
      canvas.dot(x, y, blend(canvas.at(x, y), colour, part));
    }
  }
}

/// The square `inset` into the one of `box`, with round corners; a circle if they meet.
Shape rounded(const Rect& box, double inset, double radius) {
  const double half = box.width / 2.0 - inset;
  const double x = box.x + box.width / 2.0;
  const double y = box.y + box.height / 2.0;
  return [=](double at_x, double at_y) {
    const double over_x = std::max(0.0, std::abs(at_x - x) - (half - radius));
    const double over_y = std::max(0.0, std::abs(at_y - y) - (half - radius));
    return std::hypot(over_x, over_y) <= radius;
  };
}

Shape disc(const Rect& box, double inset) { return rounded(box, inset, box.width / 2.0 - inset); }

Shape tick(const Rect& box) {
  const auto near = [&box](double ax, double ay, double bx, double by) {
    const double side = box.width;
    return [=](double x, double y) {
      const double dx = (bx - ax) * side;
      const double dy = (by - ay) * side;
      const double along = std::clamp(
          ((x - box.x - ax * side) * dx + (y - box.y - ay * side) * dy) / (dx * dx + dy * dy), 0.0,
          1.0);
      return std::hypot(x - box.x - ax * side - along * dx, y - box.y - ay * side - along * dy) <=
             0.07 * side;
    };
  };
  return [low = near(0.24, 0.5, 0.42, 0.7), high = near(0.42, 0.7, 0.76, 0.28)](
             double x, double y) { return low(x, y) || high(x, y); };
}

struct Look {
  const char* name;
  Colour ground, fill, border, ink, accent;
};
constexpr Look kLooks[] = {{"light", 0xf6f5f4, 0xffffff, 0x9a9996, 0x2e3436, 0x3584e4},
                           {"white", 0xffffff, 0xffffff, 0x767676, 0x202020, 0x1a73e8},
                           {"dark", 0x2b2d30, 0x1e1f22, 0x6f7378, 0xe0e0e0, 0x15539e},
                           {"dark grey", 0x353535, 0x3b3b3b, 0x858585, 0xffffff, 0x99c8ff}};

struct Kind {
  const char* name;
  const char* role;
  std::function<void(Canvas&, const Rect&, const Look&, double)> draw;  // the last: the scale
};

const Kind kKinds[] = {
    {"an empty box", "CheckBox",
     [](Canvas& c, const Rect& b, const Look& look, double scale) {
       paint(c, b, look.border, rounded(b, 0, 2.5 * scale));
       paint(c, b, look.fill, rounded(b, scale, 1.5 * scale));
     }},
    {"a ticked box in a colour", "CheckBox",
     [](Canvas& c, const Rect& b, const Look& look, double scale) {
       paint(c, b, look.accent, rounded(b, 0, 2.5 * scale));
       paint(c, b, blend(look.accent, 0xffffff, 0.95), tick(b));
     }},
    {"a ticked box with sharp corners", "CheckBox",
     [](Canvas& c, const Rect& b, const Look& look, double scale) {
       paint(c, b, look.border, rounded(b, 0, 0));
       paint(c, b, look.fill, rounded(b, scale, 0));
       paint(c, b, look.ink, tick(b));
     }},
    {"an empty circle", "RadioButton",
     [](Canvas& c, const Rect& b, const Look& look, double scale) {
       paint(c, b, look.border, disc(b, 0));
       paint(c, b, look.fill, disc(b, scale));
     }},
    {"a chosen circle with a ring", "RadioButton",
     [](Canvas& c, const Rect& b, const Look& look, double scale) {
       paint(c, b, look.accent, disc(b, 0));
       paint(c, b, look.fill, disc(b, scale));
       paint(c, b, look.accent, disc(b, 0.2 * b.width));
     }},
    {"a chosen circle in a colour", "RadioButton",
     [](Canvas& c, const Rect& b, const Look& look, double) {
       paint(c, b, look.accent, disc(b, 0));
       paint(c, b, blend(look.accent, 0xffffff, 0.95), disc(b, 0.3 * b.width));
     }},
};

cv::Mat bgr_of_canvas(const Canvas& canvas, int width, int height) {
  cv::Mat out(height, width, CV_8UC3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Colour here = canvas.at(x, y);
      out.at<cv::Vec3b>(y, x) = {static_cast<std::uint8_t>(here),
                                 static_cast<std::uint8_t>(here >> 8U),
                                 static_cast<std::uint8_t>(here >> 16U)};
    }
  }
  return out;
}

std::vector<VisualElement> seen_on(const Canvas& canvas, std::vector<OcrWord> words = {}) {
  VisionDetectRequest request;
  request.image = canvas.image();
  request.words = std::move(words);
  auto found = detect(request, 1'000'000);
  REQUIRE(found.ok());
  return found->elements;
}

}  // namespace

TEST_CASE("check boxes and radio buttons are told apart, ticked or not, at every size") {
  for (const Look& look : kLooks) {
    for (const Kind& kind : kKinds) {
      for (const int side : {13, 16, 18}) {
        for (const double scale : {1.0, 1.25, 1.5}) {
          INFO(kind.name << ", " << look.name << ", " << side << " pixels, times " << scale);
          const int size = static_cast<int>(std::lround(side * scale));
          const Rect box{40, 30, size, size};
          Canvas canvas(220, 90, look.ground);
          kind.draw(canvas, box, look, scale);
          canvas.word(box.x + size + 5, box.y + size / 2 - 5, 9, look.ink);
          const std::vector<VisualElement> found = seen_on(canvas);
          REQUIRE(found.size() == 1);
          CHECK(found[0].kind == "control");
          CHECK(found[0].role == kind.role);
          const Rect& at = found[0].bbox;
          CHECK(overlap_of({at.x, at.y, at.width, at.height}, {box.x, box.y, size, size}) >= 0.7);
        }
      }
    }
  }
}

TEST_CASE("a box that was read as a letter of the word beside it is a box all the same") {
  for (const Kind& kind : kKinds) {
    INFO(kind.name);
    Canvas canvas(220, 90, kLooks[0].ground);
    kind.draw(canvas, {40, 30, 16, 16}, kLooks[0], 1);
    canvas.word(61, 33, 9, kLooks[0].ink);
    const std::vector<VisualElement> found =
        seen_on(canvas, {{"DRemember", 80, {39, 29, 95, 18}, 0}});
    REQUIRE(found.size() == 1);
    CHECK(found[0].role == kind.role);
  }
}

TEST_CASE("what is solid, open or marked otherwise is not ticked") {
  const Rect box{20, 20, 18, 18};
  const Look& look = kLooks[0];
  struct Row {
    const char* name;
    std::function<void(Canvas&)> draw;
  };
  const Row kRows[] = {
      {"a disc", [&](Canvas& c) { paint(c, box, look.accent, disc(box, 0)); }},
      {"a square", [&](Canvas& c) { c.fill(box, look.accent); }},
      {"a plus in a disc",
       [&](Canvas& c) {
         paint(c, box, look.accent, disc(box, 0));
         c.fill({28, 24, 2, 10}, 0xffffff).fill({24, 28, 10, 2}, 0xffffff);
       }},
      {"a tick alone", [&](Canvas& c) { paint(c, box, look.ink, tick(box)); }},
      {"a square that is open on one side",
       [&](Canvas& c) {
         c.box(box, look.fill, look.border, 2).fill({30, 20, 8, 18}, look.ground);
         paint(c, box, look.ink, tick(box));
       }},
      {"an empty box", [&](Canvas& c) { c.box(box, look.fill, look.border); }},
  };
  for (const Row& row : kRows) {
    INFO(row.name);
    Canvas canvas(60, 60, look.ground);
    row.draw(canvas);
    const cv::Mat bgr = bgr_of_canvas(canvas, 60, 60);
    CHECK(ticked_form_of(bgr, {box.x, box.y, box.width, box.height}) == Form::Other);
  }
}

TEST_CASE("the form is told for boxes a pixel off, and at the picture's edge") {
  Canvas canvas(60, 60, 0xffffff);
  paint(canvas, {0, 0, 16, 16}, 0x606060, disc({0, 0, 16, 16}, 0));
  canvas.fill({44, 44, 16, 16}, 0x606060);
  const cv::Mat bgr = bgr_of_canvas(canvas, 60, 60);
  CHECK(form_of(bgr, {1, 0, 16, 16}) == Form::Round);
  CHECK(form_of(bgr, {0, 0, 17, 17}) == Form::Round);
  CHECK(form_of(bgr, {44, 44, 16, 16}) == Form::Square);
  CHECK(form_of(bgr, {25, 25, 16, 16}) == Form::Other);
  CHECK(form_of(bgr, {0, 0, 60, 60}) == Form::Other);
}

}  // namespace gantry::vision_cv::test
