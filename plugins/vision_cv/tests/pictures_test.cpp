// SPDX-License-Identifier: Apache-2.0
// Differences, samples, colours and overlays; pictures that are none; the plugin as it is asked.
#include <spng.h>

#include <catch2/catch.hpp>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "colours.hpp"
#include "drawn.hpp"
#include "overlay.hpp"
#include "vision_plugin.hpp"

#include <gantry/testkit/fake_host.hpp>

namespace gantry::vision_cv::test {
namespace {

struct Running {
  explicit Running(const std::string& config = "{}") {
    const auto loaded = kit.load<VisionPlugin>("vision_cv", config);
    REQUIRE(loaded.ok());
  }
  template <class Contract>
  Result<Ref<typename Contract::Response>> ask(typename Contract::Request request) {
    return kit.host().bus().template call_wait<Contract>(std::move(request));
  }
  template <class Contract>
  typename Contract::Response get(typename Contract::Request request) {
    auto answer = ask<Contract>(std::move(request));
    INFO((answer.ok() ? std::string() : answer.error().message));
    REQUIRE(answer.ok());
    return **answer;
  }

  testkit::FakeHost kit;
};

Image decoded(const Buffer& png) {
  spng_ctx* context = spng_ctx_new(0);
  REQUIRE(spng_set_png_buffer(context, png.data(), png.size()) == 0);
  spng_ihdr header{};
  REQUIRE(spng_get_ihdr(context, &header) == 0);
  CHECK(header.color_type == SPNG_COLOR_TYPE_TRUECOLOR);
  CHECK(header.bit_depth == 8);
  std::size_t size = 0;
  REQUIRE(spng_decoded_image_size(context, SPNG_FMT_RGB8, &size) == 0);
  std::vector<std::uint8_t> rgb(size);
  REQUIRE(spng_decode_image(context, rgb.data(), rgb.size(), SPNG_FMT_RGB8, 0) == 0);
  spng_ctx_free(context);
  const auto width = static_cast<std::int32_t>(header.width);
  return {width, static_cast<std::int32_t>(header.height), width * 3, PixelFormat::Rgb8,
          Buffer::of(std::move(rgb))};
}

VisionCompareRequest pair_of(const Canvas& before, const Canvas& after) {
  VisionCompareRequest request;
  request.before = before.image();
  request.after = after.image();
  return request;
}

}  // namespace

TEST_CASE("equal pictures are identical, whatever their layout of pixels") {
  Running running;
  Canvas canvas(120, 90, 0xf0f0f0);
  canvas.word(10, 10, 6, 0);
  VisionCompareRequest request = pair_of(canvas, canvas);
  request.after = canvas.image(PixelFormat::Rgb8);
  const auto answer = running.get<VisionCompare>(request);
  CHECK(answer.identical);
  CHECK(answer.ssim.value() == Approx(1.0));
  CHECK(answer.changed_pixels == 0);
  CHECK(answer.regions.empty());
}

TEST_CASE("differences are regions, close ones one") {
  Running running;
  const Canvas before(400, 300, 0xffffff);
  Canvas after = before;
  after.fill({20, 30, 10, 10}, 0x0000ff).fill({34, 30, 10, 10}, 0x0000ff);
  after.fill({300, 200, 40, 50}, 0xfefefe);  // below the threshold
  after.fill({200, 250, 5, 5}, 0x000000);
  const auto answer = running.get<VisionCompare>(pair_of(before, after));
  CHECK_FALSE(answer.identical);
  CHECK(answer.changed_pixels == 225);
  REQUIRE(answer.regions.size() == 2);
  CHECK(answer.regions[0].bbox == Rect{20, 30, 24, 10});
  CHECK(answer.regions[0].changed_pixels == 200);
  CHECK(answer.regions[0].mean_difference == Approx(255));
  CHECK(answer.regions[1].bbox == Rect{200, 250, 5, 5});
  CHECK(answer.ssim.value() < 1.0);

  VisionCompareRequest apart = pair_of(before, after);
  apart.gap = 0;
  apart.threshold = 0;
  CHECK(running.get<VisionCompare>(apart).regions.size() == 4);
  apart.max_regions = 1;
  const auto cut = running.get<VisionCompare>(apart);
  CHECK(cut.regions.size() == 1);
  CHECK(cut.truncated);
  VisionCompareRequest part = pair_of(before, after);
  part.region = Rect{190, 240, 100, 100};
  const auto in_part = running.get<VisionCompare>(part);
  REQUIRE(in_part.regions.size() == 1);
  CHECK(in_part.regions[0].bbox == Rect{200, 250, 5, 5});
  part.min_area = 26;
  CHECK(running.get<VisionCompare>(part).regions.empty());
}

TEST_CASE("pictures that are too small for it have no similarity") {
  Running running;
  const auto answer =
      running.get<VisionCompare>(pair_of(Canvas(6, 40, 0), Canvas(6, 40, 0xffffff)));
  CHECK_FALSE(answer.ssim.has_value());
  CHECK(answer.changed_pixels == 240);
  const auto differing = running.ask<VisionCompare>(pair_of(Canvas(6, 40, 0), Canvas(7, 40, 0)));
  REQUIRE_FALSE(differing.ok());
  CHECK(differing.error().code == Code::InvalidArgument);
}

TEST_CASE("a sample is found wherever it is, at its scale") {
  Running running;
  Canvas sample(20, 16, 0xffffff);
  sample.fill({2, 2, 8, 5}, 0x203040).circle(9, 6, 9, 0xd02020);
  Canvas canvas(300, 200, 0xe8e8e8);
  const auto stamp = [&](std::int32_t x, std::int32_t y, std::int32_t scale) {
    for (std::int32_t row = 0; row < 16 * scale; ++row) {
      for (std::int32_t column = 0; column < 20 * scale; ++column) {
        canvas.dot(x + column, y + row, sample.at(column / scale, row / scale));
      }
    }
  };
  stamp(30, 40, 1);
  stamp(200, 150, 1);
  stamp(100, 60, 2);
  VisionTemplateRequest request;
  request.image = canvas.image();
  request.sample = sample.image(PixelFormat::Rgb8);
  const auto plain = running.get<VisionTemplate>(request);
  REQUIRE(plain.matches.size() == 2);
  for (const auto& match : plain.matches) CHECK(match.score > 0.99);
  request.scales = {1, 2};
  const auto scaled = running.get<VisionTemplate>(request);
  REQUIRE(scaled.matches.size() == 3);
  CHECK(scaled.matches.back().scale == 2);
  CHECK(scaled.matches.back().bbox == Rect{100, 60, 40, 32});
  request.scales.clear();
  request.region = Rect{150, 100, 150, 100};
  const auto in_part = running.get<VisionTemplate>(request);
  REQUIRE(in_part.matches.size() == 1);
  CHECK(in_part.matches[0].bbox == Rect{200, 150, 20, 16});
  request.max_results = 0;
  CHECK(running.get<VisionTemplate>(request).matches.empty());
}

TEST_CASE("a sample of one colour is found by its colour") {
  Running running;
  Canvas canvas(100, 80, 0xffffff);
  canvas.fill({40, 30, 12, 12}, 0x00a000);
  VisionTemplateRequest request;
  request.image = canvas.image();
  request.sample = Canvas(12, 12, 0x00a000).image();
  request.max_results = 1;
  const auto answer = running.get<VisionTemplate>(request);
  REQUIRE(answer.matches.size() == 1);
  CHECK(answer.matches[0].bbox == Rect{40, 30, 12, 12});
  // It is nowhere in a picture without it.
  request.image = Canvas(100, 80, 0x0000ff).image();
  CHECK(running.get<VisionTemplate>(request).matches.empty());
}

TEST_CASE("colours have the names that people give them") {
  struct Row {
    Colour rgb;
    const char* name;
  };
  const Row rows[] = {{0xffffff, "white"},  {0x000000, "black"},  {0x808080, "grey"},
                      {0xd92d20, "red"},    {0x1a73e8, "blue"},   {0x1e8e3e, "green"},
                      {0xe8710a, "orange"}, {0xf9d71c, "yellow"}, {0x8430ce, "purple"},
                      {0xff69b4, "pink"},   {0x00bcd4, "cyan"},   {0x6d4c2f, "brown"},
                      {0xf6f5f4, "white"},  {0x242424, "black"},  {0x0000ff, "blue"}};
  for (const Row& row : rows) {
    INFO(row.name);
    const cv::Vec3b bgr(static_cast<std::uint8_t>(row.rgb),
                        static_cast<std::uint8_t>(row.rgb >> 8U),
                        static_cast<std::uint8_t>(row.rgb >> 16U));
    CHECK(name_of(bgr) == row.name);
  }
}

TEST_CASE("regions have their ground, what is on it, and what strikes the eye") {
  Running running;
  Canvas canvas(200, 100, 0xffffff);
  canvas.fill({10, 10, 80, 30}, 0x1a73e8).word(20, 20, 6, 0xffffff);
  canvas.word(120, 20, 6, 0xc00000);
  VisionColoursRequest request;
  request.image = canvas.image();
  request.regions = {{10, 10, 80, 30}, {110, 10, 80, 30}, {150, 60, 10, 10}, {500, 0, 10, 10}};
  const auto answer = running.get<VisionColours>(request);
  REQUIRE(answer.colours.size() == 4);
  CHECK(answer.colours[0].background == "#1a73e8");
  CHECK(answer.colours[0].foreground == "#ffffff");
  CHECK(answer.colours[0].name == "blue");
  CHECK(answer.colours[1].background == "#ffffff");
  CHECK(answer.colours[1].foreground == "#c00000");
  CHECK(answer.colours[1].name == "red");
  CHECK_FALSE(answer.colours[1].dark);
  CHECK(answer.colours[2].name == "white");
  CHECK(answer.colours[2].foreground.empty());
  CHECK(answer.colours[3].background.empty());
  CHECK(answer.colours[3].bbox.empty());
  request.regions.assign(4097, {0, 0, 1, 1});
  CHECK_FALSE(running.ask<VisionColours>(request).ok());
}

TEST_CASE("an overlay has its outlines, dots and labels where the rules say") {
  Running running;
  VisionOverlayRequest request;
  request.image = Canvas(300, 200, 0xffffff).image();
  request.boxes = {{{40, 60, 100, 50}, "", "", true},
                   {{200, 100, 60, 40}, "", "#00ff00", false},
                   {{20, 150, 30, 20}, "Save [1]", "#0000ff", false}};
  request.points = {{250, 30, "", ""}, {280, 180, "", "#000000"}};
  const auto answer = running.get<VisionOverlay>(request);
  CHECK(answer.annotations == 5);
  CHECK(answer.width == 300);
  const Image image = decoded(answer.png);
  REQUIRE(image.width == 300);
  REQUIRE(image.height == 200);
  struct Row {
    std::int32_t x, y;
    Colour colour;
  };
  const Row rows[] = {
      {40, 60, 0xff4d4f},   {42, 62, 0xff4d4f},   {43, 63, 0xffffff},   {39, 60, 0xffffff},
      {139, 109, 0xff4d4f}, {137, 107, 0xff4d4f}, {136, 106, 0xffffff}, {140, 110, 0xffffff},
      {90, 85, 0xff4d4f},   {94, 85, 0xff4d4f},   {95, 85, 0xffffff},   {90, 81, 0xff4d4f},
      {90, 80, 0xffffff},   {200, 100, 0x00ff00}, {230, 120, 0xffffff}, {250, 30, 0x1677ff},
      {256, 30, 0x1677ff},  {257, 30, 0xffffff},  {250, 36, 0x1677ff},  {280, 180, 0x000000}};
  for (const Row& row : rows) {
    INFO(row.x << ", " << row.y);
    CHECK(pixel(image, row.x, row.y) == row.colour);
  }
  // The label begins at (24, 136): ink right of it and below, none left of it or above.
  std::optional<Rect> ink;
  for (std::int32_t y = 120; y < 150; ++y) {
    for (std::int32_t x = 0; x < 150; ++x) {
      if (pixel(image, x, y) == 0xffffff) continue;
      if (!ink) ink = Rect{x, y, 0, 0};
      ink->x = std::min(ink->x, x);
    }
  }
  REQUIRE(ink.has_value());
  CHECK(ink->x >= 24);
  CHECK(ink->x <= 27);
  CHECK(ink->y >= 135);
  CHECK(ink->y <= 139);
}

TEST_CASE("an overlay takes whatever numbers it is given") {
  Running running;
  constexpr std::int32_t kMost = 2147483647;
  VisionOverlayRequest request;
  request.image = Canvas(50, 40, 0x101010).image(PixelFormat::Gray8);
  request.boxes = {{{-kMost, -kMost, kMost, kMost}, "a", "#zzzzzz", true},
                   {{kMost, kMost, kMost, kMost}, "b", "#12", true},
                   {{0, 0, 0, 0}, "c", "red", true},
                   {{10, 10, 2, 2}, std::string(5000, 'x'), "#ABCDEF", false},
                   {{5, 5, -10, 20}, "\xff\xfe\n", "", false}};
  request.points = {{-kMost, kMost, "d", "#1677ff "}};
  const auto answer = running.get<VisionOverlay>(request);
  CHECK(answer.annotations == 6);
  const Image image = decoded(answer.png);
  CHECK(pixel(image, 10, 10) == 0xabcdef);
  CHECK(pixel(image, 0, 0) == 0xff4d4f);  // the dot of the empty box, in the default colour
  request.boxes.assign(5001, {});
  CHECK_FALSE(running.ask<VisionOverlay>(request).ok());
}

TEST_CASE("labels are drawn with the letters that there are") {
  CHECK(drawable("Save [ocr_1]") == "Save [ocr_1]");
  CHECK(drawable("Müller Größe Łódź") == "Muller Grose Lodz");
  CHECK(drawable("日本") == "??");
  CHECK(drawable("a\tb\nc") == "a b c");
  CHECK(drawable("\xc3") == "?");
  CHECK(drawable("\xe2\x82") == "?");
  CHECK(drawable(std::string(300, 'x')).size() == 200);
}

TEST_CASE("what is no picture is refused before any work") {
  struct Row {
    const char* name;
    std::function<void(VisionDetectRequest&)> spoil;
  };
  const Row rows[] = {
      {"nothing", [](auto& r) { r.image = {}; }},
      {"no height", [](auto& r) { r.image.height = 0; }},
      {"a negative width", [](auto& r) { r.image.width = -5; }},
      {"fewer bytes than it says", [](auto& r) { r.image.height = 1000; }},
      {"rows shorter than its width", [](auto& r) { r.image.stride = 3; }},
      {"20,000 times 20,000", [](auto& r) { r.image.width = r.image.height = 20'000; }},
      {"the largest numbers", [](auto& r) { r.image.width = r.image.height = 2147483647; }},
      {"a region beside it",
       [](auto& r) {
         r.region = Rect{500, 0, 10, 10};
       }},
      {"a region without area",
       [](auto& r) {
         r.region = Rect{0, 0, 0, 10};
       }},
      {"a region at the end of numbers",
       [](auto& r) {
         r.region = Rect{2147483647, 2147483647, 2147483647, 2147483647};
       }},
  };
  Running running;
  for (const Row& row : rows) {
    INFO(row.name);
    VisionDetectRequest request;
    request.image = Canvas(100, 80, 0xffffff).image();
    row.spoil(request);
    VisionOverlayRequest drawing;
    drawing.image = request.image;
    const auto answer = running.ask<VisionDetect>(request);
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().code == Code::InvalidArgument);
    if (!request.region) {
      const auto drawn = running.ask<VisionOverlay>(drawing);
      REQUIRE_FALSE(drawn.ok());
      CHECK(drawn.error().code == Code::InvalidArgument);
    }
  }
  Running small(R"({"max_pixels":1000000})");
  VisionDetectRequest request;
  request.image = Canvas(1001, 1000, 0).image();
  CHECK_FALSE(small.ask<VisionDetect>(request).ok());
  request.image = Canvas(1000, 1000, 0).image();
  CHECK(small.ask<VisionDetect>(request).ok());
}

TEST_CASE("samples and scales out of bounds are refused") {
  Running running;
  VisionTemplateRequest request;
  request.image = Canvas(50, 50, 0).image();
  request.sample = Canvas(60, 10, 0).image();
  CHECK_FALSE(running.ask<VisionTemplate>(request).ok());
  request.sample = Canvas(3, 3, 0).image();
  CHECK_FALSE(running.ask<VisionTemplate>(request).ok());
  request.sample = Canvas(10, 10, 0).image();
  request.scales = {0.1};
  CHECK_FALSE(running.ask<VisionTemplate>(request).ok());
  request.scales = {std::numeric_limits<double>::quiet_NaN()};
  CHECK_FALSE(running.ask<VisionTemplate>(request).ok());
  request.scales.assign(17, 1.0);
  CHECK_FALSE(running.ask<VisionTemplate>(request).ok());
}

}  // namespace gantry::vision_cv::test
