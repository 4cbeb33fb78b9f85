// SPDX-License-Identifier: Apache-2.0
// The detector on drawn controls.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "detector.hpp"
#include "drawn.hpp"
#include "regions.hpp"

namespace gantry::vision_cv::test {
namespace {

constexpr std::int64_t kMaxPixels = 40'000'000;

VisionDetectResult look(const Image& image, std::optional<Rect> region = {},
                        std::vector<OcrWord> words = {}) {
  VisionDetectRequest request;
  request.image = image;
  request.region = region;
  request.words = std::move(words);
  auto answer = detect(request, kMaxPixels);
  INFO((answer.ok() ? std::string() : answer.error().message));
  REQUIRE(answer.ok());
  return std::move(*answer);
}

double overlap(const Rect& a, const Rect& b) {
  return overlap_of({a.x, a.y, a.width, a.height}, {b.x, b.y, b.width, b.height});
}

const VisualElement* at(const VisionDetectResult& found, const Rect& box) {
  const auto best = std::max_element(
      found.elements.begin(), found.elements.end(),
      [&](const auto& a, const auto& b) { return overlap(a.bbox, box) < overlap(b.bbox, box); });
  return best != found.elements.end() && overlap(best->bbox, box) >= 0.7 ? &*best : nullptr;
}

struct Case {
  const char* name;
  Rect box;
  std::function<void(Canvas&, const Rect&, Colour, Colour, Colour)> draw;  // fill, border, ink
  const char* kind;
  const char* role;
};

const Case kCases[] = {
    {"a button with a border",
     {60, 40, 120, 32},
     [](Canvas& c, const Rect& b, Colour fill, Colour border, Colour ink) {
       c.box(b, fill, border).word(b.x + 36, b.y + 11, 6, ink);
     },
     "control",
     "Button"},
    {"a button that differs from the ground only",
     {60, 40, 120, 32},
     [](Canvas& c, const Rect& b, Colour, Colour border, Colour ink) {
       c.fill(b, border).word(b.x + 36, b.y + 11, 6, ink);
     },
     "control",
     "Button"},
    {"a button 200 pixels high",
     {60, 20, 220, 200},
     [](Canvas& c, const Rect& b, Colour fill, Colour border, Colour ink) {
       c.box(b, fill, border).word(b.x + 86, b.y + 95, 6, ink);
     },
     "control",
     "Button"},
    {"a field without text",
     {40, 60, 240, 28},
     [](Canvas& c, const Rect& b, Colour fill, Colour border, Colour) { c.box(b, fill, border); },
     "control",
     "Edit"},
    {"a field with text",
     {40, 60, 240, 28},
     [](Canvas& c, const Rect& b, Colour fill, Colour border, Colour ink) {
       c.box(b, fill, border).word(b.x + 8, b.y + 9, 7, ink);
     },
     "control",
     "Edit"},
    {"a field with a border of 2 pixels",
     {40, 60, 240, 28},
     [](Canvas& c, const Rect& b, Colour fill, Colour border, Colour ink) {
       c.box(b, fill, border, 2).word(b.x + 8, b.y + 9, 7, ink);
     },
     "control",
     "Edit"},
    {"a choice with its arrow",
     {40, 60, 160, 30},
     [](Canvas& c, const Rect& b, Colour fill, Colour border, Colour ink) {
       c.box(b, fill, border).word(b.x + 8, b.y + 10, 6, ink);
       for (int i = 0; i < 6; ++i) c.fill({b.x + 138 + i, b.y + 11 + i, 12 - 2 * i, 2}, ink);
     },
     "control",
     "ComboBox"},
    {"a choice with a small arrow",
     {40, 60, 160, 34},
     [](Canvas& c, const Rect& b, Colour fill, Colour border, Colour ink) {
       c.box(b, fill, border).word(b.x + 6, b.y + 12, 6, ink);
       for (int i = 0; i < 4; ++i) c.fill({b.x + 144 + i, b.y + 15 + i, 8 - 2 * i, 1}, ink);
     },
     "control",
     "ComboBox"},
    {"an empty check box",
     {50, 50, 14, 14},
     [](Canvas& c, const Rect& b, Colour fill, Colour border, Colour ink) {
       c.box(b, fill, border).word(b.x + 22, b.y + 2, 8, ink);
     },
     "control",
     "CheckBox"},
    {"a radio button",
     {50, 50, 17, 17},
     [](Canvas& c, const Rect& b, Colour fill, Colour border, Colour ink) {
       c.circle(b.x, b.y, b.width, border).circle(b.x + 2, b.y + 2, b.width - 4, fill);
       c.word(b.x + 26, b.y + 3, 8, ink);
     },
     "control",
     "RadioButton"},
    {"a plus",
     {100, 80, 21, 21},
     [](Canvas& c, const Rect& b, Colour, Colour, Colour ink) {
       c.fill({b.x + 9, b.y, 3, b.height}, ink).fill({b.x, b.y + 9, b.width, 3}, ink);
     },
     "icon",
     "Image"},
    {"a small menu of three bars",
     {100, 80, 14, 10},
     [](Canvas& c, const Rect& b, Colour, Colour, Colour ink) {
       for (int i = 0; i < 3; ++i) c.fill({b.x, b.y + 4 * i, b.width, 2}, ink);
     },
     "icon",
     "Image"},
    {"a menu of three bars",
     {100, 80, 20, 17},
     [](Canvas& c, const Rect& b, Colour, Colour, Colour ink) {
       for (int i = 0; i < 3; ++i) c.fill({b.x, b.y + 7 * i, b.width, 3}, ink);
     },
     "icon",
     "Image"},
};

struct Theme {
  const char* name;
  Colour ground, fill, border, ink;
};
constexpr Theme kThemes[] = {{"light", 0xf6f5f4, 0xffffff, 0xb8b4b0, 0x2e3436},
                             {"dark", 0x242424, 0x303030, 0x5a5a5e, 0xe0e0e0},
                             {"blue on yellow", 0xffe680, 0xfff2b3, 0x806600, 0x0000c0}};

}  // namespace

TEST_CASE("a control is found where it is, as what it is, light and dark") {
  for (const Theme& theme : kThemes) {
    for (const Case& row : kCases) {
      INFO(row.name << ", " << theme.name);
      Canvas canvas(360, 260, theme.ground);
      row.draw(canvas, row.box, theme.fill, theme.border, theme.ink);
      const VisionDetectResult found = look(canvas.image());
      const VisualElement* element = at(found, row.box);
      REQUIRE(element != nullptr);
      CHECK(element->kind == row.kind);
      CHECK(element->role == row.role);
      CHECK(element->source == "vision");
      CHECK(element->confidence > 0.3);
      CHECK(found.elements.size() == 1);
    }
  }
}

TEST_CASE("every layout of pixels shows the same controls") {
  Canvas canvas(300, 100, 0xf0f0f0);
  canvas.box({40, 30, 120, 32}, 0xffffff, 0x808080).word(76, 41, 6, 0x202020);
  for (const PixelFormat format : {PixelFormat::Bgrx8, PixelFormat::Bgra8, PixelFormat::Rgb8,
                                   PixelFormat::Rgba8, PixelFormat::Gray8}) {
    const VisionDetectResult found = look(canvas.image(format));
    REQUIRE(found.elements.size() == 1);
    CHECK(overlap(found.elements[0].bbox, {40, 30, 120, 32}) > 0.95);
  }
}

TEST_CASE("boxes count from the picture's corner in a region too") {
  Canvas canvas(600, 400, 0xffffff);
  canvas.box({300, 200, 120, 32}, 0xe0e0e0, 0x606060).word(336, 211, 6, 0);
  canvas.box({10, 10, 120, 32}, 0xe0e0e0, 0x606060);
  const VisionDetectResult found = look(canvas.image(), Rect{250, 150, 5000, 5000});
  REQUIRE(found.elements.size() == 1);
  CHECK(overlap(found.elements[0].bbox, {300, 200, 120, 32}) > 0.9);
}

TEST_CASE("words that are known become the texts, and are no icons") {
  Canvas canvas(300, 100, 0xffffff);
  canvas.box({40, 30, 120, 32}, 0xe0e0e0, 0x606060).word(76, 41, 6, 0);
  canvas.fill({200, 40, 14, 14}, 0x333333);  // "■", read as a word
  const std::vector<OcrWord> words{{"Save", 90, {76, 41, 24, 10}, 0},
                                   {"as", 90, {104, 41, 18, 10}, 0},
                                   {"OK", 90, {198, 38, 18, 18}, 1}};
  const VisionDetectResult found = look(canvas.image(), {}, words);
  const VisualElement* button = at(found, {40, 30, 120, 32});
  REQUIRE(button != nullptr);
  CHECK(button->text == "Save as");
  CHECK(std::none_of(found.elements.begin(), found.elements.end(),
                     [](const auto& element) { return element.kind == "icon"; }));
}

TEST_CASE("what is read as a sign stays an icon") {
  for (const char* text : {"\u00A9", "\u2605", "\u00AE.", "o"}) {
    Canvas canvas(100, 100, 0xffffff);
    canvas.fill({40, 50, 24, 4}, 0x333333).fill({50, 40, 4, 24}, 0x333333);
    const auto found = look(canvas.image(), {}, {{text, 90, {38, 38, 28, 28}, 0}});
    REQUIRE(found.elements.size() == 1);
    CHECK(found.elements[0].kind == "icon");
  }
}

TEST_CASE("what holds controls is a region") {
  Canvas canvas(600, 400, 0xf6f5f4);
  canvas.box({20, 20, 500, 300}, 0xffffff, 0xb0b0b0);
  for (int i = 0; i < 4; ++i) canvas.box({60, 50 + 60 * i, 200, 30}, 0xeeeeee, 0x909090);
  const VisionDetectResult found = look(canvas.image());
  const VisualElement* panel = at(found, {20, 20, 500, 300});
  REQUIRE(panel != nullptr);
  CHECK(panel->kind == "region");
  CHECK(found.elements.size() == 5);
  CHECK(found.elements.front().kind == "region");  // outer ones come first
}

TEST_CASE("colours of controls and icons are told") {
  Canvas canvas(300, 100, 0xffffff);
  canvas.fill({40, 30, 120, 32}, 0xd92d20).word(76, 41, 6, 0xffffff);
  canvas.circle(220, 30, 30, 0x1a73e8);
  const VisionDetectResult found = look(canvas.image());
  const VisualElement* button = at(found, {40, 30, 120, 32});
  REQUIRE(button != nullptr);
  CHECK(button->colour == "#d92d20");
  const VisualElement* icon = at(found, {220, 30, 30, 30});
  REQUIRE(icon != nullptr);
  CHECK(icon->colour == "#1a73e8");
}

TEST_CASE("limits of a request count") {
  Canvas canvas(600, 400, 0xf6f5f4);
  for (int i = 0; i < 6; ++i) canvas.box({60, 20 + 60 * i, 200, 30}, 0xffffff, 0x909090);
  VisionDetectRequest request;
  request.image = canvas.image();
  request.max_results = 2;
  const auto few = detect(request, kMaxPixels);
  REQUIRE(few.ok());
  CHECK(few->elements.size() == 2);
  CHECK(few->truncated);
  request.max_results = 100;
  request.min_confidence = 1.01;
  const auto none = detect(request, kMaxPixels);
  REQUIRE(none.ok());
  CHECK(none->elements.empty());
  CHECK_FALSE(none->truncated);
}

TEST_CASE("pictures without controls have none") {
  CHECK(look(Canvas(1, 1, 0).image()).elements.empty());
  CHECK(look(Canvas(2000, 3, 0xffffff).image()).elements.empty());
  CHECK(look(Canvas(640, 480, 0x808080).image()).elements.empty());
  Canvas noise(300, 300, 0);
  std::uint32_t state = 1;
  for (int y = 0; y < 300; ++y) {
    for (int x = 0; x < 300; ++x) noise.dot(x, y, (state = state * 1664525U + 1013904223U) >> 8U);
  }
  CHECK(look(noise.image()).elements.empty());
}

}  // namespace gantry::vision_cv::test
