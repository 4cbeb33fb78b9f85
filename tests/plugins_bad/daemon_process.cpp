// SPDX-License-Identifier: Apache-2.0
#include "daemon_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace gantry::test {
namespace {

std::string binary() {
  const char* dir = std::getenv("GANTRY_BUILD_DIR");
  return std::string(dir == nullptr ? "." : dir) + "/bin/gantry";
}

pid_t spawn(const std::vector<std::string>& arguments, int redirected, int& output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  std::vector<std::string> words{binary()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], redirected);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  output = ends[0];
  return pid;
}

}  // namespace

DaemonProcess::DaemonProcess(const std::vector<std::string>& arguments)
    : pid_(spawn(arguments, STDERR_FILENO, output_)) {}

DaemonProcess::~DaemonProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(output_);
}

bool DaemonProcess::read_some(int timeout_ms) {
  pollfd waiting{output_, POLLIN, 0};
  if (poll(&waiting, 1, timeout_ms) <= 0) return true;
  char block[4096];
  const auto size = read(output_, block, sizeof block);
  if (size <= 0) return false;
  log_.append(block, static_cast<std::size_t>(size));
  return true;
}

bool DaemonProcess::wait_for(const std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (log_.find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > deadline || !read_some(200)) break;
  }
  return log_.find(text) != std::string::npos;
}

void DaemonProcess::send(int signal) const { kill(pid_, signal); }

Exit DaemonProcess::wait(std::chrono::seconds limit) {
  const auto begin = std::chrono::steady_clock::now();
  Exit result;
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() - begin > limit) return result;
    if (!read_some(10)) std::this_thread::yield();  // closed its standard error: about to end
  }
  while (read_some(0) && poll(nullptr, 0, 0) == 0) {
    pollfd waiting{output_, POLLIN, 0};
    if (poll(&waiting, 1, 0) <= 0 || (waiting.revents & POLLIN) == 0) break;
  }
  pid_ = -1;
  result.exited = WIFEXITED(status);
  result.code = result.exited ? WEXITSTATUS(status) : -WTERMSIG(status);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

int run_gantry(const std::vector<std::string>& arguments, std::string& output) {
  int end = -1;
  const pid_t pid = spawn(arguments, STDOUT_FILENO, end);
  char block[4096];
  while (true) {
    const auto size = read(end, block, sizeof block);
    if (size <= 0) break;
    output.append(block, static_cast<std::size_t>(size));
  }
  close(end);
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace gantry::test
