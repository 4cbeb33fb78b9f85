// SPDX-License-Identifier: Apache-2.0
#include "spawn.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "pidfd.hpp"

namespace gantry::shell {
namespace {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Error system_failure(const char* what) {
  const int number = errno;
  const Code code = number == EMFILE || number == ENFILE || number == EAGAIN || number == ENOMEM
                        ? Code::ResourceExhausted
                        : Code::Internal;
  return {code, std::string(what) + " failed: " + std::generic_category().message(number), {}};
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_failure("making a pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

/// All that the child needs, ready before the fork: it must not allocate.
struct Prepared {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int folder;
  std::array<int, 32> descriptors;  // by the number that they get; -1: closed
  int count;
  int failure;  // where the number of an error goes
  pid_t parent;
};

/// Async-signal-safe. Moves everything out of the way first, so that no target is still a source.
bool arrange_descriptors(Prepared& p) {
  for (int target = 0; target < p.count; ++target) {
    int& source = p.descriptors[static_cast<std::size_t>(target)];
    if (source >= 0) source = ::fcntl(source, F_DUPFD, 64);
    if (source == -1 && target <= 2) return false;
  }
  p.failure = ::fcntl(p.failure, F_DUPFD_CLOEXEC, 64);
  if (p.folder >= 0) p.folder = ::fcntl(p.folder, F_DUPFD_CLOEXEC, 64);
  for (int target = 0; target < p.count; ++target) {
    const int source = p.descriptors[static_cast<std::size_t>(target)];
    if (source < 0) {
      ::close(target);
    } else if (::dup2(source, target) < 0) {
      return false;
    }
  }
  // What is left of the daemon's goes with the exec; the way to tell of a failure is among it.
  ::close_range(static_cast<unsigned>(p.count), ~0U, CLOSE_RANGE_CLOEXEC);
  return true;
}

/// Async-signal-safe. Ends the process when something fails.
[[noreturn]] void become(Prepared p) {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != p.parent) ::_exit(127);  // the daemon went before it could be told
  if (arrange_descriptors(p) && (p.folder < 0 || ::fchdir(p.folder) == 0)) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(p.program, p.arguments, p.environment);
  }
  const int number = errno;
  (void)!::write(p.failure, &number, sizeof number);
  ::_exit(127);
}

pid_t fork_quietly(const Prepared& prepared) {
  // No handler of the daemon may run in the child.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) become(prepared);
  const int number = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = number;
  return pid;
}

/// What went wrong in the child before its exec; 0: nothing.
int read_failure(int fd) {
  int number = 0;
  ssize_t got = 0;
  do {
    got = ::read(fd, &number, sizeof number);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof number) ? number : 0;
}

void do_not_block(const UniqueFd& fd) {
  if (fd) ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

Result<Child> spawn(const SpawnPlan& plan) {
  Pipe in;
  Pipe status;
  if (plan.wants_input) {
    GANTRY_ASSIGN(in, make_pipe());
  } else {
    in.read.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!in.read) return system_failure("opening /dev/null");
  }
  if (plan.wants_status) {
    GANTRY_ASSIGN(status, make_pipe());
  }
  GANTRY_ASSIGN(Pipe out, make_pipe());
  GANTRY_ASSIGN(Pipe failure, make_pipe());
  const std::vector<char*> arguments = pointers(plan.arguments);
  const std::vector<char*> environment = pointers(plan.environment);
  Prepared p{};
  p.program = plan.program.c_str();
  p.arguments = arguments.data();
  p.environment = environment.data();
  p.folder = plan.folder.get();
  p.descriptors.fill(-1);
  p.descriptors[0] = in.read.get();
  p.descriptors[1] = p.descriptors[2] = out.write.get();
  p.descriptors[kStatusFd] = status.write.get();
  p.count = kFirstExtra;
  for (const UniqueFd& fd : plan.extra) {
    if (static_cast<std::size_t>(p.count) == p.descriptors.size()) {
      return Error{Code::ResourceExhausted, "more folders than a command can be given", {}};
    }
    p.descriptors[static_cast<std::size_t>(p.count++)] = fd.get();
  }
  p.failure = failure.write.get();
  p.parent = ::getpid();
  const pid_t pid = fork_quietly(p);
  if (pid < 0) return system_failure("starting a process");
  failure.write.reset();
  if (const int number = read_failure(failure.read.get()); number != 0) {
    ::waitpid(pid, nullptr, 0);
    errno = number;
    if (number == ENOENT || number == EACCES || number == ENOTDIR) {
      return not_found("the program " + plan.program +
                       " cannot be run: " + std::generic_category().message(number));
    }
    return system_failure("running a program");
  }
  Child child;
  child.pid = pid;
  child.pidfd = open_pidfd(pid);
  if (!child.pidfd) {
    const Error error = system_failure("watching a process");
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return error;
  }
  child.input = std::move(in.write);
  child.output = std::move(out.read);
  child.status = std::move(status.read);
  do_not_block(child.input);
  do_not_block(child.output);
  do_not_block(child.status);
  return child;
}

}  // namespace gantry::shell
