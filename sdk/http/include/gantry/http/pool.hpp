// SPDX-License-Identifier: Apache-2.0
//
// Connections that have answered a request and may be asked again. Any thread.
#pragma once

#include <gantry/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace gantry::http {

/// A connection and what Poco keeps of it; of client.cpp.
struct KeptSession;

/// How long the machine has been suspended since it was started: a clock that does not jump stands
/// still meanwhile, and servers and routers do not.
[[nodiscard]] std::int64_t suspended_ns();

class HttpPool {
 public:
  /// `now_ns` is a clock that does not jump (Host::monotonic_ns); what `asleep_ns` answers is added
  /// to it. A connection is kept for `idle` after its answer, and `most` of them at a time, the
  /// oldest of all going first.
  HttpPool(std::function<std::int64_t()> now_ns, std::chrono::nanoseconds idle, std::size_t most,
           std::function<std::int64_t()> asleep_ns = suspended_ns);
  ~HttpPool();
  HttpPool(const HttpPool&) = delete;
  HttpPool& operator=(const HttpPool&) = delete;

  /// Closes what has been idle for too long; how many are left.
  std::size_t sweep();
  /// Closes all.
  void clear();

  /// The one of `place` that was used last; none when all are gone or the server has closed them.
  [[nodiscard]] std::unique_ptr<KeptSession> take(const std::string& place);
  void put(const std::string& place, std::unique_ptr<KeptSession> session);

 private:
  struct Row {
    std::string place;
    std::int64_t until_ns = 0;
    std::unique_ptr<KeptSession> session;
  };
  using Rows = std::deque<Row>;

  /// Takes out what is too old; its sockets are closed by the caller, without the lock.
  Rows take_old();
  [[nodiscard]] std::int64_t age_ns() const { return now_ns_() + asleep_ns_(); }

  const std::function<std::int64_t()> now_ns_;
  const std::function<std::int64_t()> asleep_ns_;
  const std::chrono::nanoseconds idle_;
  const std::size_t most_;
  std::mutex mutex_;
  Rows rows_;  // the one that was put last at the end
};

}  // namespace gantry::http
