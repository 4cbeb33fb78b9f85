// SPDX-License-Identifier: Apache-2.0
#include <gantry/tools/program.hpp>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace gantry::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestComplaint = 4096;
constexpr int kPiecesAtOnce = 16;

/// A file in memory that begins with the bytes.
UniqueFd file_of(std::span<const std::uint8_t> bytes) {
  UniqueFd fd(::memfd_create("gantry-input", MFD_CLOEXEC));
  while (fd && !bytes.empty()) {
    const ssize_t written = ::write(fd.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return {};
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  if (fd) ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

struct Pipe {
  UniqueFd ours;
  UniqueFd theirs;
};

Result<Pipe> make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return Error{Code::ResourceExhausted, "there are no descriptors left to run a program", {}};
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

/// `complaints` below 0: nobody hears them.
int spawn(pid_t& child, const ProgramStart& what, int input, int output, int complaints) {
  const std::vector<char*> words = pointers_to(what.command);
  const std::vector<char*> surroundings = pointers_to(what.environment);
  posix_spawn_file_actions_t files{};
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  if (complaints >= 0) {
    posix_spawn_file_actions_adddup2(&files, complaints, STDERR_FILENO);
  } else {
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  const int refused =
      posix_spawn(&child, words.front(), &files, &attributes, words.data(), surroundings.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return refused;
}

}  // namespace

std::string variable_of(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return std::string(name) + "=" + (value == nullptr ? "" : value);
}

Result<std::string> find_program(const std::string& name, std::string_view package) {
  const auto missing = [&] {
    return unavailable("the program " + name + " is not installed",
                       "apt-get install " + std::string(package));
  };
  if (name.find('/') != std::string::npos) {
    if (::access(name.c_str(), X_OK) == 0) return name;
    return missing();
  }
  const std::string path = variable_of("PATH").substr(sizeof "PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    std::string file = path.substr(begin, end - begin) + "/" + name;
    if (::access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return missing();
}

Result<Program> Program::start(const ProgramStart& what, std::span<const std::uint8_t> input) {
  const UniqueFd file = file_of(input);
  if (!file) return Error{Code::ResourceExhausted, "there is no memory left to run a program", {}};
  GANTRY_ASSIGN(Pipe output, make_pipe());
  Pipe complaints;
  if (what.complaints) {
    GANTRY_ASSIGN(complaints, make_pipe());
    ::fcntl(complaints.ours.get(), F_SETFL, O_NONBLOCK);
  }
  pid_t child = -1;
  const int refused = spawn(child, what, file.get(), output.theirs.get(), complaints.theirs.get());
  if (refused != 0) {
    return unavailable("cannot run " + what.command.front() + ": " + std::strerror(refused));
  }
  return Program(child, std::move(output.ours), std::move(complaints.ours));
}

Program::~Program() {
  output_.reset();
  if (child_ <= 0) return;
  ::kill(-child_, SIGKILL);
  (void)wait();
}

/// What is there, but not for ever: some write faster than this reads. More than is kept is read
/// and forgotten, so that the program does not wait.
bool Program::hear_complaint() {
  std::array<char, 4096> piece{};
  for (int i = 0; complaints_ && i < kPiecesAtOnce; ++i) {
    const ssize_t got = ::read(complaints_.get(), piece.data(), piece.size());
    if (got < 0) return false;
    // Its end: poll() would tell of it again and again.
    if (got == 0) complaints_.reset();
    const std::size_t room = kLongestComplaint - std::min(kLongestComplaint, complaint_.size());
    complaint_.append(piece.data(), std::min(room, static_cast<std::size_t>(got)));
  }
  return static_cast<bool>(complaints_);
}

Result<std::size_t> Program::read(char* bytes, std::size_t size, std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  while (true) {
    pollfd waiting[2] = {{output_.get(), POLLIN, 0}, {complaints_.get(), POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    const int ready =
        ::poll(waiting, 2, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000)));
    if (left <= 0 && (ready <= 0 || waiting[0].revents == 0)) {
      return Error{Code::DeadlineExceeded, "the program says nothing", {}};
    }
    if (ready <= 0) continue;
    if (waiting[1].revents != 0) hear_complaint();
    if (waiting[0].revents == 0) continue;
    const ssize_t count = ::read(output_.get(), bytes, size);
    while (count == 0 && hear_complaint() && Clock::now() < until) continue;
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN) return internal_error("its output cannot be read");
  }
}

int Program::wait(std::chrono::milliseconds limit) {
  int status = 0;
  const pid_t child = std::exchange(child_, -1);
  const UniqueFd end(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  pollfd waiting{end.get(), POLLIN, 0};
  const auto most = std::clamp<std::int64_t>(limit.count(), 0, 600'000);
  // Without a descriptor of it nothing tells of its end in time.
  if (!end || ::poll(&waiting, 1, static_cast<int>(most)) <= 0) ::kill(-child, SIGKILL);
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Result<ProgramEnd> run_program(ProgramStart what, std::span<const std::uint8_t> input,
                               std::size_t most, std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  what.complaints = true;
  GANTRY_ASSIGN(Program program, Program::start(what, input));
  ProgramEnd out;
  std::vector<char> piece(64U << 10U);
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) {
      return Error{Code::DeadlineExceeded, "the program takes too long", {}};
    }
    GANTRY_ASSIGN(const std::size_t got, program.read(piece.data(), piece.size(), left));
    if (got == 0) break;
    out.output.append(piece.data(), got);
    if (out.output.size() <= most) continue;
    out.output.resize(most);
    out.cut = true;
    return out;
  }
  out.code = program.wait(std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()));
  out.complaint = program.complaint();
  return out;
}

}  // namespace gantry::tools
