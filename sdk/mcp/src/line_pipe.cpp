// SPDX-License-Identifier: Apache-2.0
#include <gantry/mcp/line_pipe.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <utility>

namespace gantry::mcp {
namespace {

/// Stands for a line that is too long, where nobody asks for the difference.
constexpr const char* kTooLong = "[line too long";
constexpr int kParentPollMs = 250;
constexpr auto kFlush = std::chrono::milliseconds(300);

int open_parent() {
#ifdef SYS_pidfd_open
  const pid_t parent = getppid();
  if (parent > 1) return static_cast<int>(syscall(SYS_pidfd_open, parent, 0));
#endif
  return -1;
}

/// Writes without ever waiting: sockets are told so, a pipe that poll() calls writable takes
/// PIPE_BUF bytes, a file always does. The descriptor's own flags are left as they are, because
/// others may share it.
ssize_t write_now(int fd, const char* data, std::size_t size) {
  const ssize_t sent = ::send(fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  return ::write(fd, data, std::min<std::size_t>(size, PIPE_BUF));
}

}  // namespace

LinePipe::LinePipe(int input, int output, Limits limits, Handlers handlers)
    : input_(input), output_(output), limits_(limits), handlers_(std::move(handlers)) {}

bool LinePipe::start() {
  wake_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (wake_ < 0) return false;
  if (limits_.parent) parent_ = open_parent();
  thread_ = std::thread([this] { run(); });
  return true;
}

bool LinePipe::send(std::string line) {
  {
    const std::lock_guard lock(mutex_);
    if (queued_bytes_ + line.size() > limits_.queue && !queue_.empty()) return false;
    line.push_back('\n');
    queued_bytes_ += line.size();
    queue_.push_back(std::move(line));
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto woken = ::write(wake_, &one, sizeof one);
  return true;
}

void LinePipe::stop() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto woken = ::write(wake_, &one, sizeof one);
  thread_.join();
  for (const int fd : {wake_, parent_}) {
    if (fd >= 0) ::close(fd);
  }
  wake_ = parent_ = -1;
}

void LinePipe::end(const std::string& reason) {
  if (!std::exchange(ended_, true)) handlers_.ended(reason);
}

void LinePipe::run() {
  using Clock = std::chrono::steady_clock;
  Clock::time_point give_up{};
  const pid_t first_parent = limits_.parent ? getppid() : 0;
  while (true) {
    bool unsent = false;
    {
      const std::lock_guard lock(mutex_);
      unsent = !queue_.empty();
    }
    if (stopping_) {
      if (give_up == Clock::time_point{}) give_up = Clock::now() + kFlush;
      if (!unsent || broken_ || Clock::now() >= give_up) return;
    }
    std::array<pollfd, 4> fds{{{wake_, POLLIN, 0},
                               {ended_ || stopping_ || !may_read() ? -1 : input_, POLLIN, 0},
                               {unsent ? output_ : -1, POLLOUT, 0},
                               {ended_ ? -1 : parent_, POLLIN, 0}}};
    const int wait =
        stopping_ ? 10 : (first_parent > 1 && parent_ < 0 && !ended_ ? kParentPollMs : -1);
    if (::poll(fds.data(), fds.size(), wait) < 0 && errno != EINTR) return end("poll failed");
    if (fds[0].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const auto drained = ::read(wake_, &count, sizeof count);
    }
    if (fds[2].revents != 0 && !write_some()) {
      broken_ = true;
      end("nobody reads standard output");
      const std::lock_guard lock(mutex_);
      queue_.clear();
      queued_bytes_ = written_ = 0;
    }
    if (fds[1].revents != 0 && !read_some()) end("standard input has ended");
    const bool orphan = parent_ < 0 && first_parent > 1 && getppid() != first_parent;
    if (fds[3].revents != 0 || orphan) end("the process that started this one is gone");
  }
}

bool LinePipe::read_some() {
  std::array<char, 64 * 1024> buffer{};
  const ssize_t got = ::read(input_, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  partial_.append(buffer.data(), static_cast<std::size_t>(got));
  take_lines();
  return true;
}

void LinePipe::hand_over(std::string line) {
  if (limits_.ahead > 0) ahead_ += line.size();
  handlers_.line(std::move(line));
}

void LinePipe::leave_out() {
  if (handlers_.too_long) {
    handlers_.too_long();
  } else {
    hand_over(kTooLong);
  }
}

void LinePipe::taken(std::size_t size) {
  const std::size_t before = ahead_.fetch_sub(size);
  if (before <= limits_.ahead || before - size > limits_.ahead) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto woken = ::write(wake_, &one, sizeof one);
}

void LinePipe::take_lines() {
  std::size_t begin = 0;
  for (std::size_t end = partial_.find('\n'); end != std::string::npos;
       end = partial_.find('\n', begin)) {
    std::size_t size = end - begin;
    if (size > 0 && partial_[end - 1] == '\r') --size;
    std::string line = partial_.substr(begin, size);
    begin = end + 1;
    if (std::exchange(skipping_, false)) continue;
    if (line.size() > limits_.line) {
      leave_out();
    } else if (!line.empty()) {
      hand_over(std::move(line));
    }
  }
  partial_.erase(0, begin);
  if (partial_.size() <= limits_.line) return;
  if (!std::exchange(skipping_, true)) leave_out();
  partial_.clear();
}

bool LinePipe::write_some() {
  const std::lock_guard lock(mutex_);
  while (!queue_.empty()) {
    const std::string& line = queue_.front();
    const ssize_t sent = write_now(output_, line.data() + written_, line.size() - written_);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    written_ += static_cast<std::size_t>(sent);
    queued_bytes_ -= static_cast<std::size_t>(sent);
    if (written_ < line.size()) return true;
    written_ = 0;
    queue_.pop_front();
    // A pipe takes only what poll() promised: ask again for the next one.
    return true;
  }
  return true;
}

}  // namespace gantry::mcp
