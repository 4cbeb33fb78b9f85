// SPDX-License-Identifier: Apache-2.0
#include "speaking_peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace gantry::tts_openai::test {
namespace {

/// A head and as much of a body as it announces.
std::string read_request(int client) {
  std::string text;
  char bytes[4096];
  while (true) {
    const std::size_t head = text.find("\r\n\r\n");
    if (head != std::string::npos) {
      const std::size_t length = text.find("Content-Length: ");
      const std::size_t body =
          length == std::string::npos ? 0 : std::strtoul(text.c_str() + length + 16, nullptr, 10);
      if (text.size() >= head + 4 + body) return text;
    }
    const ssize_t count = ::recv(client, bytes, sizeof bytes, 0);
    if (count <= 0) return text;
    text.append(bytes, static_cast<std::size_t>(count));
  }
}

}  // namespace

SpeakingPeer::SpeakingPeer(std::vector<std::string> answers)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* raw = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, raw, size) != 0 || ::listen(listener_, 8) != 0 ||
      ::getsockname(listener_, raw, &size) != 0) {
    throw std::runtime_error("the peer cannot listen");
  }
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this, answers = std::move(answers)] { serve(answers); });
}

SpeakingPeer::~SpeakingPeer() {
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
}

void SpeakingPeer::serve(const std::vector<std::string>& answers) {
  for (const std::string& answer : answers) {
    const int client = ::accept(listener_, nullptr, nullptr);
    if (client < 0) return;
    std::string request = read_request(client);
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(std::move(request));
    }
    for (std::size_t at = 0; at < answer.size();) {
      const ssize_t sent = ::send(client, answer.data() + at, answer.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) break;
      at += static_cast<std::size_t>(sent);
    }
    ::close(client);
  }
}

std::string SpeakingPeer::base_url() const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/v1";
}

std::vector<std::string> SpeakingPeer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::string SpeakingPeer::answer(int status, const std::string& type, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " Answer\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
         body;
}

}  // namespace gantry::tts_openai::test
