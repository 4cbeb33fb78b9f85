// SPDX-License-Identifier: Apache-2.0
#pragma once

// HTTP/1.1 on one channel: head → checks → route → authentication → body → handler → answer, one
// request at a time. Pipelined requests wait in the buffer or the socket, so answers keep their
// order by construction. Loop thread only.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "channel.hpp"
#include "chunk_decoder.hpp"
#include "exchange.hpp"
#include "mounts.hpp"
#include "response_head.hpp"
#include "ws_handshake.hpp"
#include "ws_socket.hpp"

namespace gantry::transport {

class HttpConnection final : public Protocol {
 public:
  explicit HttpConnection(Channel& channel);
  ~HttpConnection() override;

  void on_bytes(std::string_view bytes) override;
  bool wants_input() const override;
  void on_peer_end() override;
  void on_half_closed() override;
  void on_broken() override;
  void on_deadline(int64_t now_ms) override;
  void on_drained() override;
  void on_command(Command& command) override;
  void on_shutdown() override;

 private:
  enum class State : uint8_t {
    kIdle,         ///< between requests
    kHead,         ///< part of a head is there
    kAsking,       ///< nothing is mounted there, and the daemon may still be starting
    kAuthorizing,  ///< the mount's authenticator thinks
    kBody,         ///< reading the body before the handler is called
    kHandling,     ///< the handler has it
    kStreaming,    ///< an answer is being streamed
    kDraining,     ///< answered, the rest of the body is read and forgotten
    kFlushing,     ///< answered, the peer has to read before the next request is looked at
    kUpgrading,    ///< a WebSocket handshake waits for its answer
  };

  // Reading (http_connection.cpp)
  void advance();
  bool read_head();
  void on_head(RequestHead head);
  enum class Readiness : uint8_t { kUnknown, kStarting, kReady };
  void find_mount(Readiness readiness = Readiness::kUnknown);
  bool ask_readiness();
  void authenticate();
  void answer_without_mount(const NoRoute& none);
  void answer_options(const NoRoute& none);
  void authorized();
  void begin_body();
  bool read_body();
  std::optional<Refusal> take_body(std::string& piece);
  void dispatch();
  void expect_departure();
  void ask_whether_there();
  void open_websocket();
  void begin_drain_or_finish();
  void next_request();
  std::string_view unread() const { return std::string_view(in_).substr(position_); }
  void consume(size_t bytes);
  uint64_t body_limit() const;

  /// A client that ended its side while its request is handled is asked after so long whether it is
  /// still there: most answers come before, and then nothing is said in between. What acts for a
  /// client that is gone goes on for so long, and has to stop within 50 ms.
  static constexpr int64_t kDepartureMs = 20;

  // Answering (http_answer.cpp)
  void send_response(Response response);
  void refuse(const Refusal& refusal, OwnedHeaders headers = {}) {
    refuse(refusal, std::move(headers), error_pattern());
  }
  void refuse(const Refusal& refusal, OwnedHeaders headers, std::string_view form);
  void start_stream(ResponseHead head, int64_t length);
  void write_stream(Bytes chunk);
  void finish_stream();
  void stream_drained();
  void abandon();
  void overflow();
  void add_cors(OwnedHeaders& headers) const;
  HeadFraming framing_for(int status, uint64_t length) const;
  void lose_exchange();
  std::string error_pattern() const;

  const Limits& limits() const;

  Channel& channel_;
  std::string in_;
  size_t position_ = 0;  ///< consumed bytes of in_
  size_t scanned_ = 0;   ///< of unread(), by scan_head()
  State state_ = State::kIdle;
  bool keep_alive_ = true;
  bool body_done_ = true;
  bool sent_continue_ = false;
  bool asked_whether_there_ = false;
  bool leaving_ = false;  ///< the client ended its side while an answer was streamed
  Framing stream_framing_ = Framing::kNone;
  uint32_t serial_ = 0;
  std::shared_ptr<Request> request_;
  MountPtr mount_;
  std::optional<ChunkDecoder> chunks_;
  uint64_t body_left_ = 0;  ///< of a body with a length
  uint64_t body_seen_ = 0;
  int64_t body_begun_ms_ = 0;
  ArrivingShare arriving_;
  int64_t stream_left_ = -1;  ///< bytes a streamed answer with a length still owes
  size_t stream_unsent_ = 0;  ///< of the exchange's `queued`, what the writer has
  std::shared_ptr<ExchangeState> exchange_;
  std::shared_ptr<WsState> websocket_;
};

}  // namespace gantry::transport
