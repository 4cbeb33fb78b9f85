// SPDX-License-Identifier: Apache-2.0
#pragma once
// A web server that answers with the bytes that a test gives it, and keeps what it was asked.

#include <gantry/testkit/loopback.hpp>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace gantry::web::testing {

/// An answer with a length; more headers end in CRLF.
inline std::string answer(std::string_view type, std::string_view body, std::string_view more = {},
                          std::string_view status = "200 OK") {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + std::string(more) +
         "\r\n" + std::string(body);
}

inline std::string redirect(std::string_view to, std::string_view status = "302 Found") {
  return answer("text/html", "moved", "Location: " + std::string(to) + "\r\n", status);
}

class TinyServer {
 public:
  TinyServer() {
    if (::pipe(stop_) != 0) throw std::runtime_error("no pipe");
    thread_ = std::thread([this] { run(); });
  }
  ~TinyServer() {
    ::close(stop_[1]);
    thread_.join();
    for (const int fd : held_) ::close(fd);
    ::close(stop_[0]);
  }
  TinyServer(const TinyServer&) = delete;
  TinyServer& operator=(const TinyServer&) = delete;

  /// The bytes for a path; a path without any answers 404. `hold` keeps the connection open.
  void put(const std::string& path, std::string bytes, bool hold = false) {
    const std::lock_guard lock(mutex_);
    answers_[path] = {std::move(bytes), hold};
  }
  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  [[nodiscard]] std::string url(const std::string& path) const { return listener_.url() + path; }
  /// The heads of the requests so far.
  [[nodiscard]] std::vector<std::string> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  /// Whether a request has come, or comes within the time.
  [[nodiscard]] bool asked_within(std::chrono::seconds limit) const {
    std::unique_lock lock(mutex_);
    return came_.wait_for(lock, limit, [this] { return !asked_.empty(); });
  }

 private:
  struct Prepared {
    std::string bytes;
    bool hold = false;
  };

  void run() {
    while (true) {
      pollfd fds[] = {{listener_.fd(), POLLIN, 0}, {stop_[0], POLLIN, 0}};
      if (::poll(fds, 2, -1) < 0 || fds[1].revents != 0) return;
      const int fd = listener_.accept();
      if (fd >= 0) serve(fd);
    }
  }

  void serve(int fd) {
    std::string head;
    char piece[4096];
    while (head.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = ::read(fd, piece, sizeof piece);
      if (got <= 0) break;
      head.append(piece, static_cast<std::size_t>(got));
    }
    Prepared prepared{answer("text/plain", "no such page", {}, "404 Not Found"), false};
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(head);
      came_.notify_all();
      const std::size_t begin = std::min(head.find(' ') + 1, head.size());
      const auto found = answers_.find(head.substr(begin, head.find(' ', begin) - begin));
      if (found != answers_.end()) prepared = found->second;
    }
    for (std::size_t at = 0; at < prepared.bytes.size();) {
      const ssize_t sent =
          ::send(fd, prepared.bytes.data() + at, prepared.bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) break;
      at += static_cast<std::size_t>(sent);
    }
    if (prepared.hold) {
      held_.push_back(fd);
    } else {
      ::close(fd);
    }
  }

  testkit::LoopbackListener listener_;
  int stop_[2] = {-1, -1};
  std::vector<int> held_;
  mutable std::mutex mutex_;
  mutable std::condition_variable came_;
  std::map<std::string, Prepared> answers_;
  std::vector<std::string> asked_;
  std::thread thread_;
};

}  // namespace gantry::web::testing
