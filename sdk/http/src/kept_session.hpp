// SPDX-License-Identifier: Apache-2.0
#pragma once
// Poco's session on a socket that is connected already, and never by Poco: neither the judged
// address nor an abort would count there.

#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/StreamSocket.h>

namespace gantry::http {

struct KeptSession final : Poco::Net::HTTPClientSession {
  explicit KeptSession(const Poco::Net::StreamSocket& socket)
      : Poco::Net::HTTPClientSession(socket) {}

  /// Whether nothing has come since the last answer: neither an end nor bytes that nobody asked
  /// for.
  [[nodiscard]] bool quiet() {
    return connected() && buffered() == 0 &&
           !socket().poll(Poco::Timespan(0),
                          Poco::Net::Socket::SELECT_READ | Poco::Net::Socket::SELECT_ERROR);
  }

 protected:
  int write(const char* bytes, std::streamsize size) override {
    return HTTPSession::write(bytes, size);
  }
};

}  // namespace gantry::http
