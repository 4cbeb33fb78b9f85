// SPDX-License-Identifier: Apache-2.0
#pragma once

// Chunked request bodies (RFC 9112 7.1), decoded incrementally and strictly: CR LF everywhere,
// sizes of at most 8 hex digits, bounded extensions and trailers. No I/O.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::transport {

class ChunkDecoder {
 public:
  enum class State : uint8_t { kMore, kDone, kMalformed, kTooLarge };

  explicit ChunkDecoder(uint64_t body_limit) : body_limit_(body_limit) {}

  /// Reads from `input`, appends body bytes to `out` and sets `consumed`. After kDone the rest of
  /// the input belongs to the next request; the other end states are final.
  State feed(std::string_view input, std::string& out, size_t& consumed);

  uint64_t body_bytes() const { return body_bytes_; }

 private:
  enum class Part : uint8_t {
    kSize,
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailerStart,
    kTrailer,
    kTrailerLf,
    kFinalLf,
  };

  State step(char c);
  State size_digit(char c);
  State trailer_char(char c);

  uint64_t body_limit_;
  uint64_t body_bytes_ = 0;
  uint64_t chunk_left_ = 0;
  uint32_t digits_ = 0;
  uint32_t side_bytes_ = 0;  ///< extension bytes of this chunk, then trailer bytes
  Part part_ = Part::kSize;
  bool trailer_has_colon_ = false;
  State end_ = State::kMore;
};

}  // namespace gantry::transport
