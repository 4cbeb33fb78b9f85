// SPDX-License-Identifier: Apache-2.0
#include "ws_deflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "http_types.hpp"

namespace gantry::transport {
namespace {

constexpr std::string_view kFlushMarker("\x00\x00\xff\xff", 4);
constexpr size_t kPooledInflaters = 4;
constexpr int kBlockBoundary = 128;  // z_stream::data_type after the end of a block (zlib.h)

unsigned char* bytes_of(std::string_view text) {
  // zlib's next_in is not const; it does not write through it.
  return reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
}

std::optional<uint8_t> window_bits(std::string_view value) {
  int bits = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), bits);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  if (bits < 8 || bits > 15 || value.front() == '0') return std::nullopt;
  return static_cast<uint8_t>(bits);
}

struct Offer {
  bool server_no_takeover = false;
  bool client_no_takeover = false;
  bool client_bits_offered = false;
  std::optional<uint8_t> server_bits;
};

/// One parameter into `offer`; false when the offer must be declined: unknown name, bad value, or
/// the same name twice (RFC 7692 7.1).
bool read_param(std::string_view text, Offer& offer) {
  const size_t equals = text.find('=');
  const std::string_view name = trim(text.substr(0, equals));
  const bool has_value = equals != std::string_view::npos;
  std::string_view value = has_value ? trim(text.substr(equals + 1)) : std::string_view();
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    value = value.substr(1, value.size() - 2);
  }
  if (name == "server_no_context_takeover" || name == "client_no_context_takeover") {
    bool& flag = name[0] == 's' ? offer.server_no_takeover : offer.client_no_takeover;
    if (has_value || flag) return false;
    flag = true;
    return true;
  }
  if (name == "client_max_window_bits") {
    // We inflate with the largest window, so any smaller one of the client's suits us.
    if (offer.client_bits_offered || (has_value && !window_bits(value))) return false;
    offer.client_bits_offered = true;
    return true;
  }
  if (name == "server_max_window_bits") {
    if (offer.server_bits || !has_value) return false;
    offer.server_bits = window_bits(value);
    // zlib cannot make a raw stream with a window of 256 bytes.
    return offer.server_bits && *offer.server_bits >= 9;
  }
  return false;
}

std::optional<Offer> read_offer(std::string_view text) {
  size_t semicolon = text.find(';');
  if (trim(text.substr(0, semicolon)) != "permessage-deflate") return std::nullopt;
  Offer offer;
  while (semicolon != std::string_view::npos) {
    text.remove_prefix(semicolon + 1);
    semicolon = text.find(';');
    if (!read_param(trim(text.substr(0, semicolon)), offer)) return std::nullopt;
  }
  return offer;
}

/// A raw-deflate compressor for one thread and window size.
struct Compressor {
  z_stream stream{};
  int level = -1;
  ~Compressor() {
    if (level >= 0) deflateEnd(&stream);
  }
};

z_stream& compressor(uint8_t bits, int level) {
  thread_local std::array<Compressor, 16> compressors;
  Compressor& slot = compressors[bits];
  if (slot.level == level) {
    deflateReset(&slot.stream);
  } else {
    if (slot.level >= 0) deflateEnd(&slot.stream);
    slot.stream = {};
    deflateInit2(&slot.stream, level, Z_DEFLATED, -static_cast<int>(bits), 8, Z_DEFAULT_STRATEGY);
    slot.level = level;
  }
  return slot.stream;
}

}  // namespace

std::optional<DeflateAgreement> negotiate_deflate(std::string_view offers,
                                                  const DeflatePolicy& policy) {
  if (!policy.enabled) return std::nullopt;
  while (!offers.empty()) {
    const size_t comma = offers.find(',');
    const auto offer = read_offer(offers.substr(0, comma));
    if (offer) {
      DeflateAgreement agreement;
      agreement.params.server_takeover = policy.context_takeover && !offer->server_no_takeover;
      agreement.params.client_takeover = policy.context_takeover && !offer->client_no_takeover;
      agreement.response = "permessage-deflate";
      if (!agreement.params.server_takeover) agreement.response += "; server_no_context_takeover";
      if (!agreement.params.client_takeover) agreement.response += "; client_no_context_takeover";
      if (offer->server_bits) {
        agreement.params.server_window_bits = *offer->server_bits;
        agreement.response += "; server_max_window_bits=" + std::to_string(*offer->server_bits);
      }
      return agreement;
    }
    if (comma == std::string_view::npos) break;
    offers.remove_prefix(comma + 1);
  }
  return std::nullopt;
}

