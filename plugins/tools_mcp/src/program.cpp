// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace gantry::tools_mcp {
namespace {

constexpr std::size_t kLongestComplaint = 2000;
constexpr std::chrono::milliseconds kLastWords{500};

Error failure(const std::string& what, int number) {
  const bool missing = number == ENOENT || number == EACCES || number == ENOTDIR;
  const bool full = number == EMFILE || number == ENFILE || number == EAGAIN || number == ENOMEM;
  return {missing ? Code::NotFound
          : full  ? Code::ResourceExhausted
                  : Code::Internal,
          what + ": " + std::generic_category().message(number),
          {}};
}

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failure("no pipe could be made", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

/// The attributes and actions of posix_spawn, which want to be given back.
struct SpawnSetup {
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};
  SpawnSetup() {
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_init(&actions);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
};

std::string words_of(const siginfo_t& how) {
  if (how.si_code == CLD_EXITED) return "it ended with exit code " + std::to_string(how.si_status);
  return "it was ended by signal " + std::to_string(how.si_status);
}

}  // namespace

Result<std::shared_ptr<Program>> Program::start(const ProgramPlan& plan, ProgramEvents events) {
  std::shared_ptr<Program> program(new Program(plan, std::move(events)));
  GANTRY_ASSIGN(Pipe in, make_pipe());
  GANTRY_ASSIGN(Pipe out, make_pipe());
  GANTRY_ASSIGN(Pipe complaints, make_pipe());
  program->stop_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!program->stop_) return failure("no event descriptor could be made", errno);
  SpawnSetup setup;
  ::posix_spawn_file_actions_adddup2(&setup.actions, in.read.get(), 0);
  ::posix_spawn_file_actions_adddup2(&setup.actions, out.write.get(), 1);
  ::posix_spawn_file_actions_adddup2(&setup.actions, complaints.write.get(), 2);
  ::posix_spawn_file_actions_addclosefrom_np(&setup.actions, 3);
  if (!plan.directory.empty()) {
    ::posix_spawn_file_actions_addchdir_np(&setup.actions, plan.directory.c_str());
  }
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&setup.attributes, &none);  // the daemon's threads block some
  ::posix_spawnattr_setsigdefault(&setup.attributes, &all);
  ::posix_spawnattr_setflags(&setup.attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  std::vector<std::string> words{plan.command};
  words.insert(words.end(), plan.arguments.begin(), plan.arguments.end());
  std::vector<std::string> variables = plan.environment;
  const int problem =
      ::posix_spawnp(&program->pid_, plan.command.c_str(), &setup.actions, &setup.attributes,
                     pointers(words).data(), pointers(variables).data());
  if (problem != 0) return failure(plan.command + " cannot be run", problem);
  // glibc 2.36 declares pidfd_open without C linkage.
  program->pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, program->pid_, 0)));
  const int unwatched = errno;
  program->input_ = std::move(in.write);
  program->output_ = std::move(out.read);
  program->complaints_ = std::move(complaints.read);
  for (const UniqueFd* fd : {&program->input_, &program->output_, &program->complaints_}) {
    ::fcntl(fd->get(), F_SETFL, ::fcntl(fd->get(), F_GETFL) | O_NONBLOCK);
  }
  mcp::LinePipe::Limits limits;
  limits.line = plan.longest_line;
  limits.parent = false;
  Program* const self = program.get();
  program->pipe_ = std::make_unique<mcp::LinePipe>(
      program->output_.get(), program->input_.get(), limits,
      mcp::LinePipe::Handlers{[self](std::string line) { self->events_.line(std::move(line)); },
                              [self](const std::string&) { self->end(); }});
  if (!program->pidfd_ || !program->pipe_->start()) {
    program->end_at_once();
    return failure(plan.command + " cannot be watched", program->pidfd_ ? EMFILE : unwatched);
  }
  program->watcher_ = std::thread([self] { self->watch(); });
  return program;
}

Program::~Program() {
  end();
  if (watcher_.joinable()) watcher_.join();
}

void Program::end() {
  const std::uint64_t one = 1;
  if (stop_) (void)!::write(stop_.get(), &one, sizeof one);
}

/// Also what it started: as long as it has not been waited for, the group's number is its own.
siginfo_t Program::end_at_once() {
  ::kill(-pid_, SIGKILL);
  siginfo_t how{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &how, WEXITED) != 0 && errno == EINTR) {
  }
  return how;
}

bool Program::wait_for_end(std::chrono::milliseconds limit) {
  pollfd one{pidfd_.get(), POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&one, 1, static_cast<int>(limit.count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

void Program::watch() {
  while (true) {
    std::array<pollfd, 3> fds{{{stop_.get(), POLLIN, 0},
                               {pidfd_.get(), POLLIN, 0},
                               {complaints_ ? complaints_.get() : -1, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) break;
    if (fds[2].revents != 0) read_complaints();
    if (fds[0].revents != 0) break;
    if (fds[1].revents != 0) {
      // The end of its output comes by itself, unless something that it started holds it open.
      pollfd told{stop_.get(), POLLIN, 0};
      (void)::poll(&told, 1, static_cast<int>(kLastWords.count()));
      break;
    }
  }
  pipe_->stop();  // what it wrote last has been heard, what it was sent last is written
  input_.reset();
  if (!wait_for_end(grace_)) {
    ::kill(-pid_, SIGTERM);
    (void)wait_for_end(grace_);
  }
  const siginfo_t how = end_at_once();
  if (complaints_) read_complaints();
  gone_.store(true, std::memory_order_release);
  events_.ended(words_of(how));
}

void Program::read_complaints() {
  std::array<char, 4096> piece{};
  const ssize_t got = ::read(complaints_.get(), piece.data(), piece.size());
  if (got > 0) return take_complaints({piece.data(), static_cast<std::size_t>(got)});
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  complaints_.reset();
}

void Program::take_complaints(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view piece = text.substr(0, end);
    if (partial_.size() < kLongestComplaint) {
      partial_ += piece.substr(0, kLongestComplaint - partial_.size());
    }
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
    if (!partial_.empty()) events_.complaint(std::exchange(partial_, {}));
  }
}

std::vector<std::string> program_environment(const std::vector<std::string>& pass,
                                             const std::map<std::string, std::string>& set) {
  constexpr std::array<const char*, 11> kUsual{"PATH", "HOME",   "USER",     "LOGNAME",
                                               "LANG", "LC_ALL", "LC_CTYPE", "TZ",
                                               "TERM", "TMPDIR", "SHELL"};
  std::map<std::string, std::string> out;
  const auto take = [&out](const char* name) {
    if (const char* value = std::getenv(name)) out[name] = value;
  };
  for (const char* name : kUsual) take(name);
  for (const std::string& name : pass) take(name.c_str());
  for (const auto& [name, value] : set) out[name] = value;
  std::vector<std::string> lines;
  for (const auto& [name, value] : out) lines.push_back(name + "=" + value);
  return lines;
}

}  // namespace gantry::tools_mcp
