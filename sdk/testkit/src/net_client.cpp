// SPDX-License-Identifier: Apache-2.0
#include <Poco/Exception.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/Timespan.h>
#include <openssl/evp.h>
#include <gantry/testkit/net_client.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace gantry::testkit {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::size_t number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (read.ec != std::errc{}) throw std::runtime_error("not a number: " + std::string(text));
  return value;
}

bool has(const Headers& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [&](const auto& header) { return lower(header.first) == name; });
}

/// Sec-WebSocket-Accept for a key, RFC 6455 section 4.2.2.
std::string accept_for(const std::string& key) {
  const std::string input = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_Digest(input.data(), input.size(), digest.data(), &length, EVP_sha1(), nullptr);
  std::array<unsigned char, 64> text{};
  EVP_EncodeBlock(text.data(), digest.data(), static_cast<int>(length));
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

std::string HttpReply::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

struct HttpClient::Connection {
  std::string authority;
  Poco::Net::StreamSocket socket;
  std::string buffer;  // received, not yet taken

  /// False at the end of the connection.
  bool fill() {
    std::array<char, 16384> bytes{};
    int count = 0;
    try {
      count = socket.receiveBytes(bytes.data(), static_cast<int>(bytes.size()));
    } catch (const Poco::TimeoutException&) {
      throw std::runtime_error("nothing came within the time limit; so far: " +
                               buffer.substr(0, 500));
    } catch (const Poco::Exception&) {
      return false;  // reset
    }
    buffer.append(bytes.data(), static_cast<std::size_t>(std::max(count, 0)));
    return count > 0;
  }
  std::string take(std::size_t count) {
    while (buffer.size() < count) {
      if (!fill()) throw std::runtime_error("the connection ended in the middle of a message");
    }
    std::string out = buffer.substr(0, count);
    buffer.erase(0, count);
    return out;
  }
  std::string take_line() {
    std::size_t end = 0;
    while ((end = buffer.find("\r\n")) == std::string::npos) {
      if (!fill()) throw std::runtime_error("the connection ended instead of a line: " + buffer);
    }
    std::string line = buffer.substr(0, end);
    buffer.erase(0, end + 2);
    return line;
  }
};

HttpClient::HttpClient(const std::string& host, std::uint16_t port, std::chrono::milliseconds limit)
    : connection_(std::make_unique<Connection>()) {
  const Poco::Timespan timeout(limit.count() * 1000);
  connection_->authority = host + ":" + std::to_string(port);
  try {
    connection_->socket.connect(Poco::Net::SocketAddress(host, port), timeout);
  } catch (const Poco::Exception& e) {
    throw std::runtime_error("cannot connect to " + connection_->authority + ": " +
                             e.displayText());
  }
  connection_->socket.setReceiveTimeout(timeout);
  connection_->socket.setSendTimeout(timeout);
  connection_->socket.setNoDelay(true);
}

HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;

void HttpClient::send_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    int sent = 0;
    try {
      sent = connection_->socket.sendBytes(bytes.data(), static_cast<int>(bytes.size()));
    } catch (const Poco::Exception& e) {
      throw std::runtime_error("cannot send: " + e.displayText());
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

HttpReply HttpClient::request(std::string_view method, std::string_view target, Headers headers,
                              std::string_view body) {
  std::string head;
  head.append(method).append(" ").append(target).append(" HTTP/1.1\r\n");
  if (!has(headers, "host")) headers.emplace_back("Host", connection_->authority);
  if (!body.empty() && !has(headers, "content-length") && !has(headers, "transfer-encoding")) {
    headers.emplace_back("Content-Length", std::to_string(body.size()));
  }
  for (const auto& [name, value] : headers)
    head.append(name).append(": ").append(value).append("\r\n");
  head.append("\r\n").append(body);
  send_raw(head);
  return read_reply(method == "HEAD");
}

HttpReply HttpClient::post_json(std::string_view target, std::string_view json, Headers headers) {
  headers.emplace_back("Content-Type", "application/json");
  return request("POST", target, std::move(headers), json);
}

HttpReply HttpClient::read_reply(bool head_only) {
  HttpReply reply;
  const std::string status = connection_->take_line();
  if (status.size() < 12 || !status.starts_with("HTTP/1.")) {
    throw std::runtime_error("not a status line: " + status);
  }
  reply.status = static_cast<int>(number(std::string_view(status).substr(9, 3), 10));
  reply.reason = status.size() > 13 ? status.substr(13) : "";
  for (std::string line; !(line = connection_->take_line()).empty();) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) throw std::runtime_error("not a header: " + line);
    reply.headers.emplace_back(lower(line.substr(0, colon)),
                               trim(std::string_view(line).substr(colon + 1)));
  }
  if (reply.status == 100) return read_reply(head_only);
  if (head_only || reply.status == 101 || reply.status == 204 || reply.status == 304) return reply;
  if (lower(reply.header("transfer-encoding")) == "chunked") {
    while (const std::size_t size = number(connection_->take_line(), 16)) {
      reply.body += connection_->take(size);
      connection_->take_line();
    }
    while (!connection_->take_line().empty()) {
    }
  } else if (const std::string length = reply.header("content-length"); !length.empty()) {
    reply.body = connection_->take(number(length, 10));
  } else {
    reply.body = read_to_end();
  }
  return reply;
}