Inflater::Inflater() : stream_(std::make_unique<z_stream>()) {
  *stream_ = {};
  inflateInit2(stream_.get(), -15);
}

Inflater::~Inflater() { inflateEnd(stream_.get()); }

void Inflater::begin(std::string_view dictionary) {
  inflateReset(stream_.get());
  if (dictionary.empty()) return;
  inflateSetDictionary(stream_.get(), bytes_of(dictionary), static_cast<uInt>(dictionary.size()));
}

Inflater::State Inflater::feed(std::string_view input, std::string& out, size_t limit) {
  std::array<char, 16 * 1024> block;
  stream_->next_in = bytes_of(input);
  stream_->avail_in = static_cast<uInt>(input.size());
  do {
    stream_->next_out = reinterpret_cast<unsigned char*>(block.data());
    stream_->avail_out = static_cast<uInt>(block.size());
    const int result = inflate(stream_.get(), Z_SYNC_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return State::kCorrupt;
    const size_t made = block.size() - stream_->avail_out;
    if (made > limit - out.size()) return State::kTooLarge;
    out.append(block.data(), made);
    if (result == Z_STREAM_END) {
      // A sender may end a deflate stream inside a message (RFC 7692 7.2.3.4); the window lives on.
      // Two octets are enough for an end, so copying the window each time would be a weapon.
      inflateResetKeep(stream_.get());
    }
  } while (stream_->avail_in > 0 || stream_->avail_out == 0);
  return State::kOk;
}

Inflater::State Inflater::finish(std::string& out, size_t limit) {
  const State state = feed(kFlushMarker, out, limit);
  if (state != State::kOk) return state;
  // Anything but a block boundary means that the message was cut inside a block.
  return (stream_->data_type & kBlockBoundary) != 0 ? State::kOk : State::kCorrupt;
}

std::string Inflater::dictionary() {
  std::string window(32 * 1024, '\0');
  uInt length = 0;
  inflateGetDictionary(stream_.get(), reinterpret_cast<unsigned char*>(window.data()), &length);
  window.resize(length);
  return window;
}

std::unique_ptr<Inflater> InflaterPool::take() {
  if (free_.empty()) return std::make_unique<Inflater>();
  auto inflater = std::move(free_.back());
  free_.pop_back();
  return inflater;
}

void InflaterPool::give_back(std::unique_ptr<Inflater> inflater) {
  if (free_.size() < kPooledInflaters) free_.push_back(std::move(inflater));
}

std::string deflate_message(std::string_view message, int level, uint8_t window_bits,
                            std::string* dictionary) {
  z_stream& stream = compressor(window_bits, level);
  if (dictionary != nullptr && !dictionary->empty()) {
    deflateSetDictionary(&stream, bytes_of(*dictionary), static_cast<uInt>(dictionary->size()));
  }
  std::string out(deflateBound(&stream, message.size()) + 16, '\0');
  stream.next_in = bytes_of(message);
  stream.avail_in = static_cast<uInt>(message.size());
  size_t made = 0;
  do {
    if (made == out.size()) out.resize(out.size() * 2);
    stream.next_out = reinterpret_cast<unsigned char*>(out.data() + made);
    stream.avail_out = static_cast<uInt>(out.size() - made);
    deflate(&stream, Z_SYNC_FLUSH);
    made = out.size() - stream.avail_out;
  } while (stream.avail_out == 0);
  out.resize(made);
  if (out.size() >= 4 && std::string_view(out).substr(out.size() - 4) == kFlushMarker) {
    out.resize(out.size() - 4);
  }
  if (dictionary != nullptr) {
    dictionary->append(message);
    const size_t window = size_t{1} << window_bits;
    if (dictionary->size() > window) dictionary->erase(0, dictionary->size() - window);
  }
  return out;
}

}  // namespace gantry::transport
