// SPDX-License-Identifier: Apache-2.0
#include "canvas.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace gantry::mock {
namespace {

constexpr int kGlyphWidth = 3;
constexpr int kGlyphHeight = 5;
constexpr int kAdvance = kGlyphWidth + 1;

/// Rows from the top, one octal digit each: 4 is the left square, 2 the middle, 1 the right.
struct Glyph {
  char character;
  std::string_view rows;
};

constexpr std::array<Glyph, 51> kGlyphs{{
    {'A', "25755"}, {'B', "65656"}, {'C', "34443"}, {'D', "65556"}, {'E', "74647"}, {'F', "74644"},
    {'G', "34553"}, {'H', "55755"}, {'I', "72227"}, {'J', "11152"}, {'K', "55655"}, {'L', "44447"},
    {'M', "57755"}, {'N', "65555"}, {'O', "25552"}, {'P', "65644"}, {'Q', "25573"}, {'R', "65655"},
    {'S', "34216"}, {'T', "72222"}, {'U', "55557"}, {'V', "55552"}, {'W', "55775"}, {'X', "55255"},
    {'Y', "55222"}, {'Z', "71247"}, {'0', "75557"}, {'1', "26227"}, {'2', "61247"}, {'3', "61216"},
    {'4', "55711"}, {'5', "74616"}, {'6', "34652"}, {'7', "71222"}, {'8', "25252"}, {'9', "25316"},
    {'.', "00002"}, {',', "00024"}, {'!', "22202"}, {':', "02020"}, {'-', "00700"}, {'_', "00007"},
    {'(', "12221"}, {')', "42224"}, {'%', "51245"}, {'"', "55000"}, {'/', "11244"}, {'+', "02720"},
    {'[', "64446"}, {']', "31113"}, {' ', "00000"},
}};
constexpr std::string_view kMissing = "77777";

std::string_view rows_of(char character) {
  const auto upper = static_cast<char>(std::toupper(static_cast<unsigned char>(character)));
  const auto* const glyph = std::find_if(kGlyphs.begin(), kGlyphs.end(),
                                         [upper](const Glyph& g) { return g.character == upper; });
  return glyph != kGlyphs.end() ? glyph->rows : kMissing;
}

}  // namespace

Canvas::Canvas(int width, int height, Colour background)
    : width_(width),
      height_(height),
      rgb_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {
  fill(0, 0, width, height, background);
}

void Canvas::fill(int x, int y, int width, int height, Colour colour) {
  const int right = std::min(x + width, width_);
  const int bottom = std::min(y + height, height_);
  for (int row = std::max(y, 0); row < bottom; ++row) {
    for (int column = std::max(x, 0); column < right; ++column) {
      const std::size_t at = (static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                              static_cast<std::size_t>(column)) *
                             3;
      rgb_[at] = static_cast<std::uint8_t>(colour >> 16U);
      rgb_[at + 1] = static_cast<std::uint8_t>(colour >> 8U);
      rgb_[at + 2] = static_cast<std::uint8_t>(colour);
    }
  }
}

void Canvas::frame(int x, int y, int width, int height, Colour colour) {
  fill(x, y, width, 1, colour);
  fill(x, y + height - 1, width, 1, colour);
  fill(x, y, 1, height, colour);
  fill(x + width - 1, y, 1, height, colour);
}

int Canvas::text(int x, int y, std::string_view text, Colour colour, int scale) {
  for (const char character : text) {
    const std::string_view rows = rows_of(character);
    for (int row = 0; row < kGlyphHeight; ++row) {
      const unsigned bits = static_cast<unsigned>(rows[static_cast<std::size_t>(row)] - '0');
      for (int column = 0; column < kGlyphWidth; ++column) {
        if ((bits & (4U >> static_cast<unsigned>(column))) == 0) continue;
        fill(x + column * scale, y + row * scale, scale, scale, colour);
      }
    }
    x += kAdvance * scale;
  }
  return x;
}

Image Canvas::image() && {
  Image out;
  out.width = width_;
  out.height = height_;
  out.stride = width_ * 3;
  out.format = PixelFormat::Rgb8;
  out.pixels = Buffer::of(std::move(rgb_));
  return out;
}

}  // namespace gantry::mock
