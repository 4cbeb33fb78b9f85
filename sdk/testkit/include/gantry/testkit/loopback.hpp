// SPDX-License-Identifier: Apache-2.0
//
// LoopbackListener: where a test's own TCP server takes its clients.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

namespace gantry::testkit {

/// Listens on 127.0.0.1, on a port that the system chose, until it goes.
class LoopbackListener {
 public:
  /// Throws std::system_error.
  LoopbackListener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    if (fd_ < 0 || ::bind(fd_, plain, size) != 0 || ::listen(fd_, SOMAXCONN) != 0 ||
        ::getsockname(fd_, plain, &size) != 0) {
      const int why = errno;
      if (fd_ >= 0) ::close(fd_);
      throw std::system_error(why, std::generic_category(), "no listener on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
  }
  ~LoopbackListener() { ::close(fd_); }
  LoopbackListener(const LoopbackListener&) = delete;
  LoopbackListener& operator=(const LoopbackListener&) = delete;

  /// The next client's descriptor, which the caller closes; -1 after stop().
  [[nodiscard]] int accept() const { return ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC); }
  /// Wakes whoever waits in accept(). From any thread.
  void stop() const { ::shutdown(fd_, SHUT_RDWR); }

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Without a slash at its end.
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  int fd_;
  std::uint16_t port_ = 0;
};

}  // namespace gantry::testkit
