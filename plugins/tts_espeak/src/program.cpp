// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gantry::tts_espeak {
namespace {

constexpr const char* kCure = "apt-get install espeak-ng";

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] int take() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return value == nullptr ? std::string() : value;
}

/// A file in memory that begins with the text; -1 when there is no memory.
int file_of(const std::string& text) {
  const int fd = memfd_create("gantry-espeak", MFD_CLOEXEC);
  std::string_view left = text;
  while (fd >= 0 && !left.empty()) {
    const ssize_t written = ::write(fd, left.data(), left.size());
    if (written <= 0) {
      ::close(fd);
      return -1;
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fd >= 0) ::lseek(fd, 0, SEEK_SET);
  return fd;
}

/// Starts it with nothing of the daemon's: no signal mask, no descriptors, its own process group.
int spawn(pid_t& child, const std::string& path, const std::vector<std::string>& arguments,
          int input, int output) {
  std::vector<char*> words{const_cast<char*>(path.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::string search = "PATH=" + variable("PATH");
  std::string home = "HOME=" + variable("HOME");
  char* surroundings[] = {search.data(), home.data(), nullptr};
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  const int refused =
      posix_spawn(&child, path.c_str(), &files, &attributes, words.data(), surroundings);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return refused;
}

}  // namespace

Result<std::string> find_program(const std::string& name) {
  const auto missing = [&] {
    return unavailable("the program " + name + " is not installed", kCure);
  };
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return name;
    return missing();
  }
  const std::string path = variable("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    std::string file = path.substr(begin, end - begin) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return missing();
}

Result<Program> Program::start(const std::string& path, const std::vector<std::string>& arguments,
                               const std::string& input) {
  int ends[2] = {-1, -1};
  const Descriptor text(file_of(input));
  if (text.get() < 0 || ::pipe2(ends, O_CLOEXEC) != 0) {
    return Error{Code::ResourceExhausted, "there are no descriptors left to run a program", {}};
  }
  Descriptor output(ends[0]);
  const Descriptor theirs(ends[1]);
  pid_t child = -1;
  if (const int refused = spawn(child, path, arguments, text.get(), theirs.get()); refused != 0) {
    return unavailable("cannot run " + path + ": " + std::strerror(refused), kCure);
  }
  return Program(child, output.take());
}

Program::~Program() {
  if (output_ >= 0) ::close(output_);
  if (child_ <= 0) return;
  ::kill(-child_, SIGKILL);
  wait();
}

Result<std::size_t> Program::read(char* bytes, std::size_t size, std::chrono::milliseconds limit) {
  while (true) {
    pollfd waiting{output_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(limit.count()));
    if (ready == 0) return Error{Code::DeadlineExceeded, "the program says nothing", {}};
    const ssize_t count = ready < 0 ? -1 : ::read(output_, bytes, size);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN) return internal_error("its output cannot be read");
  }
}

int Program::wait() {
  int status = 0;
  const pid_t child = std::exchange(child_, -1);
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace gantry::tts_espeak
