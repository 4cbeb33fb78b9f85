// SPDX-License-Identifier: Apache-2.0
//
// Server-sent events (WHATWG HTML, "Interpreting an event stream"), from pieces of any size. Pure:
// no clock, no I/O. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::http {

struct SseEvent {
  std::string name;  // empty: message
  std::string data;  // lines joined by \n
  std::string id{};  // the last one that the stream has told, this event's or an earlier one's
};

class SseReader {
 public:
  using Use = std::function<void(const SseEvent&)>;

  explicit SseReader(std::size_t max_event = std::size_t{64} << 20U) : max_event_(max_event) {}

  /// Takes the next bytes and hands over every event that they complete. Comments (keep-alives) and
  /// fields that nobody needs are left out. False when an event is larger than allowed; then the
  /// reader is of no use any more.
  bool feed(std::string_view bytes, const Use& use);
  /// The body has ended. The standard drops an event without its blank line; servers forget it, so
  /// it counts here.
  void end(const Use& use);
  /// How long the server wants a client to wait before it comes back, once it has said so.
  [[nodiscard]] std::optional<std::int64_t> retry_ms() const { return retry_ms_; }
  /// The id that a client that comes back names; also of events without data.
  [[nodiscard]] const std::string& last_id() const { return last_id_; }

 private:
  void line(std::string_view line, const Use& use);
  void dispatch(const Use& use);

  std::size_t max_event_;
  std::string partial_;  // a line that has not ended
  SseEvent event_;
  std::string last_id_;
  std::optional<std::int64_t> retry_ms_;
  bool has_data_ = false;
  bool first_line_ = true;
  bool after_return_ = false;  // the last byte was \r: a \n belongs to it
};

}  // namespace gantry::http
