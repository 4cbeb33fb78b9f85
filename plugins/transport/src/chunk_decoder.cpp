// SPDX-License-Identifier: Apache-2.0
#include "chunk_decoder.hpp"

#include <algorithm>

#include "http_types.hpp"

namespace gantry::transport {
namespace {

constexpr uint32_t kMaxSizeDigits = 8;
constexpr uint32_t kMaxExtensionBytes = 256;
constexpr uint32_t kMaxTrailerBytes = 8 * 1024;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_text(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

}  // namespace

ChunkDecoder::State ChunkDecoder::feed(std::string_view input, std::string& out, size_t& consumed) {
  consumed = 0;
  while (consumed < input.size() && end_ == State::kMore) {
    if (part_ == Part::kData) {
      const auto take =
          static_cast<size_t>(std::min<uint64_t>(chunk_left_, input.size() - consumed));
      out.append(input.substr(consumed, take));
      consumed += take;
      chunk_left_ -= take;
      if (chunk_left_ == 0) part_ = Part::kDataCr;
      continue;
    }
    end_ = step(input[consumed++]);
  }
  return end_;
}

ChunkDecoder::State ChunkDecoder::size_digit(char c) {
  const int value = hex_value(c);
  if (value >= 0) {
    if (++digits_ > kMaxSizeDigits) return State::kTooLarge;
    chunk_left_ = chunk_left_ * 16 + static_cast<uint64_t>(value);
    return State::kMore;
  }
  if (digits_ == 0) return State::kMalformed;
  if (chunk_left_ > body_limit_ - body_bytes_) return State::kTooLarge;
  if (c == ';') {
    part_ = Part::kExtension;
  } else if (c == '\r') {
    part_ = Part::kSizeLf;
  } else {
    return State::kMalformed;
  }
  return State::kMore;
}

ChunkDecoder::State ChunkDecoder::trailer_char(char c) {
  if (++side_bytes_ > kMaxTrailerBytes) return State::kTooLarge;
  if (c == '\r') {
    if (!trailer_has_colon_) return State::kMalformed;
    part_ = Part::kTrailerLf;
    return State::kMore;
  }
  if (c == ':') {
    trailer_has_colon_ = true;
    return State::kMore;
  }
  const bool ok = trailer_has_colon_ ? is_text(c) : is_token(std::string_view(&c, 1));
  return ok ? State::kMore : State::kMalformed;
}

ChunkDecoder::State ChunkDecoder::step(char c) {
  switch (part_) {
    case Part::kSize: return size_digit(c);
    case Part::kExtension:
      if (c == '\r') {
        part_ = Part::kSizeLf;
        return State::kMore;
      }
      if (!is_text(c)) return State::kMalformed;
      return ++side_bytes_ > kMaxExtensionBytes ? State::kTooLarge : State::kMore;
    case Part::kSizeLf:
      if (c != '\n') return State::kMalformed;
      body_bytes_ += chunk_left_;
      part_ = chunk_left_ == 0 ? Part::kTrailerStart : Part::kData;
      digits_ = 0;
      side_bytes_ = 0;
      return State::kMore;
    case Part::kDataCr: part_ = Part::kDataLf; return c == '\r' ? State::kMore : State::kMalformed;
    case Part::kDataLf: part_ = Part::kSize; return c == '\n' ? State::kMore : State::kMalformed;
    case Part::kTrailerStart:
      if (c == '\r') {
        part_ = Part::kFinalLf;
        return State::kMore;
      }
      part_ = Part::kTrailer;
      trailer_has_colon_ = false;
      // A trailer is read and forgotten: none has a meaning for us (RFC 9110 6.5.1).
      return c == ':' ? State::kMalformed : trailer_char(c);
    case Part::kTrailer: return trailer_char(c);
    case Part::kTrailerLf:
      part_ = Part::kTrailerStart;
      return c == '\n' ? State::kMore : State::kMalformed;
    case Part::kFinalLf: return c == '\n' ? State::kDone : State::kMalformed;
    case Part::kData: break;
  }
  return State::kMalformed;
}

}  // namespace gantry::transport
