// SPDX-License-Identifier: Apache-2.0
#pragma once
// A connection for one request after the other. Its socket is connected already, and never by Poco:
// neither the judged address nor an abort would count there.

#include <Poco/Net/StreamSocket.h>
#include <gantry/unique_fd.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "head.hpp"

namespace gantry::http {

class KeptSession {
 public:
  explicit KeptSession(Poco::Net::StreamSocket socket) : socket_(std::move(socket)) {}

  /// All of these wait, and throw Poco's exceptions.
  void write(std::string_view bytes);
  /// The next head. Sets `begun` when a byte of it is here.
  AnswerHead read_head(bool& begun);
  /// What is at hand, or else waits for bytes; 0 when the connection has ended.
  [[nodiscard]] std::size_t read_some(char* bytes, std::size_t size);

  /// Whether nothing was read that belongs to no answer.
  [[nodiscard]] bool clean() const { return begin_ == end_; }
  /// Whether nothing has come since, either: no end, and no bytes that nobody asked for.
  [[nodiscard]] bool quiet() const;

  /// How long the system waits for the other side to confirm anything, from now on.
  void limit_unconfirmed(int milliseconds);
  [[nodiscard]] Poco::Net::StreamSocket& socket() { return socket_; }

  /// A descriptor of the connection that only its owner closes, while nobody uses it.
  UniqueFd handle{};

 private:
  void fill();
  std::size_t receive(char* bytes, std::size_t size);

  Poco::Net::StreamSocket socket_;
  std::vector<char> buffer_;  // what came with a head, from begin_ to end_
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  int unconfirmed_ = 0;
};

}  // namespace gantry::http
