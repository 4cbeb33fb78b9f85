// SPDX-License-Identifier: Apache-2.0
#include "body.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gantry::http {
namespace {

constexpr std::uint32_t kLongestLine = 16'384;
constexpr std::uint64_t kLargestChunk = std::uint64_t{1} << 58U;

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

Body Body::of(const Poco::Net::HTTPResponse& head, const std::string& method) {
  const int status = head.getStatus();
  if (status < 200) return until_close();  // not final: what comes is of no next exchange
  if (method == "HEAD" || status == 204 || status == 304) return sized(0);
  if (head.getChunkedTransferEncoding()) return chunked();
  if (!head.hasContentLength()) return until_close();
  return sized(static_cast<std::uint64_t>(std::max<Poco::Int64>(0, head.getContentLength64())));
}

Body Body::chunked() {
  Body body(Phase::Size, 0);
  body.chunked_ = true;
  return body;
}

Body Body::sized(std::uint64_t bytes) { return {bytes == 0 ? Phase::Over : Phase::Data, bytes}; }

Body Body::until_close() { return {Phase::Stream, 0}; }

std::size_t Body::take(char* bytes, std::size_t size) {
  if (phase_ == Phase::Stream) return size;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < size;) {
    if (over()) {
      followed_ = true;
      break;
    }
    if (phase_ != Phase::Data) {
      step(bytes[at++]);
      continue;
    }
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left_, size - at));
    std::memmove(bytes + kept, bytes + at, part);
    kept += part;
    at += part;
    left_ -= part;
    if (left_ == 0) phase_ = chunked_ ? Phase::DataLine : Phase::Over;
  }
  return kept;
}

void Body::close() {
  if (over()) return;
  // Nothing of the body is missing in a trailer.
  const bool complete = phase_ == Phase::Stream || phase_ == Phase::Trailer;
  phase_ = complete ? Phase::Closed : Phase::Cut;
}

/// One byte of what is around the chunks.
void Body::step(char byte) {
  if (byte == '\r') {
    if (std::exchange(after_return_, true)) close();  // else they could come without end
    return;
  }
  after_return_ = false;
  if (byte != '\n') {
    const bool first = line_++ == 0;
    if (phase_ == Phase::Trailer) {
      if (line_ > kLongestLine || (first && ++fields_ > kMostFields)) phase_ = Phase::Flooded;
      return;
    }
    if (line_ > kLongestLine || phase_ == Phase::DataLine) return close();
    if (phase_ == Phase::Size) size_digit(byte);
    return;
  }
  const bool empty = line_ == 0;
  line_ = 0;
  switch (phase_) {
    case Phase::Size:
    case Phase::SizeLine:
      if (empty) return close();
      phase_ = left_ == 0 ? Phase::Trailer : Phase::Data;
      return;
    case Phase::DataLine: phase_ = Phase::Size; return;
    default:
      if (empty) phase_ = Phase::Over;
      return;
  }
}

void Body::size_digit(char byte) {
  const int digit = hex_value(byte);
  if (digit >= 0 && left_ < kLargestChunk) {
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
  } else if (line_ > 1 && (byte == ';' || byte == ' ' || byte == '\t')) {
    phase_ = Phase::SizeLine;
  } else {
    close();
  }
}

}  // namespace gantry::http
