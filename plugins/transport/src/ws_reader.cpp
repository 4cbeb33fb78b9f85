// SPDX-License-Identifier: Apache-2.0
#include "ws_reader.hpp"

#include <algorithm>
#include <utility>

namespace gantry::transport {
namespace {

constexpr uint8_t kRsv1 = 4;
constexpr size_t kFirstReserve = 64 * 1024;  // a claimed length is no reason to allocate it

}  // namespace

WsReader::WsReader(WsReaderPools& pools, size_t message_limit, std::optional<DeflateParams> deflate)
    : pools_(pools), frames_(pools.contexts), message_limit_(message_limit), deflate_(deflate) {}

WsReader::~WsReader() {
  if (inflater_) pools_.inflaters.give_back(std::move(inflater_));
}

WsFailure WsReader::feed(std::string_view& input, WsReaderSink& sink) {
  sink_ = &sink;
  wants_more_ = true;
  const WsFailure failure = frames_.feed(input, *this);
  if (closed_) input = {};  // nothing counts after a close frame
  return failure;
}

bool WsReader::idle() const { return !in_message_ && frames_.between_frames(); }

WsFailure WsReader::on_frame_begin(const WsFrameHeader& header) {
  if (closed_) return {};
  frame_ = header;
  if (is_control(header.opcode)) {
    if (header.rsv != 0) return {kWsProtocolError, "reserved bit in a control frame"};
    if (header.opcode == WsOpcode::kClose && header.payload_length == 1) {
      return {kWsProtocolError, "close frame with half a code"};
    }
    return {};
  }
  if (header.opcode == WsOpcode::kContinuation) {
    if (!in_message_) return {kWsProtocolError, "continuation without a message"};
    if (header.rsv != 0) return {kWsProtocolError, "reserved bit in a continuation"};
  } else if (auto failure = begin_message(header)) {
    return failure;
  }
  wire_bytes_ += header.payload_length;
  if (header.payload_length > message_limit_ || wire_bytes_ > message_limit_) {
    return {kWsTooBig, "message too big"};
  }
  return {};
}

WsFailure WsReader::begin_message(const WsFrameHeader& header) {
  if (in_message_) return {kWsProtocolError, "new message inside a fragmented one"};
  const bool compressed = (header.rsv & kRsv1) != 0;
  if ((header.rsv & ~kRsv1) != 0 || (compressed && !deflate_)) {
    return {kWsProtocolError, "reserved bit without an extension"};
  }
  in_message_ = true;
  text_ = header.opcode == WsOpcode::kText;
  wire_bytes_ = 0;
  utf8_.reset();
  if (compressed) {
    inflater_ = pools_.inflaters.take();
    inflater_->begin(window_);
  } else {
    message_.reserve(static_cast<size_t>(std::min<uint64_t>(header.payload_length, kFirstReserve)));
  }
  return {};
}

WsFailure WsReader::on_frame_payload(std::string_view unmasked) {
  if (closed_) return {};
  if (!is_control(frame_.opcode)) return append(unmasked);
  control_ += unmasked;
  return {};
}

WsFailure WsReader::append(std::string_view unmasked) {
  const size_t before = message_.size();
  if (inflater_) {
    switch (inflater_->feed(unmasked, message_, message_limit_)) {
      case Inflater::State::kOk: break;
      case Inflater::State::kCorrupt: return {kWsInvalidData, "corrupt compressed message"};
      case Inflater::State::kTooLarge: return {kWsTooBig, "message too big when inflated"};
    }
  } else {
    message_ += unmasked;
  }
  if (pools_.arriving != nullptr && !arriving_.grow(*pools_.arriving, message_.size())) {
    message_ = {};
    return {kWsTryAgainLater, "too many messages are arriving at once"};
  }
  return check_text(before);
}

WsFailure WsReader::check_text(size_t from) {
  if (text_ && !utf8_.feed(std::string_view(message_).substr(from))) {
    return {kWsInvalidData, "text is not UTF-8"};
  }
  return {};
}

WsFailure WsReader::on_frame_end() {
  if (closed_) return {};
  if (is_control(frame_.opcode)) return end_control();
  return frame_.fin ? end_message() : WsFailure{};
}

WsFailure WsReader::end_message() {
  if (inflater_) {
    const size_t before = message_.size();
    const auto state = inflater_->finish(message_, message_limit_);
    if (state == Inflater::State::kCorrupt) return {kWsInvalidData, "corrupt compressed message"};
    if (state == Inflater::State::kTooLarge) return {kWsTooBig, "message too big when inflated"};
    if (deflate_->client_takeover) window_ = inflater_->dictionary();
    pools_.inflaters.give_back(std::move(inflater_));
    if (auto failure = check_text(before)) return failure;
  }
  if (text_ && !utf8_.complete()) return {kWsInvalidData, "text ends inside a code point"};
  in_message_ = false;
  arriving_.release();
  wants_more_ = sink_->on_message({text_, std::exchange(message_, {})});
  return {};
}

WsFailure WsReader::end_control() {
  const std::string payload = std::exchange(control_, {});
  if (frame_.opcode == WsOpcode::kPing) {
    sink_->on_ping(payload);
    return {};
  }
  if (frame_.opcode == WsOpcode::kPong) {
    sink_->on_pong(payload);
    return {};
  }
  closed_ = true;
  if (payload.empty()) {
    sink_->on_close(kWsNoStatus, {});
    return {};
  }
  const auto code = static_cast<uint16_t>(static_cast<unsigned char>(payload[0]) << 8 |
                                          static_cast<unsigned char>(payload[1]));
  if (!is_wire_close_code(code)) return {kWsProtocolError, "close code that may not be sent"};
  const std::string_view reason = std::string_view(payload).substr(2);
  if (!is_utf8(reason)) return {kWsInvalidData, "close reason is not UTF-8"};
  sink_->on_close(code, reason);
  return {};
}

}  // namespace gantry::transport
