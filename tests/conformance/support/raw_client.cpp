// SPDX-License-Identifier: Apache-2.0
#include "raw_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace gantry::conformance {

namespace {

constexpr int kDeadlineMs = 10'000;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool need(RawClient& client, std::size_t bytes) {
  while (client.input().size() < bytes) {
    if (!client.receive_more()) return false;
  }
  return true;
}

/// Takes one CRLF-terminated line.
std::optional<std::string> take_line(RawClient& client) {
  std::size_t end = 0;
  while ((end = client.input().find("\r\n")) == std::string::npos) {
    if (!client.receive_more()) return std::nullopt;
  }
  std::string line = client.input().substr(0, end);
  client.input().erase(0, end + 2);
  return line;
}

std::optional<std::string> take(RawClient& client, std::size_t bytes) {
  if (!need(client, bytes)) return std::nullopt;
  std::string out = client.input().substr(0, bytes);
  client.input().erase(0, bytes);
  return out;
}

bool take_chunked(RawClient& client, std::string& body) {
  for (;;) {
    const auto line = take_line(client);
    if (!line) return false;
    const std::size_t size = std::stoul(*line, nullptr, 16);
    const auto data = take(client, size);
    if (!data || !take_line(client)) return false;
    if (size == 0) return true;
    body += *data;
  }
}

bool has_body(const Answer& answer, bool head_only) {
  return !head_only && answer.status >= 200 && answer.status != 204 && answer.status != 304;
}

}  // namespace

RawClient::RawClient(std::uint16_t port) {
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd_ < 0 || ::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect to the server under test");
  }
  const int on = 1;
  ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

RawClient::~RawClient() { ::close(fd_); }

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd ready{fd_, POLLOUT, 0};
    if (::poll(&ready, 1, kDeadlineMs) <= 0) return false;
    const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      // The peer may have stopped reading because it is answering: make room for its answer.
      pollfd readable{fd_, POLLIN, 0};
      if (::poll(&readable, 1, 0) > 0 && !receive_more()) return false;
      continue;
    }
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool RawClient::send_bytewise(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [this](char c) { return send({&c, 1}); });
}

void RawClient::end_sending() { ::shutdown(fd_, SHUT_WR); }

bool RawClient::receive_more() {
  if (at_end_) return false;
  pollfd ready{fd_, POLLIN, 0};
  if (::poll(&ready, 1, kDeadlineMs) <= 0) throw std::runtime_error("no answer within 10 s");
  std::array<char, 65536> block;  // need not be initialised
  const ssize_t n = ::recv(fd_, block.data(), block.size(), 0);
  if (n <= 0) {
    at_end_ = true;
    return false;
  }
  input_.append(block.data(), static_cast<std::size_t>(n));
  return true;
}

void RawClient::receive_all() {
  while (receive_more()) {
  }
}

std::optional<Answer> next_answer(RawClient& client, bool head_only, bool interim) {
  Answer answer;
  const auto status_line = take_line(client);
  if (!status_line) return std::nullopt;
  if (status_line->rfind("HTTP/1.", 0) != 0 || status_line->size() < 12) {
    throw std::runtime_error("not a status line: " + *status_line);
  }
  answer.status = std::stoi(status_line->substr(9, 3));
  for (;;) {
    const auto line = take_line(client);
    if (!line) throw std::runtime_error("the answer ends inside its head");
    if (line->empty()) break;
    const auto colon = line->find(':');
    if (colon == std::string::npos) throw std::runtime_error("not a field: " + *line);
    answer.headers[lower(line->substr(0, colon))] =
        trimmed(std::string_view(*line).substr(colon + 1));
  }
  if (answer.status >= 100 && answer.status < 200) {
    return interim || answer.status == 101 ? answer : next_answer(client, head_only, interim);
  }
  if (!has_body(answer, head_only)) return answer;
  const auto& headers = answer.headers;
  if (const auto coding = headers.find("transfer-encoding"); coding != headers.end()) {
    if (!take_chunked(client, answer.body)) throw std::runtime_error("a chunked body ends early");
  } else if (const auto length = headers.find("content-length"); length != headers.end()) {
    auto body = take(client, std::stoul(length->second));
    if (!body) throw std::runtime_error("the body is shorter than its Content-Length");
    answer.body = std::move(*body);
  } else {
    client.receive_all();
    answer.body = std::move(client.input());
    client.input().clear();
  }
  return answer;
}

}  // namespace gantry::conformance
