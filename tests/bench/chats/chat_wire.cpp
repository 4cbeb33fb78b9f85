// SPDX-License-Identifier: Apache-2.0
#include "chat_wire.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>

namespace gantry::bench {
namespace {

constexpr std::string_view kAsk = "@script reply one two three four five six seven eight";

bool has(std::string_view frame, std::string_view part) {
  return frame.find(part) != std::string_view::npos;
}

Meaning cortask_meaning(std::string_view frame) {
  if (has(frame, R"("type":"text_delta")")) return Meaning::Token;
  if (has(frame, R"("type":"done")")) return Meaning::Done;
  return has(frame, R"("type":"error")") ? Meaning::Failed : Meaning::Other;
}

std::string cortask_chat(const std::string& key, const std::string& place) {
  return fmt::format(R"({{"type":"chat","sessionKey":"{}","workspaceId":"{}","message":"{}"}})",
                     key, place, kAsk);
}

Meaning gateway_meaning(std::string_view frame) {
  if (has(frame, R"("type":"res")")) {
    if (!has(frame, R"("ok":true)")) return Meaning::Failed;
    return has(frame, R"("id":"1")") ? Meaning::LoggedIn : Meaning::Done;
  }
  return has(frame, R"("event":"chunk")") ? Meaning::Token : Meaning::Other;
}

std::string gateway_login(const std::string& secret) {
  return fmt::format(
      R"({{"type":"req","id":"1","method":"connect","params":{{"token":"{}","user_id":"bench"}}}})",
      secret);
}

std::string gateway_chat(const std::string& key, const std::string&) {
  return fmt::format(R"({{"type":"req","id":"2","method":"chat.send","params":)"
                     R"({{"sessionKey":"agent:default:ws:direct:{}","message":"{}"}}}})",
                     key, kAsk);
}

}  // namespace

int connect_to(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::perror("connect");
    std::exit(2);
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

std::string opening(std::string_view path) {
  return fmt::format(
      "GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
      path);
}

std::string client_frame(std::string_view text) {
  constexpr std::size_t kShort = 126;
  std::string frame = "\x81";
  if (text.size() < kShort) {
    frame += static_cast<char>(0x80U | text.size());
  } else {
    frame += static_cast<char>(0x80U | kShort);
    frame += static_cast<char>(text.size() >> 8U);
    frame += static_cast<char>(text.size() & 0xFFU);
  }
  frame.append(4, '\0');  // a mask that changes nothing is one
  return frame.append(text);
}

std::string closing_frame() { return std::string("\x88\x80\0\0\0\0", 6); }

std::optional<std::string> take_text(std::string& in) {
  constexpr unsigned kText = 1;
  const auto byte = [&in](std::size_t at) { return static_cast<unsigned char>(in[at]); };
  while (in.size() >= 2) {
    std::size_t size = byte(1) & 0x7FU;
    std::size_t head = 2;
    if (size >= 126) {
      head = size == 126 ? 4 : 10;
      if (in.size() < head) return std::nullopt;
      size = 0;
      for (std::size_t i = 2; i < head; ++i) size = size << 8U | byte(i);
    }
    if (in.size() < head + size) return std::nullopt;
    const bool text = (byte(0) & 0x0FU) == kText;
    std::string out = text ? in.substr(head, size) : std::string();
    in.erase(0, head + size);
    if (text) return out;
  }
  return std::nullopt;
}

const Dialect* dialect(std::string_view name) {
  static const Dialect kCortask{"/ws", false, nullptr, &cortask_chat, &cortask_meaning};
  static const Dialect kGateway{"/ws", true, &gateway_login, &gateway_chat, &gateway_meaning};
  if (name == "cortask") return &kCortask;
  return name == "gateway" ? &kGateway : nullptr;
}

}  // namespace gantry::bench
