// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/picture/gif_png.hpp>

#include <catch2/catch.hpp>
#include <vector>

namespace gantry::picture {
namespace {

constexpr std::uint8_t kSmall[] = {71,  73, 70,  56,  57,  97, 3,  0,  2,   0,  129, 0,  0,
                                   255, 0,  0,   0,   255, 0,  0,  0,  255, 10, 20,  30, 33,
                                   254, 3,  104, 101, 121, 0,  44, 0,  0,   0,  0,   3,  0,
                                   2,   0,  0,   2,   3,   68, 52, 86, 0,   59};
// A frame of 2x2 in the middle of 4x4, with a colour that is none.
constexpr std::uint8_t kPart[] = {71, 73, 70,  56, 57,  97, 4,   0,   4,   0,  129, 0,   0, 255, 0,
                                  0,  0,  255, 0,  0,   0,  255, 10,  20,  30, 33,  249, 4, 1,   0,
                                  0,  2,  0,   33, 254, 3,  104, 101, 121, 0,  44,  1,   0, 1,   0,
                                  2,  0,  2,   0,  0,   2,  3,   140, 20,  5,  0,   59};
// 100x90, interlaced; the colour at x, y is the palette's (x * x + 3 * y) % 4.
constexpr const char* kInterlaced =
    "R0lGODlhZABaAIEAAP8AAAD/AAAA/woUHiH+A2hleQAsAAAAAGQAWgBAAv9EjKfJ6w2fjHTaiq/OfPsOfmJIjmaJ"
    "nmrKrm4Lv3JMz3aN33rO734P/AmDxKGxiDwqk8ylswl9SqPUqbWKvWqz3K23C/6Ks4JB+WxOo9fqNvvtjsPn8jr9"
    "bs/j9/o+/+8XCDgoWEh4aJiIuKjYyPjoGAk5KVlJeWmZibmp2cn56RkKOipaSnpqmoq6qtrK+uoaCzsrW0t7a5uL"
    "u6vby/vbOgAgTDxsXIx8rJzMvOzcDP0sHR0gUH1tnY29rd3N/e0dDj4uXk4ejT6tns6+7t5MHm8+L19Pfw/erv/O"
    "v+8vbS8gvoECC5b7h7CfwoTUCDo0CPHhPIYLK1JMGDGjRI2KBi9a/OgxHceNJEfKCwkyJcpiJku6bIltpcqZHmG+"
    "vDlSpk6aCm36xOlwp1CeIoH+PDqRqNKhDZE6NdqN6dKpyZ5ahVpNqtapV7sC3QqWp9exLsOaTUk2rcSzbCuqfTuw"
    "rVx+cOsmnYsXINa9XvP6dWY3cLi/hI0JPpytcGHEiBVT7ck38lPHfwsAADs=";

using Colour = std::vector<int>;
const std::vector<Colour> kColours{{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {10, 20, 30}};
const Colour kWhite{255, 255, 255};

Colour at(const Image& image, int x, int y) {
  const auto bytes = image.pixels.bytes();
  const std::size_t from = static_cast<std::size_t>(y * image.stride + x * 3);
  return {bytes[from], bytes[from + 1], bytes[from + 2]};
}

TEST_CASE("the first frame of a GIF, pixel by pixel") {
  const auto image = decode_gif(kSmall);
  REQUIRE(image.ok());
  CHECK(image->width == 3);
  CHECK(image->height == 2);
  const std::size_t colours[] = {0, 1, 2, 3, 0, 1};
  for (int i = 0; i < 6; ++i) CHECK(at(*image, i % 3, i / 3) == kColours[colours[i]]);
  CHECK(gif_as_png(kSmall).ok());
}

TEST_CASE("a frame that is smaller than the picture, and transparent, is on white") {
  const auto image = decode_gif(kPart);
  REQUIRE(image.ok());
  CHECK(at(*image, 0, 0) == kWhite);
  CHECK(at(*image, 1, 1) == kColours[1]);
  CHECK(at(*image, 2, 1) == kWhite);
  CHECK(at(*image, 1, 2) == kWhite);
  CHECK(at(*image, 2, 2) == kColours[1]);
}

TEST_CASE("an interlaced GIF with codes of many lengths") {
  const auto file = codec::read_base64(kInterlaced);
  REQUIRE(file.ok());
  const auto image = decode_gif(*file);
  REQUIRE(image.ok());
  int wrong = 0;
  for (int y = 0; y < 90; ++y) {
    for (int x = 0; x < 100; ++x) {
      wrong += at(*image, x, y) != kColours[static_cast<std::size_t>((x * x + y * 3) % 4)];
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("what is no GIF, broken, cut off or too large is refused") {
  const std::vector<std::uint8_t> whole(std::begin(kSmall), std::end(kSmall));
  for (std::size_t size = 0; size < 43; ++size) {
    INFO(size);
    CHECK_FALSE(decode_gif(std::span(whole).first(size)).ok());
  }
  std::vector<std::uint8_t> outside = whole;
  outside[37] = 9;  // the frame's width
  CHECK_FALSE(decode_gif(outside).ok());
  DecodeLimits limits;
  limits.max_pixels = 5;
  const auto large = decode_gif(kSmall, limits);
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().detail == R"({"reason":"too_large"})");
}

}  // namespace
}  // namespace gantry::picture
