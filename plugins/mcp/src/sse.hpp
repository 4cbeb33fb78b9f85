// SPDX-License-Identifier: Apache-2.0
#pragma once
// Server-Sent Events over one exchange, and a stream of events that outlives its connection: what
// was sent is kept for a while, so that a client may come back for what it missed (Streamable HTTP
// 2025-11-25, "Resumability and Redelivery"). Strand only.

#include <gantry/contracts/http.hpp>
#include <gantry/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

/// The sending half of an exchange, for parts that may have to wait for credit. A peer that does
/// not read is given up when more than kMostWaiting bytes wait for it.
class PartWriter {
 public:
  static constexpr std::size_t kMostWaiting = 32U << 20U;

  explicit PartWriter(Stream<HttpPart> down) : down_(std::move(down)) {}
  void head(HttpResponse head);
  void data(std::string text);
  /// Ends the answer after what was sent.
  void end();
  void on_writable();
  /// The other side has ended.
  void gone() { over(); }
  /// Runs once when the exchange is over, however that came; at once when it is.
  void on_over(std::function<void()> work);

 private:
  void send(HttpPart part);
  void over();

  Stream<HttpPart> down_;
  std::function<void()> over_;
  std::deque<HttpPart> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool ending_ = false;
  bool ended_ = false;
};

/// The head of an answer that is a stream of events.
[[nodiscard]] HttpResponse event_stream_head(const std::vector<HttpHeader>& headers);

struct ReplayLimits {
  std::size_t events = 256;
  std::size_t bytes = 4U << 20U;
};

class EventStream {
 public:
  /// Events have ids "<number>-<n>" when `number` is not 0.
  EventStream(std::uint64_t number, ReplayLimits limits) : number_(number), limits_(limits) {}

  /// Events go to `writer` from now on, those after `after` first. One before it is ended.
  void attach(std::shared_ptr<PartWriter> writer, std::uint64_t after);
  /// The connection is gone; the stream is not.
  void detach(const PartWriter* writer);
  /// An event with an id and nothing else, so that the client has a place to come back to.
  void prime();
  void push(std::string_view message);
  void comment();
  /// Tells the client to come back, and lets the connection go.
  void come_back(std::int64_t ms);
  /// Nothing follows.
  void finish();

  [[nodiscard]] bool attached() const { return writer_ != nullptr; }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// For a client that comes back.
  [[nodiscard]] std::size_t kept_bytes() const { return kept_bytes_; }

 private:
  struct Event {
    std::uint64_t place;
    std::string text;
  };
  void write(const Event& event);
  void keep(Event event);

  std::uint64_t number_;
  ReplayLimits limits_;
  std::uint64_t last_ = 0;
  std::deque<Event> kept_;
  std::size_t kept_bytes_ = 0;
  std::shared_ptr<PartWriter> writer_;
  bool finished_ = false;
};

/// "<number>-<n>" taken apart.
struct EventPlace {
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
};
[[nodiscard]] std::optional<EventPlace> read_event_id(std::string_view id);

}  // namespace gantry::mcp
