// SPDX-License-Identifier: Apache-2.0
#include <gantry/picture/gif.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "decode_parts.hpp"

namespace gantry::picture {
namespace {

constexpr std::uint8_t kExtension = 0x21;
constexpr std::uint8_t kPicture = 0x2C;
constexpr std::uint8_t kGraphicControl = 0xF9;
constexpr unsigned kLongestCode = 12;
constexpr std::uint8_t kInterlaced = 0x40;
constexpr std::uint8_t kHasColours = 0x80;

/// Bytes from the front of a file; beyond its end there is none.
class Reader {
 public:
  explicit Reader(Bytes file) : rest_(file) {}

  std::optional<std::uint8_t> byte() {
    if (rest_.empty()) return std::nullopt;
    const std::uint8_t out = rest_.front();
    rest_ = rest_.subspan(1);
    return out;
  }
  std::optional<unsigned> word() {
    const auto low = byte();
    const auto high = byte();
    if (!low || !high) return std::nullopt;
    return *low | static_cast<unsigned>(*high) << 8U;
  }
  std::optional<Bytes> take(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    const Bytes out = rest_.first(count);
    rest_ = rest_.subspan(count);
    return out;
  }

 private:
  Bytes rest_;
};

/// The data of the blocks up to the empty one; a file that is cut off has what came until then.
std::vector<std::uint8_t> blocks(Reader& file) {
  std::vector<std::uint8_t> out;
  for (auto size = file.byte(); size && *size != 0; size = file.byte()) {
    const auto block = file.take(*size);
    if (!block) break;
    out.insert(out.end(), block->begin(), block->end());
  }
  return out;
}

/// The codes of LZW, of growing length, from their bytes.
class Codes {
 public:
  explicit Codes(const std::vector<std::uint8_t>& data) : data_(data) {}

  std::optional<unsigned> next(unsigned bits) {
    while (have_ < bits) {
      if (at_ == data_.size()) return std::nullopt;
      held_ |= static_cast<unsigned>(data_[at_++]) << have_;
      have_ += 8;
    }
    const unsigned code = held_ & ((1U << bits) - 1);
    held_ >>= bits;
    have_ -= bits;
    return code;
  }

 private:
  const std::vector<std::uint8_t>& data_;
  std::size_t at_ = 0;
  unsigned held_ = 0;
  unsigned have_ = 0;
};

/// Colours of `count` pixels at most.
class Unpacker {
 public:
  Unpacker(unsigned colour_bits, std::size_t count)
      : clear_(1U << colour_bits), start_bits_(colour_bits + 1), count_(count) {
    forget();
  }

  std::vector<std::uint8_t> run(const std::vector<std::uint8_t>& data) {
    Codes codes(data);
    while (out_.size() < count_) {
      const auto code = codes.next(bits_);
      if (!code || *code == clear_ + 1) break;
      if (*code == clear_) {
        forget();
      } else if (!take(*code)) {
        break;  // broken from here on
      }
    }
    out_.resize(std::min(out_.size(), count_));
    return std::move(out_);
  }

 private:
  struct Entry {
    std::uint16_t before = 0;
    std::uint8_t colour = 0;
    std::uint8_t first = 0;
  };

  void forget() {
    size_ = clear_ + 2;
    bits_ = start_bits_;
    last_.reset();
    for (unsigned i = 0; i < clear_; ++i) {
      const auto colour = static_cast<std::uint8_t>(i);
      table_[i] = {0, colour, colour};
    }
  }

  bool take(unsigned code) {
    if (code > size_ || (code == size_ && !last_)) return false;
    if (last_ && size_ < table_.size()) {
      const std::uint8_t first = table_[code == size_ ? *last_ : code].first;
      table_[size_++] = {static_cast<std::uint16_t>(*last_), first, table_[*last_].first};
      if (size_ == (1U << bits_) && bits_ < kLongestCode) ++bits_;
    } else if (code == size_) {
      return false;  // the table is full
    }
    write(code);
    last_ = code;
    return true;
  }

  void write(unsigned code) {
    const std::size_t from = out_.size();
    for (; code >= clear_; code = table_[code].before) out_.push_back(table_[code].colour);
    out_.push_back(table_[code].colour);
    std::reverse(out_.begin() + static_cast<std::ptrdiff_t>(from), out_.end());
  }

