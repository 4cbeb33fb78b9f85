// SPDX-License-Identifier: Apache-2.0
#pragma once

// RFC 6455 section 5.2: frames. Reading is libwslay's I/O-free frame reader behind a header check
// of ours, because libwslay reports a frame only once its first payload byte is there, which is too
// late to refuse a length of 2^62. Writing is here: a server's frames are unmasked, so a frame is
// ten bytes at most and then the payload where it already lies.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::transport {

enum class WsOpcode : uint8_t {
  kContinuation = 0x0,
  kText = 0x1,
  kBinary = 0x2,
  kClose = 0x8,
  kPing = 0x9,
  kPong = 0xa,
};

constexpr bool is_control(WsOpcode opcode) { return static_cast<uint8_t>(opcode) >= 0x8; }

/// Close codes of RFC 6455 7.4.1 that we send.
enum WsCloseCode : uint16_t {
  kWsNormal = 1000,
  kWsGoingAway = 1001,
  kWsProtocolError = 1002,
  kWsUnsupportedData = 1003,
  kWsNoStatus = 1005,  ///< never on the wire: the peer's close frame had no code
  kWsAbnormal = 1006,  ///< never on the wire: the connection ended without a close frame
  kWsInvalidData = 1007,
  kWsPolicy = 1008,
  kWsTooBig = 1009,
  kWsInternalError = 1011,
  kWsTryAgainLater = 1013,
};

/// Whether a peer may send this code (RFC 6455 7.4 and the IANA registry).
bool is_wire_close_code(uint16_t code);

struct WsFrameHeader {
  bool fin = false;
  uint8_t rsv = 0;  ///< RSV1 is 4, RSV2 2, RSV3 1
  WsOpcode opcode = WsOpcode::kContinuation;
  bool masked = false;
  uint64_t payload_length = 0;
};

/// What a connection ends with: the code and the reason for the close frame.
struct WsFailure {
  uint16_t code = 0;
  std::string_view reason;  ///< a literal
  explicit operator bool() const { return code != 0; }
};

/// Receives frames piece by piece. A failure stops the reader for good.
class WsFrameSink {
 public:
  virtual ~WsFrameSink() = default;
  virtual WsFailure on_frame_begin(const WsFrameHeader& header) = 0;
  virtual WsFailure on_frame_payload(std::string_view unmasked) = 0;
  virtual WsFailure on_frame_end() = 0;
  /// Asked after each frame; false leaves the rest of the input unread.
  virtual bool wants_frames() const = 0;
};

/// libwslay contexts (9 KB each) for the connections of one loop: a context is lent while a frame
/// is under way and comes back at its end, so an idle socket owns none. One thread.
class WsContextPool {
 public:
  struct Context;
  WsContextPool();
  ~WsContextPool();
  std::unique_ptr<Context> take();
  void give_back(std::unique_ptr<Context> context);

 private:
  std::vector<std::unique_ptr<Context>> free_;
};

class WsFrameReader {
 public:
  explicit WsFrameReader(WsContextPool& pool);
  ~WsFrameReader();
  WsFrameReader(const WsFrameReader&) = delete;
  WsFrameReader& operator=(const WsFrameReader&) = delete;

  /// Consumes `input` from its front: all of it, unless the sink wants no more or it fails.
  WsFailure feed(std::string_view& input, WsFrameSink& sink);

  bool between_frames() const { return header_size_ == 0; }

 private:
  size_t header_needed() const;
  WsFailure read_header(WsFrameSink& sink);
  WsFailure read_payload(std::string_view& input, WsFrameSink& sink);

  WsContextPool& pool_;
  std::unique_ptr<WsContextPool::Context> context_;
  std::array<uint8_t, 14> header_{};
  uint8_t header_size_ = 0;
  bool in_payload_ = false;
  uint64_t payload_left_ = 0;
};

/// The header of an unmasked frame with FIN set. `rsv1` marks a compressed message.
std::string encode_frame_header(WsOpcode opcode, size_t payload_length, bool rsv1 = false);

/// Payload of a close frame; empty for kWsNoStatus. The reason is cut to 123 bytes at a code point.
std::string encode_close_payload(uint16_t code, std::string_view reason);

}  // namespace gantry::transport
