// SPDX-License-Identifier: Apache-2.0
//
// Lines over a pair of sockets and pipes: framing, limits, and the end.
#include <gantry/mcp/line_pipe.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

namespace gantry::mcp {
namespace {

struct Heard {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> lines;
  std::string reason;

  LinePipe::Handlers handlers() {
    LinePipe::Handlers out;
    out.line = [this](std::string line) {
      const std::lock_guard lock(mutex);
      lines.push_back(std::move(line));
      changed.notify_all();
    };
    out.ended = [this](const std::string& why) {
      const std::lock_guard lock(mutex);
      reason = why;
      changed.notify_all();
    };
    return out;
  }
  void wait_for_end() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !reason.empty(); });
  }
};

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    REQUIRE(written > 0);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

TEST_CASE("lines are taken apart however they arrive, and the end is told") {
  std::array<int, 2> in{}, out{};
  REQUIRE(::pipe(in.data()) == 0);
  REQUIRE(::pipe(out.data()) == 0);
  Heard heard;
  LinePipe pipe(in[0], out[1], {.line = 100, .queue = 1U << 20U}, heard.handlers());
  REQUIRE(pipe.start());
  write_all(in[1], "one\ntw");
  write_all(in[1], "o\r\n\nthree\n" + std::string(500, 'x'));
  write_all(in[1], "\nfour\nunfinished");
  ::close(in[1]);
  heard.wait_for_end();
  CHECK(heard.lines == std::vector<std::string>{"one", "two", "three", "[line too long", "four"});
  CHECK(heard.reason == "standard input has ended");
  CHECK(pipe.send("last words"));
  pipe.stop();
  std::array<char, 64> buffer{};
  const ssize_t got = ::read(out[0], buffer.data(), buffer.size());
  CHECK(std::string(buffer.data(), static_cast<std::size_t>(got)) == "last words\n");
  for (const int fd : {in[0], out[0], out[1]}) ::close(fd);
}

TEST_CASE("a line that is too long is told in its place, once") {
  std::array<int, 2> in{}, out{};
  REQUIRE(::pipe(in.data()) == 0);
  REQUIRE(::pipe(out.data()) == 0);
  Heard heard;
  LinePipe::Handlers handlers = heard.handlers();
  handlers.too_long = [line = handlers.line] { line("(too long)"); };
  LinePipe pipe(in[0], out[1], {.line = 100, .queue = 1U << 20U}, std::move(handlers));
  REQUIRE(pipe.start());
  write_all(in[1], "one\n" + std::string(500, 'x'));
  write_all(in[1], std::string(500, 'x'));
  write_all(in[1], "\ntwo\n" + std::string(101, 'y') + "\n" + std::string(100, 'z') + "\n");
  ::close(in[1]);
  heard.wait_for_end();
  CHECK(heard.lines ==
        std::vector<std::string>{"one", "(too long)", "two", "(too long)", std::string(100, 'z')});
  pipe.stop();
  for (const int fd : {in[0], out[0], out[1]}) ::close(fd);
}

TEST_CASE("a reader that does not read fills the queue, never the caller") {
  std::array<int, 2> in{}, out{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, out.data()) == 0);
  REQUIRE(::pipe(in.data()) == 0);
  Heard heard;
  LinePipe pipe(in[0], out[1], {.line = 100, .queue = 4U << 20U}, heard.handlers());
  REQUIRE(pipe.start());
  const std::string megabyte(1U << 20U, 'y');
  int sent = 0;
  while (sent < 100 && pipe.send(megabyte)) ++sent;
  CHECK(sent < 100);
  ::close(out[0]);
  heard.wait_for_end();
  CHECK(heard.reason == "nobody reads standard output");
  pipe.stop();
  for (const int fd : {in[0], in[1], out[1]}) ::close(fd);
}

TEST_CASE("who writes faster than lines are treated waits, and nothing is lost") {
  std::array<int, 2> in{}, out{};
  REQUIRE(::pipe2(in.data(), O_NONBLOCK) == 0);
  REQUIRE(::pipe(out.data()) == 0);
  Heard heard;
  LinePipe pipe(in[0], out[1], {.line = 1U << 20U, .queue = 1U << 20U, .ahead = 4096},
                heard.handlers());
  REQUIRE(pipe.start());
  constexpr std::size_t kLines = 4000;
  constexpr std::size_t kSize = 1000;
  std::size_t treated = 0;
  std::size_t most = 0;
  const auto treat_one = [&] {
    std::unique_lock lock(heard.mutex);
    heard.changed.wait(lock, [&] { return heard.lines.size() > treated; });
    most = std::max(most, heard.lines.size() - treated);
    lock.unlock();
    ++treated;
    pipe.taken(kSize);
  };
  for (std::size_t i = 0; i < kLines; ++i) {
    std::string line = std::to_string(i);
    line.resize(kSize, '.');
    line += '\n';
    // Less than PIPE_BUF goes whole or not at all.
    while (::write(in[1], line.data(), line.size()) < 0) treat_one();
  }
  CHECK(treated > kLines / 2);  // the pipe alone does not hold all of them
  ::close(in[1]);
  while (treated < kLines) treat_one();
  heard.wait_for_end();
  CHECK(heard.lines.size() == kLines);
  CHECK(heard.lines.back().starts_with(std::to_string(kLines - 1)));
  CHECK(most <= 4096 / kSize + 1 + 64 * 1024 / kSize + 1);  // and what one read may bring
  pipe.stop();
  for (const int fd : {in[0], out[0], out[1]}) ::close(fd);
}

}  // namespace
}  // namespace gantry::mcp
