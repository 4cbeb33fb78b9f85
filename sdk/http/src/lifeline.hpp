// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an abort gets hold of: a descriptor of our own to a connection. The socket's own is closed
// by every failure, and its number may then be another's. Made once for a connection and kept as
// long, for it costs two system calls.

#include <Poco/Exception.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gantry::http {

class Lifeline {
 public:
  /// Of the socket with that number. Throws Poco::IOException.
  explicit Lifeline(int number) : descriptor_(::fcntl(number, F_DUPFD_CLOEXEC, 0)) {
    if (descriptor_ < 0) throw Poco::IOException("no descriptor is left");
  }
  ~Lifeline() { ::close(descriptor_); }
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  /// Ends the connection, whatever somebody waits for on it. From any thread.
  void cut() const { ::shutdown(descriptor_, SHUT_RDWR); }

 private:
  const int descriptor_;
};

}  // namespace gantry::http
