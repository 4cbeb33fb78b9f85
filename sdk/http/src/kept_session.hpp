// SPDX-License-Identifier: Apache-2.0
#pragma once
// Poco's session on a socket that is connected already, and never by Poco: neither the judged
// address nor an abort would count there.

#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/StreamSocket.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "interim.hpp"
#include "lifeline.hpp"

namespace gantry::http {

struct KeptSession final : FinalAnswers<Poco::Net::HTTPClientSession> {
  KeptSession(const Poco::Net::StreamSocket& socket, std::shared_ptr<const Lifeline> line)
      : FinalAnswers(socket), lifeline(std::move(line)) {}

  const std::shared_ptr<const Lifeline> lifeline;

  /// What was sent and is not confirmed for so long ends the connection.
  void limit_unconfirmed(std::chrono::milliseconds limit) {
    if (limit == unconfirmed_) return;
    socket().setOption(IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(limit.count()));
    unconfirmed_ = limit;
  }

  /// What is at hand, or else waits for bytes; 0 when the connection has ended. Throws Poco's
  /// exceptions.
  [[nodiscard]] std::size_t read_some(char* bytes, std::size_t size) {
    constexpr std::size_t kMost = 1U << 20U;  // Poco counts in int
    return static_cast<std::size_t>(
        std::max(0, read(bytes, static_cast<std::streamsize>(std::min(size, kMost)))));
  }

  /// Whether nothing was read that belongs to no answer.
  [[nodiscard]] bool clean() const { return connected() && buffered() == 0; }
  /// Whether nothing has come since, either: no end, and no bytes that nobody asked for. By
  /// poll(2), for Poco makes an epoll instance each time.
  [[nodiscard]] bool quiet() {
    pollfd look{socket().impl()->sockfd(), POLLIN | POLLRDHUP, 0};
    return clean() && ::poll(&look, 1, 0) == 0;
  }

 protected:
  int write(const char* bytes, std::streamsize size) override {
    // Past HTTPClientSession's, which connects again by itself when the connection has ended.
    return HTTPSession::write(bytes, size);  // NOLINT(bugprone-parent-virtual-call)
  }

 private:
  std::chrono::milliseconds unconfirmed_{0};
};

}  // namespace gantry::http
