// SPDX-License-Identifier: Apache-2.0
#include "kept_session.hpp"

#include <Poco/Exception.h>
#include <Poco/Net/NetException.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace gantry::http {
namespace {

constexpr std::size_t kLongestHead = std::size_t{256} << 10U;
constexpr std::size_t kFirstBuffer = 4'096;
constexpr std::size_t kMostAtOnce = 1U << 20U;  // Poco counts in int

int counted(std::size_t size) { return static_cast<int>(std::min(size, kMostAtOnce)); }

}  // namespace

void KeptSession::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const int sent = socket_.sendBytes(bytes.data(), counted(bytes.size()), MSG_NOSIGNAL);
    if (sent <= 0) throw Poco::Net::ConnectionAbortedException("the server hung up");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::size_t KeptSession::receive(char* bytes, std::size_t size) {
  return static_cast<std::size_t>(std::max(0, socket_.receiveBytes(bytes, counted(size))));
}

std::size_t KeptSession::read_some(char* bytes, std::size_t size) {
  if (clean()) return receive(bytes, size);
  const std::size_t count = std::min(size, end_ - begin_);
  std::memcpy(bytes, buffer_.data() + begin_, count);
  begin_ += count;
  return count;
}

/// Reads behind what is in the buffer; throws when nothing comes any more.
void KeptSession::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (end_ == buffer_.size()) buffer_.resize(std::max(kFirstBuffer, 2 * buffer_.size()));
  const std::size_t count = receive(buffer_.data() + end_, buffer_.size() - end_);
  if (count == 0 && clean()) throw Poco::Net::NoMessageException();
  if (count == 0) throw Poco::Net::MessageException("the answer broke off in its head");
  end_ += count;
}

AnswerHead KeptSession::read_head(bool& begun) {
  for (std::size_t seen = 0;;) {
    const std::string_view here(buffer_.data() + begin_, end_ - begin_);
    const std::size_t end = head_end(here, seen);
    if (end != std::string_view::npos) {
      auto head = http::read_head(here.substr(0, end));
      if (!head.ok()) throw Poco::Net::MessageException(head.error().message);
      begin_ += end;
      seen = 0;
      if (head->interim()) continue;
      return *std::move(head);
    }
    if (here.size() > kLongestHead) throw Poco::Net::MessageException("the head has no end");
    seen = here.size();
    fill();
    begun = true;
  }
}

/// By poll(2), for Poco makes an epoll instance each time.
bool KeptSession::quiet() const {
  pollfd look{socket_.impl()->sockfd(), POLLIN | POLLRDHUP, 0};
  return clean() && ::poll(&look, 1, 0) == 0;
}

void KeptSession::limit_unconfirmed(int milliseconds) {
  if (std::exchange(unconfirmed_, milliseconds) == milliseconds) return;
  socket_.setOption(IPPROTO_TCP, TCP_USER_TIMEOUT, milliseconds);
}

}  // namespace gantry::http
