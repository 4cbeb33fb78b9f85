// SPDX-License-Identifier: Apache-2.0
#include "ws_frame.hpp"

#include <wslay/wslay.h>

#include <algorithm>
#include <cstring>

namespace gantry::transport {
namespace {

constexpr size_t kMaxCloseReason = 123;
constexpr size_t kPooledContexts = 16;

uint64_t big_endian(const uint8_t* bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | bytes[i];
  return value;
}

bool is_known_opcode(uint8_t opcode) { return opcode <= 0x2 || (opcode >= 0x8 && opcode <= 0xa); }

}  // namespace

/// One libwslay frame reader and the bytes it may take next: the header, then payload of the same
/// frame and no byte more, so that the context is empty at a frame's end.
struct WsContextPool::Context {
  Context() {
    wslay_frame_callbacks callbacks{};
    callbacks.recv_callback = [](uint8_t* to, size_t room, int, void* self) -> ssize_t {
      return static_cast<Context*>(self)->deliver(to, room);
    };
    wslay_frame_context_init(&frame, &callbacks, this);
  }
  ~Context() { wslay_frame_context_free(frame); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  ssize_t deliver(uint8_t* to, size_t room) {
    size_t done = 0;
    for (std::string_view* part : {&header, &payload}) {
      const size_t take = std::min(part->size(), room - done);
      if (take > 0) std::memcpy(to + done, part->data(), take);
      part->remove_prefix(take);
      done += take;
    }
    return done > 0 ? static_cast<ssize_t>(done) : -1;
  }

  wslay_frame_context_ptr frame = nullptr;
  std::string_view header;
  std::string_view payload;
};

WsContextPool::WsContextPool() = default;
WsContextPool::~WsContextPool() = default;

std::unique_ptr<WsContextPool::Context> WsContextPool::take() {
  if (free_.empty()) return std::make_unique<Context>();
  auto context = std::move(free_.back());
  free_.pop_back();
  return context;
}

void WsContextPool::give_back(std::unique_ptr<Context> context) {
  if (free_.size() < kPooledContexts) free_.push_back(std::move(context));
}

bool is_wire_close_code(uint16_t code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}

WsFrameReader::WsFrameReader(WsContextPool& pool) : pool_(pool) {}
WsFrameReader::~WsFrameReader() = default;

size_t WsFrameReader::header_needed() const {
  if (header_size_ < 2) return 2;
  const uint8_t length = header_[1] & 0x7f;
  const size_t extended = length == 127 ? 8 : length == 126 ? 2 : 0;
  return 2 + extended + ((header_[1] & 0x80) != 0 ? 4 : 0);
}

WsFailure WsFrameReader::read_header(WsFrameSink& sink) {
  WsFrameHeader header;
  header.fin = (header_[0] & 0x80) != 0;
  header.rsv = header_[0] >> 4 & 7;
  header.opcode = static_cast<WsOpcode>(header_[0] & 0xf);
  header.masked = (header_[1] & 0x80) != 0;
  const uint8_t length = header_[1] & 0x7f;
  header.payload_length = length;
  if (length >= 126) {
    header.payload_length = big_endian(header_.data() + 2, length == 126 ? 2 : 8);
    const uint64_t minimum = length == 126 ? 126 : 65536;
    if (header.payload_length < minimum)
      return {kWsProtocolError, "length not in its shortest form"};
    if (header.payload_length >> 63 != 0) return {kWsProtocolError, "length beyond 2^63"};
  }
  if (!header.masked) return {kWsProtocolError, "client frames must be masked"};
  if (!is_known_opcode(header_[0] & 0xf)) return {kWsProtocolError, "unknown opcode"};
  if (is_control(header.opcode)) {
    if (!header.fin) return {kWsProtocolError, "fragmented control frame"};
    if (header.payload_length > 125) return {kWsProtocolError, "control frame over 125 bytes"};
  }
  if (auto failure = sink.on_frame_begin(header)) return failure;
  payload_left_ = header.payload_length;
  in_payload_ = true;
  context_ = pool_.take();
  context_->header = {reinterpret_cast<const char*>(header_.data()), header_size_};
  return {};
}

WsFailure WsFrameReader::read_payload(std::string_view& input, WsFrameSink& sink) {
  const auto take = static_cast<size_t>(std::min<uint64_t>(payload_left_, input.size()));
  context_->payload = input.substr(0, take);
  input.remove_prefix(take);
  bool ended = false;
  while (!ended) {
    wslay_frame_iocb piece{};
    const ssize_t got = wslay_frame_recv(context_->frame, &piece);
    if (got == WSLAY_ERR_WANT_READ) return {};
    if (got < 0) return {kWsProtocolError, "malformed frame"};
    payload_left_ -= piece.data_length;
    ended = payload_left_ == 0;
    if (piece.data_length == 0) continue;
    const std::string_view unmasked(reinterpret_cast<const char*>(piece.data), piece.data_length);
    if (auto failure = sink.on_frame_payload(unmasked)) return failure;
  }
  pool_.give_back(std::move(context_));
  header_size_ = 0;
  in_payload_ = false;
  return sink.on_frame_end();
}

WsFailure WsFrameReader::feed(std::string_view& input, WsFrameSink& sink) {
  while (!input.empty() && (header_size_ > 0 || sink.wants_frames())) {
    while (!in_payload_ && header_size_ < header_needed() && !input.empty()) {
      header_[header_size_++] = static_cast<uint8_t>(input.front());
      input.remove_prefix(1);
    }
    if (!in_payload_) {
      if (header_size_ < header_needed()) return {};
      if (auto failure = read_header(sink)) return failure;
    }
    if (!input.empty() || payload_left_ == 0) {
      if (auto failure = read_payload(input, sink)) return failure;
    }
  }
  return {};
}

std::string encode_frame_header(WsOpcode opcode, size_t payload_length, bool rsv1) {
  std::string out;
  out += static_cast<char>(0x80 | (rsv1 ? 0x40 : 0) | static_cast<uint8_t>(opcode));
  const auto append_big_endian = [&](size_t bytes) {
    for (size_t i = bytes; i-- > 0;) out += static_cast<char>(payload_length >> (8 * i) & 0xff);
  };
  if (payload_length < 126) {
    out += static_cast<char>(payload_length);
  } else if (payload_length < 65536) {
    out += static_cast<char>(126);
    append_big_endian(2);
  } else {
    out += static_cast<char>(127);
    append_big_endian(8);
  }
  return out;
}

std::string encode_close_payload(uint16_t code, std::string_view reason) {
  if (code == kWsNoStatus) return {};
  size_t length = std::min(reason.size(), kMaxCloseReason);
  while (length > 0 && length < reason.size() &&
         (static_cast<unsigned char>(reason[length]) & 0xc0) == 0x80) {
    --length;
  }
  std::string out;
  out += static_cast<char>(code >> 8);
  out += static_cast<char>(code & 0xff);
  out += reason.substr(0, length);
  return out;
}

}  // namespace gantry::transport
