// SPDX-License-Identifier: Apache-2.0
#include "load.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace gantry::bench {
namespace {

constexpr size_t kMessage = 64;
constexpr size_t kReplySize = 2 + kMessage;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(2);
}

std::string make_frame() {
  std::string frame = "\x81";
  frame += static_cast<char>(0x80 | kMessage);
  frame += std::string("\x01\x02\x03\x04", 4);
  for (size_t i = 0; i < kMessage; ++i) frame += static_cast<char>('a' ^ (i % 4 + 1));
  return frame;
}

}  // namespace

std::vector<int> open_websockets(std::uint16_t port, int count, const char* path) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  const std::string request =
      std::string("GET ") + path +
      " HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<int> sockets;
  for (int i = 0; i < count; ++i) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) give_up("socket");
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      give_up("connect");
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0) give_up("send");
    std::string answer;
    while (answer.find("\r\n\r\n") == std::string::npos) {
      std::array<char, 512> block;
      const ssize_t got = ::recv(fd, block.data(), block.size(), 0);
      if (got <= 0) give_up("handshake");
      answer.append(block.data(), static_cast<size_t>(got));
    }
    if (answer.rfind("HTTP/1.1 101", 0) != 0) {
      std::fprintf(stderr, "%s", answer.c_str());
      std::exit(2);
    }
    sockets.push_back(fd);
  }
  return sockets;
}

std::uint64_t echo_for(const std::vector<int>& sockets, double seconds) {
  const std::string frame = make_frame();
  const int epoll = ::epoll_create1(0);
  std::vector<size_t> pending(sockets.size(), 0);
  for (size_t i = 0; i < sockets.size(); ++i) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, sockets[i], &event);
    if (::send(sockets[i], frame.data(), frame.size(), MSG_NOSIGNAL) < 0) give_up("send");
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  std::uint64_t echoes = 0;
  std::array<epoll_event, 256> events;
  std::array<char, 4096> block;
  while (std::chrono::steady_clock::now() < end) {
    const int count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 1000);
    for (int i = 0; i < count; ++i) {
      const size_t at = events[static_cast<size_t>(i)].data.u64;
      const ssize_t got = ::recv(sockets[at], block.data(), block.size(), 0);
      if (got <= 0) give_up("recv");
      pending[at] += static_cast<size_t>(got);
      while (pending[at] >= kReplySize) {
        pending[at] -= kReplySize;
        ++echoes;
        if (::send(sockets[at], frame.data(), frame.size(), MSG_NOSIGNAL) < 0) give_up("send");
      }
    }
  }
  ::close(epoll);
  return echoes;
}

}  // namespace gantry::bench
