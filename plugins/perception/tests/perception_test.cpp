// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/contracts/ocr.hpp>
#include <gantry/contracts/picture.hpp>
#include <gantry/picture/decode.hpp>
#include <gantry/picture/file.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "perception_plugin.hpp"
#include "pixel_budget.hpp"
#include "rows.hpp"
#include "within_memory.hpp"

namespace gantry::perception {
namespace {

OcrWord word(std::string text, double confidence, Rect bbox, std::int32_t line) {
  return {std::move(text), confidence, bbox, line};
}

TEST_CASE("the words of a line are one row") {
  const auto rows =
      rows_of({word("Search", 90, {10, 20, 60, 12}, 0), word("Amazon", 60, {75, 18, 50, 16}, 0),
               word("Go", 100, {140, 20, 20, 12}, 1)});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].text == "Search Amazon");
  CHECK(rows[0].bbox == Rect{10, 18, 115, 16});
  CHECK(rows[0].confidence == Approx(0.75));
  CHECK(rows[1].text == "Go");
  CHECK(rows[1].confidence == Approx(1.0));
}

TEST_CASE("rows keep the order in which lines begin, whatever their numbers are") {
  const auto rows = rows_of({word("b", 90, {0, 0, 9, 9}, 7), word("a", 90, {0, 20, 9, 9}, 3),
                             word("c", 90, {20, 0, 9, 9}, 7)});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].text == "b c");
  CHECK(rows[1].text == "a");
}

TEST_CASE("what has no letters is no row, and no row is smaller than a pixel") {
  CHECK(rows_of({}).empty());
  CHECK(rows_of({word(" ", 90, {0, 0, 9, 9}, 0), word("", 90, {0, 0, 9, 9}, 1)}).empty());
  const auto rows = rows_of({word("x", 500, {5, 6, 0, 0}, 0)});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].bbox == Rect{5, 6, 1, 1});
  CHECK(rows[0].confidence == 1.0);
}

TEST_CASE("pictures share the pixels that may be unpacked at the same time") {
  PixelBudget budget;
  auto first = budget.take(60, 100);
  REQUIRE(first != nullptr);
  CHECK(budget.take(41, 100) == nullptr);
  const auto second = budget.take(40, 100);
  CHECK(second != nullptr);
  CHECK(budget.used() == 100);
  const auto copy = first;
  first.reset();
  CHECK(budget.used() == 100);
  CHECK(budget.take(1, 100) == nullptr);
}

TEST_CASE("a picture alone is let in whatever it has, and may outlive the budget") {
  std::shared_ptr<void> held;
  {
    PixelBudget budget;
    held = budget.take(500, 100);
    REQUIRE(held != nullptr);
    CHECK(budget.take(1, 100) == nullptr);
    held.reset();
    held = budget.take(1, 100);
    CHECK(budget.used() == 1);
  }
  held.reset();
}

TEST_CASE("a picture that is not admitted is refused by its size, before its pixels are read") {
  // A PNG's signature and header, and nothing else: 300 x 200, 8 bits RGB.
  const std::vector<std::uint8_t> file = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0,    0, 0,
                                          13,   'I', 'H', 'D', 'R',  0,    0,    1,    0x2C, 0, 0,
                                          0,    200, 8,   2,   0,    0,    0,    0,    0,    0, 0};
  std::int64_t asked = 0;
  const picture::DecodeLimits limits{
      .admit = [&](std::int32_t width, std::int32_t height) -> Result<void> {
        const std::int64_t pixels = std::int64_t{width} * height;
        asked = pixels;
        return Error{Code::ResourceExhausted, "no", {}};
      }};
  const auto decoded = picture::decode(file, limits);
  REQUIRE_FALSE(decoded.ok());
  CHECK(decoded.error().code == Code::ResourceExhausted);
  CHECK(asked == 60'000);
}

Buffer file_of(std::int32_t width, std::int32_t height, const picture::PictureWish& wish = {}) {
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) *
                                   static_cast<std::size_t>(height) * 3);
  std::uint32_t state = 7;  // noise, which no format packs well
  for (std::uint8_t& byte : pixels) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<std::uint8_t>(state >> 24U);
  }
  const Image image{width, height, width * 3, PixelFormat::Rgb8, Buffer::of(std::move(pixels))};
  auto file = picture::encode_picture(image, wish);
  REQUIRE(file.ok());
  return Buffer::of(std::move(file->bytes));
}

