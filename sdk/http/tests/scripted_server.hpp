// SPDX-License-Identifier: Apache-2.0
#pragma once
// A server of the test's own whose answers stand in a script, and a pool for those who ask it.

#include <gantry/http/client.hpp>
#include <gantry/http/pool.hpp>
#include <gantry/testkit/loopback.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace gantry::http::test {

using namespace std::chrono_literals;

/// Answers one connection after the other; what each request gets stands in a script.
class Server {
 public:
  /// One string for each request of a connection; the connection is closed after its last.
  using Script = std::vector<std::vector<std::string>>;

  /// What the first connection does after its answers.
  enum class After { Closes, Drips, Stalls, Resets };  ///< Resets: within the next request

  explicit Server(Script script, After after = After::Closes)
      : script_(std::move(script)), after_(after) {
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() {
    listener_.stop();
    {
      const std::lock_guard lock(mutex_);
      if (client_ >= 0) ::shutdown(client_, SHUT_RDWR);
    }
    thread_.join();
    if (stalled_ >= 0) ::close(stalled_);
  }

  [[nodiscard]] http::HttpRequest request() const {
    return {"POST", listener_.url() + "/v1", {}, "{}"};
  }
  [[nodiscard]] int connections() const { return connections_; }
  [[nodiscard]] int requests() const { return requests_; }

 private:
  void serve() {
    for (const auto& answers : script_) {
      const int client = listener_.accept();
      if (client < 0) return;
      take(client);
      ++connections_;
      for (const std::string& answer : answers) {
        if (!read_request(client)) break;
        ++requests_;
        if (::send(client, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) break;
      }
      if (after_ == After::Drips && connections_ == 1) drip(client);
      if (char byte = 0; after_ == After::Resets && connections_ == 1) {
        (void)::recv(client, &byte, 1, 0);  // the rest of it, unread, makes a reset of the close
      }
      take(-1);
      if (after_ == After::Stalls && connections_ == 1) {
        stalled_ = client;
      } else {
        ::close(client);
      }
    }
  }
  static void drip(int client) {
    for (int i = 0; i < 293; ++i) {
      if (::send(client, "x", 1, MSG_NOSIGNAL) < 0) return;
      ::usleep(20'000);
    }
  }
  void take(int client) {
    const std::lock_guard lock(mutex_);
    client_ = client;
  }
  static bool read_request(int client) {
    std::string text;
    char bytes[64 * 1024];
    while (!text.ends_with("\r\n\r\n{}")) {
      const auto count = ::recv(client, bytes, sizeof bytes, 0);
      if (count <= 0) return false;
      text.append(bytes, static_cast<std::size_t>(count));
    }
    return true;
  }

  Script script_;
  After after_;
  int stalled_ = -1;
  testkit::LoopbackListener listener_;
  std::mutex mutex_;
  int client_ = -1;
  std::atomic<int> connections_{0};
  std::atomic<int> requests_{0};
  std::thread thread_;
};

inline std::string plain(const std::string& body, const std::string& header = {}) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + header +
         "\r\n" + body;
}

inline const std::string kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n[DONE]\n\r\n0\r\n\r\n";
inline const std::string kNothing;  // the connection is closed instead of an answer

struct World {
  std::atomic<std::int64_t> now{0};
  std::shared_ptr<http::HttpPool> pool = std::make_shared<http::HttpPool>(
      [this] { return now.load(); }, 30s, 2, [this] { return asleep.load(); });
  std::atomic<std::int64_t> asleep{0};

  http::HttpOptions options() {
    http::HttpOptions out;
    out.direct = true;
    out.pool = pool;
    return out;
  }
  Result<std::string> ask(const Server& server) {
    http::HttpExchange exchange(options());
    const auto head = exchange.send(server.request());
    if (!head.ok()) return head.error();
    return exchange.read_all(1024);
  }
};

}  // namespace gantry::http::test
