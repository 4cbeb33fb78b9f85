// SPDX-License-Identifier: Apache-2.0
// Pictures scaled and encoded to a wished size.
#include <catch2/catch.hpp>
#include <gantry/picture/decode.hpp>
#include <gantry/picture/file.hpp>
#include <gantry/picture/jpeg.hpp>
#include <gantry/picture/scale.hpp>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <span>

namespace gantry::picture {
namespace {

Image image_of(std::int32_t width, std::int32_t height, PixelFormat format,
               std::vector<std::uint8_t> pixels) {
  return {width, height, width * bytes_per_pixel(format), format, Buffer::of(std::move(pixels))};
}

/// A photograph, as far as encoders are concerned.
Image noise(std::int32_t width, std::int32_t height) {
  std::mt19937 random(7);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width * height * 4));
  std::generate(pixels.begin(), pixels.end(), [&] { return static_cast<std::uint8_t>(random()); });
  return image_of(width, height, PixelFormat::Bgrx8, std::move(pixels));
}

/// A page with a few lines on it.
Image page(std::int32_t width, std::int32_t height) {
  std::vector<std::uint8_t> pixels;
  for (std::int32_t y = 0; y < height; ++y) {
    pixels.insert(pixels.end(), static_cast<std::size_t>(width) * 4, y % 20 == 0 ? 0 : 255);
  }
  return image_of(width, height, PixelFormat::Bgrx8, std::move(pixels));
}

TEST_CASE("a scaled picture has the wished edge, its shape, and the mean of what it covers") {
  const Image three = image_of(3, 1, PixelFormat::Gray8, {90, 120, 30});
  const Image two = scaled_to(three, 2);
  REQUIRE(two.width == 2);
  CHECK(two.height == 1);
  CHECK(std::abs(two.pixels.data()[0] - 100) <= 1);  // 90 and half of 120
  CHECK(std::abs(two.pixels.data()[1] - 60) <= 1);   // half of 120, and 30
  CHECK(scaled_to(page(1920, 1080), 1568).width == 1568);
  CHECK(scaled_to(page(1920, 1080), 1568).height == 882);
  CHECK(scaled_to(page(500, 1000), 100).height == 100);
  CHECK(scaled_to(page(500, 1000), 100).width == 50);
  CHECK(scaled_to(page(50, 10), 100).width == 50);
  CHECK(scaled_to(page(3000, 1), 10).height == 1);
  // One colour stays that colour, however far it is shrunk.
  for (const std::int32_t edge : {1, 7, 999}) {
    const Image flat = scaled_to(
        image_of(1000, 300, PixelFormat::Gray8, std::vector<std::uint8_t>(300'000, 200)), edge);
    CHECK(*std::min_element(flat.pixels.data(), flat.pixels.data() + flat.pixels.size()) == 200);
    CHECK(*std::max_element(flat.pixels.data(), flat.pixels.data() + flat.pixels.size()) == 200);
  }
}

TEST_CASE("a JPEG has the colours of the picture, whatever the order of its bytes") {
  struct Row {
    PixelFormat format;
    std::vector<std::uint8_t> pixel;
  };
  for (const Row& row :
       {Row{PixelFormat::Bgrx8, {10, 60, 220, 0}}, Row{PixelFormat::Bgra8, {10, 60, 220, 255}},
        Row{PixelFormat::Rgb8, {220, 60, 10}}, Row{PixelFormat::Rgba8, {220, 60, 10, 255}}}) {
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 64; ++i) pixels.insert(pixels.end(), row.pixel.begin(), row.pixel.end());
    const auto file = encode_jpeg(image_of(8, 8, row.format, std::move(pixels)), 85);
    REQUIRE(file.ok());
    const auto read = decode(*file);
    REQUIRE(read.ok());
    const Image& image = read->image;
    REQUIRE(image.width == 8);
    CHECK(std::abs(image.pixels.data()[0] - 220) < 8);
    CHECK(std::abs(image.pixels.data()[1] - 60) < 8);
    CHECK(std::abs(image.pixels.data()[2] - 10) < 8);
  }
  CHECK_FALSE(encode_jpeg(image_of(9, 8, PixelFormat::Rgb8, {1, 2, 3}), 85).ok());
  CHECK_FALSE(encode_jpeg(Image{}, 85).ok());
}

TEST_CASE("the smaller of both formats is taken, and both can be asked for") {
  const PictureWish smaller{0, 0, PictureFormat::Smaller, true};
  CHECK(encode_picture(page(300, 200), smaller)->format == "png");
  CHECK(encode_picture(noise(300, 200), smaller)->format == "jpeg");
  CHECK(encode_picture(noise(300, 200), {})->format == "png");
  CHECK(encode_picture(page(300, 200), {0, 0, PictureFormat::Jpeg, true})->format == "jpeg");
}

TEST_CASE("a file keeps to its limit: less quality first, then fewer pixels") {
  const Image image = noise(400, 300);
  const std::size_t best = encode_jpeg(image, 85)->size();
  const std::size_t least = encode_jpeg(image, 50)->size();
  const auto with = [&](std::size_t limit, PictureFormat format) {
    return encode_picture(image, {0, static_cast<std::int64_t>(limit), format, true});
  };
  CHECK(with(best, PictureFormat::Smaller)->bytes.size() == best);
  const auto worse = with(best - 1, PictureFormat::Smaller);
  CHECK(worse->width == 400);
  CHECK(worse->bytes.size() < best);
  CHECK(with(least, PictureFormat::Smaller)->width == 400);
  for (const PictureFormat format :
       {PictureFormat::Png, PictureFormat::Jpeg, PictureFormat::Smaller}) {
    for (const std::size_t limit : {std::size_t{1000}, std::size_t{9000}, least - 1}) {
      const auto small = with(limit, format);
      REQUIRE(small.ok());
      CHECK(small->bytes.size() <= limit);
      CHECK(small->width < 400);
      CHECK(std::abs(small->width * 3 - small->height * 4) <= 4);
    }
  }
  CHECK_FALSE(encode_picture(image_of(400, 300, PixelFormat::Rgb8, {1, 2, 3}), {10, 0}).ok());
}

TEST_CASE("the size of a file is known without unpacking it") {
  const auto png = encode_picture(page(300, 200), {});
  REQUIRE(png.ok());
  // The header is enough.
  const auto size = size_of(std::span(png->bytes).first(40));
  REQUIRE(size.ok());
  CHECK(size->width == 300);
  CHECK(size->height == 200);
  const auto jpeg = encode_picture(page(40, 90), {0, 0, PictureFormat::Jpeg, true});
  CHECK(size_of(jpeg->bytes)->height == 90);
  const std::vector<std::uint8_t> none{'G', 'I', 'F', '8'};
  CHECK(size_of(none).error().detail == R"({"reason":"no_picture"})");
  CHECK(size_of(std::span(png->bytes).first(12)).error().detail == R"({"reason":"no_picture"})");
}

}  // namespace
}  // namespace gantry::picture