std::string HttpClient::read_to_end() {
  while (connection_->fill()) {
  }
  return std::exchange(connection_->buffer, {});
}

std::string HttpClient::read_some() {
  if (connection_->buffer.empty()) connection_->fill();
  return std::exchange(connection_->buffer, {});
}

int WsFrame::close_code() const {
  if (payload.size() < 2) return 1005;
  return static_cast<unsigned char>(payload[0]) << 8 | static_cast<unsigned char>(payload[1]);
}
std::string WsFrame::close_reason() const { return payload.size() > 2 ? payload.substr(2) : ""; }

WebSocketClient::WebSocketClient(const std::string& host, std::uint16_t port,
                                 std::string_view target, Headers headers,
                                 std::chrono::milliseconds limit)
    : http_(host, port, limit) {
  const std::string key = "dGhlIHNhbXBsZSBub25jZQ==";  // RFC 6455 section 1.3
  headers.emplace_back("Upgrade", "websocket");
  headers.emplace_back("Connection", "Upgrade");
  headers.emplace_back("Sec-WebSocket-Version", "13");
  headers.emplace_back("Sec-WebSocket-Key", key);
  reply_ = http_.request("GET", target, std::move(headers));
  if (reply_.status == 101 && reply_.header("sec-websocket-accept") != accept_for(key)) {
    throw std::runtime_error("Sec-WebSocket-Accept is wrong: " +
                             reply_.header("sec-websocket-accept"));
  }
}

void WebSocketClient::send_frame(const WsFrame& frame, bool masked) {
  std::string bytes;
  bytes += static_cast<char>((frame.fin ? 0x80 : 0) | (frame.rsv1 ? 0x40 : 0) |
                             static_cast<int>(frame.opcode));
  const std::size_t size = frame.payload.size();
  const int mask_bit = masked ? 0x80 : 0;
  int length_bytes = 0;
  if (size < 126) {
    bytes += static_cast<char>(mask_bit | static_cast<int>(size));
  } else {
    length_bytes = size < 65536 ? 2 : 8;
    bytes += static_cast<char>(mask_bit | (length_bytes == 2 ? 126 : 127));
  }
  for (int i = length_bytes - 1; i >= 0; --i) bytes += static_cast<char>(size >> (8 * i) & 0xFF);
  constexpr std::string_view kMask = "\x12\x34\x56\x78";
  if (masked) bytes += kMask;
  for (std::size_t i = 0; i < size; ++i) {
    bytes += masked ? static_cast<char>(frame.payload[i] ^ kMask[i % 4]) : frame.payload[i];
  }
  http_.send_raw(bytes);
}

void WebSocketClient::send_close(std::uint16_t code, std::string_view reason) {
  std::string payload;
  payload += static_cast<char>(code >> 8);
  payload += static_cast<char>(code & 0xFF);
  payload += reason;
  send_frame({WsOpcodeRaw::Close, true, false, std::move(payload)});
}

WsFrame WebSocketClient::receive() {
  auto& connection = *http_.connection_;
  if (connection.buffer.empty() && !connection.fill()) {
    return {WsOpcodeRaw::Close, true, false, std::string("\x03\xEE", 2)};  // 1006
  }
  const std::string head = connection.take(2);
  const auto first = static_cast<unsigned char>(head[0]);
  const auto second = static_cast<unsigned char>(head[1]);
  if ((second & 0x80) != 0) throw std::runtime_error("the server masked a frame");
  std::size_t size = second & 0x7F;
  if (size >= 126) {
    const std::string length = connection.take(size == 126 ? 2 : 8);
    size = 0;
    for (const char byte : length) size = size << 8 | static_cast<unsigned char>(byte);
  }
  WsFrame frame;
  frame.fin = (first & 0x80) != 0;
  frame.rsv1 = (first & 0x40) != 0;
  frame.opcode = static_cast<WsOpcodeRaw>(first & 0x0F);
  frame.payload = connection.take(size);
  return frame;
}

std::string WebSocketClient::receive_message() {
  std::string message;
  while (true) {
    WsFrame frame = receive();
    switch (frame.opcode) {
      case WsOpcodeRaw::Ping:
        send_frame({WsOpcodeRaw::Pong, true, false, std::move(frame.payload)});
        break;
      case WsOpcodeRaw::Pong: break;
      case WsOpcodeRaw::Close:
        throw std::runtime_error("closed with " + std::to_string(frame.close_code()) + " " +
                                 frame.close_reason());
      default:
        message += frame.payload;
        if (frame.fin) return message;
    }
  }
}

}  // namespace gantry::testkit
