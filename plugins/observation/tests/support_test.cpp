// SPDX-License-Identifier: Apache-2.0
// The engine's smaller parts: JSON text, arguments, cache, tokens, patterns, PNG.
#include <catch2/catch.hpp>

#include <spng.h>

#include <random>

#include "arguments.hpp"
#include "base64.hpp"
#include "job_queue.hpp"
#include "json_object.hpp"
#include "tree_cache.hpp"

#include <gantry/picture/png.hpp>

namespace gantry::observation {
namespace {

std::string json_of(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string json_of(double value) {
  std::string out;
  append_json_number(out, value);
  return out;
}

TEST_CASE("JSON strings are ASCII and carry no terminal controls") {
  CHECK(json_of("plain") == R"("plain")");
  CHECK(json_of("q\"b\\n\nt\tr\r") == R"("q\"b\\n\nt\tr\r")");
  CHECK(json_of("Größe — 😀") == R"("Gr\u00f6\u00dfe \u2014 \ud83d\ude00")");
  CHECK(json_of("a\x1b[31mb\x01") == R"("ab")");
  CHECK(json_of("\xFF") == R"("\ufffd")");
}

TEST_CASE("JSON numbers with a fraction look as in Python") {
  CHECK(json_of(0.0) == "0.0");
  CHECK(json_of(100.0) == "100.0");
  CHECK(json_of(-2.5) == "-2.5");
  CHECK(json_of(1e15) == "1000000000000000.0");
  CHECK(json_of(1e16) == "1e+16");
  CHECK(json_of(0.00001) == "1e-05");
  CHECK(json_of(1795818057.8518977) == "1795818057.8518977");
  CHECK(json_of(std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("JSON members are sorted, and adding one again replaces it") {
  JsonObject object;
  object.add("b", 1);
  object.add("a", true);
  object.add("c", nullptr);
  object.add("b", "two");
  object.add_or_null("d", std::optional<int>());
  object.add_if("e", std::optional<int>());
  JsonArray list;
  list.add(1);
  list.add("x");
  object.add("list", list.done());
  CHECK(object.text() == R"({"a":true,"b":"two","c":null,"d":null,"list":[1,"x"]})");
}

TEST_CASE("arguments are read from JSON and from query text alike") {
  const auto parsed = Arguments::parse(
      R"({"i":3,"f":4.0,"t":" 5 ","bad":"abc","half":1.5,"yes":"YES","no":"false","n":null,)"
      R"("b":true,"one":1,"l":["A","B"],"q":"A, B,,","o":{"x":1}})");
  REQUIRE(parsed.ok());
  const Arguments& a = *parsed;
  CHECK(**a.integer("i") == 3);
  CHECK(**a.integer("f") == 4);
  CHECK(**a.integer("t") == 5);
  CHECK_FALSE(a.integer("missing")->has_value());
  CHECK_FALSE(a.integer("n")->has_value());
  REQUIRE_FALSE(a.integer("bad").ok());
  CHECK(a.integer("bad").failure().message == "bad must be an integer, found 'abc'");
  CHECK_FALSE(a.integer("half").ok());
  CHECK_FALSE(a.integer_or_nothing("bad").has_value());
  CHECK(a.flag("yes"));
  CHECK(a.flag("b"));
  CHECK(a.flag("one"));
  CHECK_FALSE(a.flag("no"));
  CHECK_FALSE(a.flag("missing"));
  CHECK(a.list("l") == std::vector<std::string>{"A", "B"});
  CHECK(a.list("q") == std::vector<std::string>{"A", "B"});
  CHECK(a.text("o") == R"({"x":1})");
  CHECK_FALSE(a.has("n"));
}

TEST_CASE("arguments that are no object are refused") {
  for (const char* text : {"[1]", "\"x\"", "3", "{", "", "{\"a\":1}x", "nan"}) {
    INFO(text);
    const auto parsed = Arguments::parse(text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.failure().fault == Fault::BadRequest);
  }
}

std::shared_ptr<const Tree> some_tree() {
  Node root;
  root.role = "Window";
  return make_tree(std::move(root));
}

TEST_CASE("the cache keeps eight windows for its time to live") {
  TreeCache cache(100);
  cache.store("a", some_tree(), {0, 7, 1, 0}, 0);
  CHECK(cache.lookup("a", 100) != nullptr);
  CHECK(cache.lookup("a", 101) == nullptr);
  CHECK(cache.lookup("b", 0) == nullptr);
  CHECK(cache.totals().hits == 1);
  CHECK(cache.totals().misses == 2);
  for (int i = 0; i < 8; ++i) cache.store("w" + std::to_string(i), some_tree(), {}, 100);
  CHECK(cache.entries() == 8);
  CHECK(cache.lookup("a", 100) == nullptr);
  CHECK(cache.lookup("w0", 100) != nullptr);
  cache.store("new", some_tree(), {0, 9, 1, 0}, 100);  // w0 was used last, so w1 goes
  CHECK(cache.lookup("w0", 100) != nullptr);
  CHECK(cache.lookup("w1", 100) == nullptr);
  cache.invalidate("w0");
  CHECK(cache.lookup("w0", 100) == nullptr);
  cache.invalidate_all();
  CHECK(cache.entries() == 0);
  CHECK(cache.stats().size() == 10);
  CHECK(cache.totals().capture_ms_total == 16);
  CHECK(cache.totals().capture_ms_max == 9);
}

TEST_CASE("tokens name the last sixteen trees of their window for five minutes") {
  constexpr std::int64_t kSecond = 1'000'000'000;
  TreeTokens tokens;
  const auto tree = some_tree();
  const std::string first = tokens.mint("w", tree, 0);
  CHECK(first.size() == 19);
  CHECK(first.starts_with("tt:"));
  CHECK(tokens.find("w", first, 300 * kSecond) == tree);
  CHECK(tokens.find("w", first, 301 * kSecond) == nullptr);
  CHECK(tokens.find("other", first, 0) == nullptr);
  for (int i = 0; i < 16; ++i) (void)tokens.mint("w", tree, 0);
  CHECK(tokens.find("w", first, 0) == nullptr);
}

/// RGB pixels of a PNG file, read by another library.
std::vector<std::uint8_t> decode(const std::vector<std::uint8_t>& png) {
  spng_ctx* context = spng_ctx_new(0);
  REQUIRE(spng_set_png_buffer(context, png.data(), png.size()) == 0);
  std::size_t size = 0;
  REQUIRE(spng_decoded_image_size(context, SPNG_FMT_RGB8, &size) == 0);
  std::vector<std::uint8_t> rgb(size);
  REQUIRE(spng_decode_image(context, rgb.data(), rgb.size(), SPNG_FMT_RGB8, 0) == 0);
  spng_ctx_free(context);
  return rgb;
}

Image random_image(PixelFormat format, std::int32_t width, std::int32_t height, bool smooth) {
  Image image{width, height, width * bytes_per_pixel(format) + 5, format, {}};
  std::mt19937 random(7);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(image.stride) *
                                   static_cast<std::size_t>(height));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<std::uint8_t>(smooth ? i / 16 + random() % 3 : random());
  }
  image.pixels = Buffer::of(std::move(pixels));
  return image;
}

TEST_CASE("PNG files hold the pixels of every format, padded rows included") {
  struct Order {
    PixelFormat format;
    int red, green, blue;
  };
  const Order orders[] = {{PixelFormat::Bgrx8, 2, 1, 0},
                          {PixelFormat::Bgra8, 2, 1, 0},
                          {PixelFormat::Rgb8, 0, 1, 2},
                          {PixelFormat::Rgba8, 0, 1, 2},
                          {PixelFormat::Gray8, 0, 0, 0}};
  for (const Order& order : orders) {
    for (const bool smooth : {false, true}) {  // chooses the other row filter
      const Image image = random_image(order.format, 67, 31, smooth);
      const auto png = picture::encode_png(image);
      REQUIRE(png.ok());
      const std::vector<std::uint8_t> rgb = decode(*png);
      std::size_t wrong = 0;
      for (std::int32_t y = 0; y < image.height; ++y) {
        for (std::int32_t x = 0; x < image.width; ++x) {
          const std::uint8_t* from = image.pixels.data() + std::ptrdiff_t{y} * image.stride +
                                     std::ptrdiff_t{x} * bytes_per_pixel(order.format);
          const std::uint8_t* to = rgb.data() + (std::ptrdiff_t{y} * image.width + x) * 3;
          wrong +=
              to[0] != from[order.red] || to[1] != from[order.green] || to[2] != from[order.blue];
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("images that are not what they say are refused") {
  Image image = random_image(PixelFormat::Rgb8, 10, 10, false);
  CHECK(picture::encode_png(image).ok());
  image.height = 12;
  CHECK_FALSE(picture::encode_png(image).ok());
  image.height = 10;
  image.stride = 29;
  CHECK_FALSE(picture::encode_png(image).ok());
  CHECK_FALSE(picture::encode_png(Image{}).ok());
}

TEST_CASE("only so many jobs run side by side, and the others in their order") {
  JobQueue queue(2);
  std::string begun;
  for (const char job : {'a', 'b', 'c', 'd'}) queue.add([&begun, job] { begun += job; });
  CHECK(begun == "ab");
  queue.over();
  CHECK(begun == "abc");
  queue.over();
  queue.over();
  queue.over();
  CHECK(begun == "abcd");
  queue.add([&begun] { begun += 'e'; });
  CHECK(begun == "abcde");
}

TEST_CASE("base64 has padding") {
  const auto of = [](std::string_view text) {
    return encode_base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  CHECK(of("").empty());
  CHECK(of("f") == "Zg==");
  CHECK(of("fo") == "Zm8=");
  CHECK(of("foobar") == "Zm9vYmFy");
}

}  // namespace
}  // namespace gantry::observation
