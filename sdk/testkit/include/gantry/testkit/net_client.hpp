// SPDX-License-Identifier: Apache-2.0
//
// HttpClient and WebSocketClient: small, blocking clients for tests. They do what they are told,
// also what no decent client does (raw bytes, unmasked frames), and give up after a time limit by
// throwing std::runtime_error, which fails the test. One thread each.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::testkit {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpReply {
  int status = 0;
  std::string reason;
  Headers headers;   // names in lower case
  std::string body;  // chunks joined

  /// Value of the first header of that (lower case) name, or "".
  [[nodiscard]] std::string header(std::string_view name) const;
};

class HttpClient {
 public:
  HttpClient(const std::string& host, std::uint16_t port,
             std::chrono::milliseconds limit = std::chrono::seconds(20));
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;

  /// One exchange on the same connection. Host and Content-Length are added when missing.
  HttpReply request(std::string_view method, std::string_view target, Headers headers = {},
                    std::string_view body = {});
  HttpReply get(std::string_view target, Headers headers = {}) {
    return request("GET", target, std::move(headers));
  }
  HttpReply post_json(std::string_view target, std::string_view json, Headers headers = {});

  void send_raw(std::string_view bytes);
  /// The next reply on the connection; `head_only` for answers to HEAD.
  HttpReply read_reply(bool head_only = false);
  /// Everything until the other side closes.
  std::string read_to_end();
  /// At least one byte, or "" when the other side closed.
  std::string read_some();

 private:
  friend class WebSocketClient;
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

enum class WsOpcodeRaw : std::uint8_t {
  Continuation = 0,
  Text = 1,
  Binary = 2,
  Close = 8,
  Ping = 9,
  Pong = 10
};

struct WsFrame {
  WsOpcodeRaw opcode = WsOpcodeRaw::Text;
  bool fin = true;
  bool rsv1 = false;  // compressed; not inflated here
  std::string payload;

  /// Of a close frame; 1005 when it has none.
  [[nodiscard]] int close_code() const;
  [[nodiscard]] std::string close_reason() const;
};

class WebSocketClient {
 public:
  /// Connects and shakes hands; reply() has the answer. When its status is not 101 nothing else
  /// works.
  WebSocketClient(const std::string& host, std::uint16_t port, std::string_view target,
                  Headers headers = {}, std::chrono::milliseconds limit = std::chrono::seconds(20));

  [[nodiscard]] const HttpReply& reply() const { return reply_; }
  [[nodiscard]] bool open() const { return reply_.status == 101; }

  void send_text(std::string_view text) {
    send_frame({WsOpcodeRaw::Text, true, false, std::string(text)});
  }
  void send_binary(std::string_view bytes) {
    send_frame({WsOpcodeRaw::Binary, true, false, std::string(bytes)});
  }
  void send_close(std::uint16_t code = 1000, std::string_view reason = {});
  void send_frame(const WsFrame& frame, bool masked = true);
  void send_raw(std::string_view bytes) { http_.send_raw(bytes); }

  /// The next frame as it came. A connection that was closed without one is a Close frame whose
  /// code is 1006.
  WsFrame receive();
  /// The next text or binary message: fragments joined, pings answered.
  std::string receive_message();

 private:
  HttpClient http_;
  HttpReply reply_;
};

}  // namespace gantry::testkit
