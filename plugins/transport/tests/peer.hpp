// SPDX-License-Identifier: Apache-2.0
#pragma once

// A blocking peer for tests: raw bytes over a socket, and WebSocket frames made by hand. Reads give
// up after kPatience, so a broken server fails a test instead of hanging it.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::transport::test {

class Peer {
 public:
  static constexpr int kPatienceMs = 20'000;

  explicit Peer(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  explicit Peer(const std::string& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Peer() { close(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  bool connected() const { return connected_; }
  int fd() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  /// As a client that crashed, or that had not read everything.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  void half_close() { ::shutdown(fd_, SHUT_WR); }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (done <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(done));
    }
  }

  /// Reads until `mark` is there and returns everything up to its end; what follows is kept.
  std::string read_until(std::string_view mark) {
    size_t at = std::string::npos;
    while ((at = held_.find(mark)) == std::string::npos) {
      if (!fill()) return take(held_.size());
    }
    return take(at + mark.size());
  }
  std::string read_bytes(size_t count) {
    while (held_.size() < count && fill()) {
    }
    return take(std::min(count, held_.size()));
  }
  /// Everything until the other side closes.
  std::string read_all() {
    while (fill()) {
    }
    return take(held_.size());
  }
  /// Whether the other side has closed; waits for it.
  bool closed() {
    while (fill()) {
    }
    return ended_;
  }
  /// True when nothing arrives for `ms`.
  bool silent(int ms) {
    if (!held_.empty()) return false;
    pollfd waiting{fd_, POLLIN, 0};
    return ::poll(&waiting, 1, ms) == 0;
  }

  /// One answer with a Content-Length or chunked body: head and body as sent.
  std::string read_response(bool head_only = false) {
    std::string head = read_until("\r\n\r\n");
    if (head_only) return head;
    const size_t length_at = head.find("Content-Length: ");
    if (length_at != std::string::npos) {
      return head + read_bytes(std::stoul(head.substr(length_at + 16)));
    }
    if (head.find("Transfer-Encoding: chunked") != std::string::npos) {
      return head + read_until("0\r\n\r\n");
    }
    return head;
  }

 private:
  bool fill() {
    if (ended_) return false;
    pollfd waiting{fd_, POLLIN, 0};
    if (::poll(&waiting, 1, kPatienceMs) <= 0) return false;
    char block[65536];
    const ssize_t got = ::recv(fd_, block, sizeof block, 0);
    if (got <= 0) {
      ended_ = true;
      return false;
    }
    held_.append(block, static_cast<size_t>(got));
    return true;
  }
  std::string take(size_t count) {
    std::string out = held_.substr(0, count);
    held_.erase(0, count);
    return out;
  }

  int fd_;
  bool connected_ = false;
  bool ended_ = false;
  std::string held_;
};

/// `line` is method and target; `fields` whole lines.
inline std::string request(const std::string& line, const std::string& fields = {},
                           const std::string& body = {}) {
  return line + " HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n" + body;
}

inline std::string post(const std::string& path, const std::string& body,
                        const std::string& more = {}) {
  return request("POST " + path, "Content-Length: " + std::to_string(body.size()) + "\r\n" + more,
                 body);
}

/// A client's frame; `first` is the byte with FIN, RSV and opcode.
inline std::string client_frame(uint8_t first, std::string_view payload, bool masked = true) {
  std::string out(1, static_cast<char>(first));
  const char mask_bit = masked ? static_cast<char>(0x80) : '\0';
  const size_t size = payload.size();
  if (size < 126) {
    out += static_cast<char>(mask_bit | static_cast<char>(size));
  } else if (size < 65536) {
    out += static_cast<char>(mask_bit | 126);
    out += static_cast<char>(size >> 8);
    out += static_cast<char>(size & 0xff);
  } else {
    out += static_cast<char>(mask_bit | 127);
    for (int i = 7; i >= 0; --i) out += static_cast<char>(size >> (8 * i) & 0xff);
  }
  const char key[4] = {0x12, 0x34, 0x56, 0x78};
  if (masked) out.append(key, 4);
  for (size_t i = 0; i < size; ++i) {
    out += static_cast<char>(masked ? payload[i] ^ key[i % 4] : payload[i]);
  }
  return out;
}

struct ServerFrame {
  uint8_t first = 0;
  std::string payload;
  int close_code() const {
    if (payload.size() < 2) return 1005;
    return static_cast<unsigned char>(payload[0]) << 8 | static_cast<unsigned char>(payload[1]);
  }
};

inline ServerFrame read_frame(Peer& peer) {
  const std::string start = peer.read_bytes(2);
  if (start.size() < 2) return {};
  size_t length = static_cast<unsigned char>(start[1]) & 0x7f;
  if (length >= 126) {
    const std::string extended = peer.read_bytes(length == 126 ? 2 : 8);
    length = 0;
    for (const char c : extended) length = length << 8 | static_cast<unsigned char>(c);
  }
  return {static_cast<uint8_t>(start[0]), peer.read_bytes(length)};
}

inline std::string handshake(std::string_view path = "/ws", std::string_view more = {}) {
  return "GET " + std::string(path) +
         " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         std::string(more) + "\r\n";
}

}  // namespace gantry::transport::test
