// SPDX-License-Identifier: Apache-2.0
// A model without a delay of its own: an answer is as many pieces as the query asks for.
#include <boost/asio.hpp>

#include <charconv>
#include <memory>

#include "agent_load.hpp"

namespace gantry::bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::string_view kModels =
    R"({"object":"list","data":[{"id":"bench","object":"model","owned_by":"bench"}]})";

std::string event(std::string_view json) { return "data: " + std::string(json) + "\n\n"; }

std::string piece(const std::string& text) {
  return event(R"({"id":"1","object":"chat.completion.chunk","model":"bench","choices":[)"
               R"({"index":0,"delta":{"content":")" +
               text + R"("},"finish_reason":null}]})");
}

/// The last number of its kind: the query of this turn stands at the end.
std::int64_t last_number(std::string_view body, std::string_view mark, std::int64_t otherwise) {
  const auto all = numbers_after(body, mark);
  return all.empty() ? otherwise : all.back();
}

asio::awaitable<void> write(tcp::socket& socket, const std::string& bytes) {
  // A chunk of the transfer coding for each event, as real servers send them.
  char size[24];
  const auto end = std::to_chars(size, size + sizeof size, bytes.size(), 16).ptr;
  const std::string framed = std::string(size, end) + "\r\n" + bytes + "\r\n";
  const auto buffer = asio::buffer(framed);
  co_await asio::async_write(socket, buffer, asio::use_awaitable);
}

asio::awaitable<void> answer_chat(tcp::socket& socket, std::string_view body,
                                  std::int64_t first_byte) {
  const std::string head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  const auto head_buffer = asio::buffer(head);
  co_await asio::async_write(socket, head_buffer, asio::use_awaitable);
  const std::int64_t chunks = last_number(body, kChunks, 1);
  const std::int64_t gap = last_number(body, kGap, 0);
  const std::int64_t sent = last_number(body, kSent, first_byte);
  asio::steady_timer timer(socket.get_executor());
  auto due = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < chunks; ++i) {
    std::string text = i == 0 ? std::string(kFirst) + std::to_string(first_byte - sent) + ' ' : "";
    if (i > 0 && gap > 0) {
      due += std::chrono::microseconds(gap);
      timer.expires_at(due);
      co_await timer.async_wait(asio::use_awaitable);
    }
    text += std::string(kPiece) + std::to_string(now_ns()) + ' ';
    const std::string bytes = piece(text);
    co_await write(socket, bytes);
  }
  const std::string end =
      event(
          R"({"id":"1","model":"bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],)"
          R"("usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}})") +
      event("[DONE]");
  co_await write(socket, end);
  const std::string last = "0\r\n\r\n";
  const auto last_buffer = asio::buffer(last);
  co_await asio::async_write(socket, last_buffer, asio::use_awaitable);
}

asio::awaitable<void> serve(tcp::socket socket) {
  socket.set_option(tcp::no_delay(true));
  std::string in;
  for (;;) {
    std::int64_t first_byte = 0;
    std::size_t head_end = 0;
    std::size_t whole = 0;
    char block[16'384];
    while (whole == 0 || in.size() < whole) {
      if (!in.empty() && first_byte == 0) first_byte = now_ns();
      if (whole == 0 && (head_end = in.find("\r\n\r\n")) != std::string::npos) {
        const auto length =
            numbers_after(std::string_view(in).substr(0, head_end), "Content-Length: ");
        whole = head_end + 4 + static_cast<std::size_t>(length.empty() ? 0 : length.back());
        continue;
      }
      const auto buffer = asio::buffer(block);
      const std::size_t count = co_await socket.async_read_some(buffer, asio::use_awaitable);
      in.append(block, count);
    }
    if (in.starts_with("GET ")) {
      const std::string reply =
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
          "Content-Length: " +
          std::to_string(kModels.size()) + "\r\n\r\n" + std::string(kModels);
      const auto buffer = asio::buffer(reply);
      co_await asio::async_write(socket, buffer, asio::use_awaitable);
    } else {
      const std::string body = in.substr(head_end, whole - head_end);
      co_await answer_chat(socket, body, first_byte);
    }
    in.erase(0, whole);
  }
}

asio::awaitable<void> accept(tcp::acceptor& acceptor) {
  for (;;) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    asio::co_spawn(acceptor.get_executor(), serve(std::move(socket)), asio::detached);
  }
}

}  // namespace

std::vector<std::int64_t> numbers_after(std::string_view text, std::string_view mark) {
  std::vector<std::int64_t> out;
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string_view::npos;) {
    at += mark.size();
    std::int64_t number = 0;
    const char* begin = text.data() + at;
    if (std::from_chars(begin, text.data() + text.size(), number).ec == std::errc()) {
      out.push_back(number);
    }
  }
  return out;
}

void serve_model(std::uint16_t port) {
  asio::io_context context(1);
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), port});
  acceptor.listen(4096);
  asio::co_spawn(context, accept(acceptor), asio::detached);
  context.run();
}

}  // namespace gantry::bench
