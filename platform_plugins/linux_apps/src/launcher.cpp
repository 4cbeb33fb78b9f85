// SPDX-License-Identifier: Apache-2.0
#include "launcher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <system_error>
#include <utility>

namespace gantry::apps {
namespace {

std::string reason(int number) { return std::generic_category().message(number); }

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// What posix_spawn() is to do besides; freed when it goes.
struct SpawnSetup {
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t files{};

  explicit SpawnSetup(const std::string& folder) {
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(
        &attributes,
        static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawn_file_actions_addchdir_np(&files, folder.c_str());
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
};

AppEndedEvent end_of(std::int64_t pid, const siginfo_t& info) {
  AppEndedEvent event;
  event.pid = pid;
  if (info.si_code == CLD_EXITED) {
    event.exit_code = info.si_status;
  } else {
    event.signal = info.si_status;
  }
  return event;
}

}  // namespace

Result<LaunchedApp> Launcher::launch(const Command& command) {
  std::vector<std::string> words{command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> variables = command.environment.variables();
  SpawnSetup setup(command.folder);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, command.program.c_str(), &setup.files, &setup.attributes,
                                 pointers(words).data(), pointers(variables).data());
  if (failed != 0) {
    return unavailable("'" + command.program + "' could not be started: " + reason(failed));
  }
  GANTRY_TRY(watch(pid));
  return LaunchedApp{pid, command.program, command.arguments};
}

Result<void> Launcher::watch(std::int64_t pid) {
  const std::lock_guard lock(mutex_);
  if (wake_ < 0) wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0));
  if (wake_ < 0 || handle < 0) {
    return unavailable("it was started, but its end cannot be watched: " + reason(errno));
  }
  children_.push_back({pid, handle});
  if (thread_.joinable()) {
    (void)eventfd_write(wake_, 1);
  } else {
    thread_ = std::thread([this] { wait_for_ends(); });
  }
  return {};
}

std::vector<Launcher::Child> Launcher::children() {
  const std::lock_guard lock(mutex_);
  return children_;
}

void Launcher::forget(const Child& child) {
  const std::lock_guard lock(mutex_);
  std::erase_if(children_, [&](const Child& one) { return one.handle == child.handle; });
  close(child.handle);  // from here on the number may be another child's
}

void Launcher::wait_for_ends() {
  for (;;) {
    const std::vector<Child> now = children();
    std::vector<pollfd> waiting{{wake_, POLLIN, 0}};
    for (const Child& child : now) waiting.push_back({child.handle, POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), -1) < 0) continue;  // a signal
    eventfd_t count = 0;
    (void)eventfd_read(wake_, &count);
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (waiting[i + 1].revents == 0) continue;
      siginfo_t info{};
      const bool known = waitid(P_PIDFD, static_cast<id_t>(now[i].handle), &info, WEXITED) == 0;
      forget(now[i]);
      if (known) ended_(end_of(now[i].pid, info));
    }
  }
}

void Launcher::stop() {
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    thread = std::move(thread_);
    if (wake_ >= 0) (void)eventfd_write(wake_, 1);
  }
  if (thread.joinable()) thread.join();
  for (const Child& child : children()) forget(child);
  if (wake_ >= 0) close(std::exchange(wake_, -1));
}

}  // namespace gantry::apps
