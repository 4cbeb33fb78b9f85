// SPDX-License-Identifier: Apache-2.0
#pragma once

// RFC 6455 sections 5.4-5.6, 7 and 8.1: messages out of frames. Order of fragments, control frames
// in between, reserved bits, UTF-8, inflating, limits. No I/O; one thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "arriving.hpp"
#include "utf8.hpp"
#include "ws_deflate.hpp"
#include "ws_frame.hpp"

namespace gantry::transport {

struct WsMessage {
  bool text = false;
  std::string data;
};

/// What a reader reports. The payloads of control frames are at most 125 bytes.
class WsReaderSink {
 public:
  virtual ~WsReaderSink() = default;
  /// False: stop delivering; feed() then leaves the rest of its input.
  virtual bool on_message(WsMessage message) = 0;
  virtual void on_ping(std::string_view payload) = 0;
  virtual void on_pong(std::string_view payload) = 0;
  /// `code` is kWsNoStatus when the frame had none. Nothing is reported after it.
  virtual void on_close(uint16_t code, std::string_view reason) = 0;
};

/// Shared by the connections of one loop.
struct WsReaderPools {
  WsContextPool contexts;
  InflaterPool inflaters;
  ArrivingBytes* arriving = nullptr;  ///< null: not counted
};

class WsReader final : private WsFrameSink {
 public:
  /// `deflate`: the agreed parameters when the peer may compress. `message_limit` counts inflated
  /// bytes as well as those on the wire.
  WsReader(WsReaderPools& pools, size_t message_limit, std::optional<DeflateParams> deflate);
  ~WsReader() override;

  /// Takes `input` from its front, up to where the sink wants no more.
  WsFailure feed(std::string_view& input, WsReaderSink& sink);

  /// True when nothing of a frame or message is held, so the reader may be destroyed and made anew
  /// at the next byte. With the client's context takeover, take_window() has to survive.
  bool idle() const;
  std::string take_window() { return std::move(window_); }
  void set_window(std::string window) { window_ = std::move(window); }

 private:
  WsFailure on_frame_begin(const WsFrameHeader& header) override;
  WsFailure on_frame_payload(std::string_view unmasked) override;
  WsFailure on_frame_end() override;
  bool wants_frames() const override { return wants_more_ && !closed_; }
  WsFailure begin_message(const WsFrameHeader& header);
  WsFailure append(std::string_view unmasked);
  WsFailure check_text(size_t from);
  WsFailure end_message();
  WsFailure end_control();

  WsReaderPools& pools_;
  WsFrameReader frames_;
  WsReaderSink* sink_ = nullptr;
  size_t message_limit_;
  std::optional<DeflateParams> deflate_;
  std::unique_ptr<Inflater> inflater_;
  std::string window_;
  std::string message_;
  ArrivingShare arriving_;
  std::string control_;
  uint64_t wire_bytes_ = 0;
  Utf8Validator utf8_;
  WsFrameHeader frame_;
  bool in_message_ = false;
  bool text_ = false;
  bool closed_ = false;
  bool wants_more_ = true;
};

}  // namespace gantry::transport
