// SPDX-License-Identifier: Apache-2.0
#pragma once
// An HTTP session of the older revisions: its connection and the event streams that a client may
// come back to. Strand only.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "connection.hpp"
#include "environment.hpp"
#include "sse.hpp"

namespace gantry::mcp {

struct HttpSession {
  HttpSession(std::string secret, std::string owner, ReplayLimits replay)
      : id(std::move(secret)),
        principal(std::move(owner)),
        limits(replay),
        aside(std::make_shared<EventStream>(1, replay)) {
    streams.emplace(aside->number(), aside);
  }

  /// A stream for one request.
  std::shared_ptr<EventStream> open_stream();
  /// One may have finished: the oldest that have give way, so that all together they keep no more
  /// than one stream may, and there are fewer than `most` streams where that is possible.
  void give_way(std::size_t most = std::numeric_limits<std::size_t>::max());

  std::string id;  ///< Secret: whoever has it and the credentials is the session.
  std::string principal;
  ReplayLimits limits;
  std::shared_ptr<EventStream> aside;  ///< What belongs to no request: the GET stream.
  std::shared_ptr<Connection> connection;
  std::map<std::uint64_t, std::shared_ptr<EventStream>> streams;
  std::uint64_t last_stream = 1;
  std::int64_t used_ns = 0;
  int exchanges = 0;  ///< Open now.
};
using SessionPtr = std::shared_ptr<HttpSession>;

/// What belongs to no request goes to the GET stream, or waits there until somebody reads it.
class AsideOutlet final : public Outlet {
 public:
  explicit AsideOutlet(std::shared_ptr<EventStream> stream) : stream_(std::move(stream)) {}
  [[nodiscard]] bool streams() const override { return true; }
  void send(std::string message) override { stream_->push(message); }
  void respond(std::string message, int) override { stream_->push(message); }
  void come_back(std::int64_t) override {}

 private:
  std::shared_ptr<EventStream> stream_;
};

}  // namespace gantry::mcp