TEST_CASE("a picture is made as small as it is wanted, and left alone when it is") {
  testkit::FakeHost kit;
  REQUIRE(kit.load<PerceptionPlugin>("perception", "{}").ok());
  const auto fit = [&kit](Buffer file, std::int32_t edge, std::int64_t bytes) {
    return kit.host().bus().call_wait<PictureFit>({std::move(file), edge, bytes});
  };
  const Buffer small = file_of(60, 40);
  const auto same = fit(small, 60, static_cast<std::int64_t>(small.size()));
  REQUIRE(same.ok());
  CHECK((*same)->file.data() == small.data());
  CHECK((*same)->media_type == "image/png");
  CHECK((*same)->width == 60);

  const auto narrow = fit(small, 30, 1'000'000);
  REQUIRE(narrow.ok());
  CHECK((*narrow)->width == 30);
  CHECK((*narrow)->height == 20);
  CHECK((*narrow)->original_width == 60);
  CHECK((*narrow)->original_height == 40);
  CHECK(picture::size_of((*narrow)->file.bytes())->width == 30);

  const auto light = fit(small, 60, static_cast<std::int64_t>(small.size()) - 1);
  REQUIRE(light.ok());
  CHECK((*light)->file.size() < small.size());
  CHECK((*light)->media_type == "image/jpeg");
  CHECK((*light)->width == 60);

  const auto none = fit(Buffer::of(std::vector<std::uint8_t>(9)), 60, 100);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().detail == R"({"reason":"no_picture"})");

  for (const auto& [edge, bytes] : {std::pair(0, 100), {-1, 100}, {60, 0}, {60, -1}}) {
    const auto nothing = fit(small, edge, bytes);
    REQUIRE_FALSE(nothing.ok());
    CHECK(nothing.error().code == Code::InvalidArgument);
  }
}

TEST_CASE("work that runs out of memory is answered, and leaves no place of the queue taken") {
  testkit::FakeHost kit;
  RunningTasks running;
  auto work = []() -> Result<int> { throw std::bad_alloc(); };
  std::optional<Code> code;
  spawn(
      running, aside_within_memory<int>(kit.host("aside"), work),
      [&](const Result<int>& result) { code = result.ok() ? Code::Ok : result.error().code; },
      [](const auto&) {});
  kit.pump();
  CHECK(code == Code::ResourceExhausted);
  CHECK(running.size() == 0);
}

TEST_CASE("who gives up takes the reading along, and makes room for the next one") {
  testkit::FakeHost kit;
  REQUIRE(kit.load<PerceptionPlugin>("perception", R"({"queue":1})").ok());
  const testkit::HeldCalls<OcrRead> readings(kit.host("eyes"));
  PictureTextRequest request;
  request.image = {1, 1, 3, PixelFormat::Rgb8, Buffer::of(std::vector<std::uint8_t>(3))};
  auto& bus = kit.host().bus();
  CallHandle first = bus.call<PictureText>(PictureTextRequest(request), [](const auto&) {});
  kit.pump();
  REQUIRE(readings.size() == 1);
  CHECK_FALSE(readings.at(0).cancelled());

  first.cancel();
  kit.pump();
  CHECK(readings.at(0).cancelled());
  std::optional<Code> code;
  bus.call<PictureText>(PictureTextRequest(request), [&](const auto& answer) {
    code = answer.ok() ? Code::Ok : answer.error().code;
  });
  kit.pump();
  REQUIRE(readings.size() == 2);
  readings.at(1)(OcrResult{});
  kit.pump();
  CHECK(code == Code::Ok);
}

TEST_CASE("reading takes as long as who asked for it waits") {
  testkit::FakeHost kit;
  REQUIRE(kit.load<PerceptionPlugin>("perception", R"({"queue":1})").ok());
  const testkit::HeldCalls<OcrRead> readings(kit.host("eyes"));
  PictureTextRequest request;
  request.image = {1, 1, 3, PixelFormat::Rgb8, Buffer::of(std::vector<std::uint8_t>(3))};
  std::optional<Code> code;
  CallOptions patient;
  patient.timeout = std::chrono::minutes(10);
  kit.host().bus().call<PictureText>(
      std::move(request),
      [&code](const auto& answer) { code = answer.ok() ? Code::Ok : answer.error().code; },
      patient);
  kit.advance(std::chrono::minutes(9));
  REQUIRE(readings.size() == 1);
  CHECK_FALSE(code);
  readings.at(0)(OcrResult{});
  kit.pump();
  CHECK(code == Code::Ok);
}

}  // namespace
}  // namespace gantry::perception
