// SPDX-License-Identifier: Apache-2.0
#pragma once
// Heads that announce an answer and are none (1xx; RFC 9110, 15.2): any number of them may come
// before it, asked for or not. Poco knows only 100, and takes that without end.

#include <Poco/Exception.h>
#include <Poco/Net/HTTPHeaderStream.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/NetException.h>

#include <istream>
#include <utility>

namespace gantry::http {

inline constexpr int kMostInterim = 20;  // heads before an answer

struct TooManyInterim final : Poco::Net::HTTPException {
  TooManyInterim()
      : Poco::Net::HTTPException("one interim answer after the other, and none else") {}
};

/// One of Poco's client sessions that waits for the final answer. 101 is one: nothing of HTTP comes
/// behind it.
template <typename Session>
class FinalAnswers : public Session {
 public:
  using Session::Session;

  /// Leaves the head in `response`. Throws TooManyInterim and what Poco's own throws.
  std::istream& receiveResponse(Poco::Net::HTTPResponse& response) override {
    interim_ = 0;
    while (this->peekResponse(response)) count();  // true: 100, and it can be asked again
    while (is_interim(response)) {
      count();
      read_head(response);
    }
    return Session::receiveResponse(response);  // reads nothing: it goes by what was peeked
  }

  /// Whether the server has begun to answer the last request.
  [[nodiscard]] bool announced() const { return interim_ > 0; }

 private:
  static bool is_interim(const Poco::Net::HTTPResponse& response) {
    const int status = response.getStatus();
    return status >= 100 && status < 200 &&
           status != Poco::Net::HTTPResponse::HTTP_SWITCHING_PROTOCOLS;
  }
  void count() {
    if (++interim_ > kMostInterim) throw TooManyInterim();
  }
  void read_head(Poco::Net::HTTPResponse& response) {
    response.clear();
    Poco::Net::HTTPHeaderInputStream head(*this);
    try {
      response.read(head);
    } catch (const Poco::Exception&) {
      if (this->networkException() != nullptr) this->networkException()->rethrow();
      throw;
    }
  }

  int interim_ = 0;
};

}  // namespace gantry::http