  std::array<Entry, 1U << kLongestCode> table_{};
  const unsigned clear_;
  const unsigned start_bits_;
  const std::size_t count_;
  unsigned size_ = 0;
  unsigned bits_ = 0;
  std::optional<unsigned> last_;
  std::vector<std::uint8_t> out_;
};

/// The picture's row that the n-th row of the data is.
std::vector<std::size_t> row_order(std::size_t height, bool interlaced) {
  std::vector<std::size_t> out;
  const std::array<std::pair<std::size_t, std::size_t>, 4> passes{{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
  for (const auto& [from, step] : passes) {
    if (!interlaced) break;
    for (std::size_t row = from; row < height; row += step) out.push_back(row);
  }
  for (std::size_t row = 0; !interlaced && row < height; ++row) out.push_back(row);
  return out;
}

struct Canvas {
  std::size_t width = 0;
  std::size_t height = 0;
  Bytes colours;                   // of all frames
  std::optional<unsigned> absent;  // the transparent colour
};

Result<Image> read_frame(Reader& file, const Canvas& canvas) {
  const auto left = file.word();
  const auto top = file.word();
  const auto width = file.word();
  const auto height = file.word();
  const auto flags = file.byte();
  if (!flags || !left || !top || !width || !height) return no_picture("the GIF is cut off");
  if (*width == 0 || *height == 0 || *left + *width > canvas.width ||
      *top + *height > canvas.height) {
    return no_picture("the GIF's frame lies outside of it");
  }
  Bytes colours = canvas.colours;
  if ((*flags & kHasColours) != 0) {
    const auto own = file.take(std::size_t{3} << ((*flags & 7U) + 1));
    if (!own) return no_picture("the GIF is cut off");
    colours = *own;
  }
  const auto bits = file.byte();
  if (!bits || *bits < 1 || *bits > 8) return no_picture("the GIF's data are broken");
  const std::size_t count = std::size_t{*width} * *height;
  const std::vector<std::uint8_t> pixels = Unpacker(*bits, count).run(blocks(file));
  if (pixels.empty()) return no_picture("the GIF has no pixels");
  std::vector<std::uint8_t> rgb(canvas.width * canvas.height * 3, 255);
  const auto rows = row_order(*height, (*flags & kInterlaced) != 0);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const std::size_t colour = std::size_t{pixels[i]} * 3;
    if (pixels[i] == canvas.absent || colour + 3 > colours.size()) continue;
    const std::size_t at = ((*top + rows[i / *width]) * canvas.width + *left + i % *width) * 3;
    std::copy_n(colours.begin() + static_cast<std::ptrdiff_t>(colour), 3,
                rgb.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return rgb_image(static_cast<std::int32_t>(canvas.width),
                   static_cast<std::int32_t>(canvas.height), std::move(rgb));
}

/// Skips what an extension says, but for the colour that is none.
void read_extension(Reader& file, Canvas& canvas) {
  const auto kind = file.byte();
  const std::vector<std::uint8_t> data = blocks(file);
  if (kind != kGraphicControl || data.size() < 4) return;
  canvas.absent.reset();
  if ((data[0] & 1U) != 0) canvas.absent = data[3];
}

}  // namespace

bool is_gif(std::span<const std::uint8_t> file) {
  constexpr std::array<std::uint8_t, 4> kMark{'G', 'I', 'F', '8'};
  return file.size() >= 6 && std::equal(kMark.begin(), kMark.end(), file.begin()) &&
         (file[4] == '7' || file[4] == '9') && file[5] == 'a';
}

Result<Image> decode_gif(std::span<const std::uint8_t> bytes, const DecodeLimits& limits) {
  if (!is_gif(bytes)) return no_picture("it is no GIF");
  Reader file(bytes.subspan(6));
  const auto width = file.word();
  const auto height = file.word();
  const auto flags = file.byte();
  if (!flags || !width || !height || !file.take(2)) return no_picture("the GIF is cut off");
  GANTRY_TRY(check_size(*width, *height, limits));
  Canvas canvas{*width, *height, {}, {}};
  if ((*flags & kHasColours) != 0) {
    const auto colours = file.take(std::size_t{3} << ((*flags & 7U) + 1));
    if (!colours) return no_picture("the GIF is cut off");
    canvas.colours = *colours;
  }
  for (auto kind = file.byte(); kind; kind = file.byte()) {
    if (*kind == kPicture) return read_frame(file, canvas);
    if (*kind != kExtension) break;
    read_extension(file, canvas);
  }
  return no_picture("the GIF has no picture");
}

}  // namespace gantry::picture
