// SPDX-License-Identifier: Apache-2.0
#include "process_loop.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <map>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "pidfd.hpp"

namespace gantry::shell {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kChunk = 64U << 10U;
constexpr int kChunksAtOnce = 4;  // then it is another command's turn
constexpr std::size_t kLongestStatus = 4096;
constexpr auto kKillLimit = std::chrono::seconds(5);

/// What an event of the epoll belongs to: the command's id and which of its descriptors.
enum class Source : std::uint64_t { Wake, Output, Input, Status, Exit, Namespace };
constexpr std::uint64_t kSources = 8;

std::uint64_t tag(std::uint64_t id, Source source) {
  return id * kSources + static_cast<std::uint64_t>(source);
}

/// The number after `"name": ` in what bubblewrap writes to its status descriptor.
std::optional<int> status_number(std::string_view text, std::string_view name) {
  const std::string key = "\"" + std::string(name) + "\":";
  auto at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  at = text.find_first_not_of(' ', at + key.size());
  if (at == std::string_view::npos) return std::nullopt;
  int out = 0;
  const char* const last = text.data() + text.size();
  const auto [end, problem] = std::from_chars(text.data() + at, last, out);
  // The number may go on in what has not been read yet.
  if (problem != std::errc() || end == last) return std::nullopt;
  return out;
}

struct Command {
  Child child;
  bool sandboxed = false;
  std::string status;  // what bubblewrap has told
  pid_t inner = -1;    // first process of the sandbox: its end is the end of all of them
  UniqueFd inner_pidfd;
  std::optional<int> pending;  // a signal that waits for `inner` to be known
  bool killed = false;
  std::optional<Exit> exit;
  std::string input;
  bool input_ends = false;
  std::shared_ptr<Process> process;
  std::function<void()> ended;
};

}  // namespace

// ---- Process --------------------------------------------------------------------------------

OutputText Process::text() const {
  const std::lock_guard lock(mutex_);
  return log_.text();
}
OutputText Process::take() {
  const std::lock_guard lock(mutex_);
  taken_ = unread_.total();
  return unread_.take(!end_.has_value());
}
std::uint64_t Process::total() const {
  const std::lock_guard lock(mutex_);
  return log_.total();
}
bool Process::has_begun() const {
  const std::lock_guard lock(mutex_);
  return begun_;
}
void Process::begin() {
  const std::lock_guard lock(mutex_);
  begun_ = true;
}
bool Process::has_new() const {
  const std::lock_guard lock(mutex_);
  return unread_.total() > taken_;
}
std::optional<Result<Exit>> Process::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}
void Process::append(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  log_.append(bytes);
  unread_.append(bytes);
}
void Process::finish(Result<Exit> end) {
  const std::lock_guard lock(mutex_);
  end_ = std::move(end);
}

// ---- the loop ---------------------------------------------------------------------------------

class ProcessLoop::Impl {
 public:
  Impl() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    watch(wake_.get(), tag(0, Source::Wake), EPOLLIN);
  }

  /// Hands `work` to the loop's thread, which is started by the first. False: it is stopped.
  bool post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    work_.push_back(std::move(work));
    wake();
    return true;
  }

  void stop(std::chrono::milliseconds grace) {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(stopped_, true)) return;
      grace_ = grace;
      wake();
    }
    if (thread_.joinable()) thread_.join();
  }

  void start(Id id, const SpawnPlan& plan, std::shared_ptr<Process> process,
             std::function<void()> ended);
  void write(Id id, const std::string& bytes, bool last,
             const std::function<void(Result<void>)>& done);
  void signal(Id id, int number);
  Id next_id() { return ++last_id_; }

 private:
  using Commands = std::map<Id, Command>;

  void wake() const {
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
  }
  void watch(int fd, std::uint64_t which, std::uint32_t events) const {
    epoll_event event{};
    event.events = events;
    event.data.u64 = which;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
  }
  void run();
  bool take_work();
  void handle(std::uint64_t which);
  void read_output(Command& command) const;
  void read_status(Id id, Command& command);
  void flush_input(Command& command) const;
  static void send_signal(Command& command, int number);
  void see_exit(Id id, Command& command);
  void finish(Commands::iterator at);
  void end_all(std::chrono::milliseconds grace);
  void wait_for_ends(Clock::time_point limit);
  static Result<Exit> end_of(const Command& command);

  UniqueFd epoll_;
  UniqueFd wake_;
  std::atomic<Id> last_id_{0};
  std::mutex mutex_;  // of the three below
  std::vector<std::function<void()>> work_;
  bool stopped_ = false;
  std::chrono::milliseconds grace_{0};
  std::thread thread_;
  Commands commands_;  // the loop's thread only
};

bool ProcessLoop::Impl::take_work() {
  std::uint64_t count = 0;
  (void)!::read(wake_.get(), &count, sizeof count);
  std::vector<std::function<void()>> work;
  bool go_on = true;
  {
    const std::lock_guard lock(mutex_);
    work.swap(work_);
    go_on = !stopped_;
  }
  for (const auto& one : work) one();
  return go_on;
}

void ProcessLoop::Impl::run() {
  // Signals are for other threads; and a program that does not read its input is no SIGPIPE here.
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  std::array<epoll_event, 64> events{};
  while (true) {
    const int count =
        ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t which = events[static_cast<std::size_t>(i)].data.u64;
      if (which != tag(0, Source::Wake)) {
        handle(which);
      } else if (!take_work()) {
        return end_all(grace_);
      }
    }
  }
}

void ProcessLoop::Impl::start(Id id, const SpawnPlan& plan, std::shared_ptr<Process> process,
                              std::function<void()> ended) {
  auto child = spawn(plan);
  if (!child.ok()) {
    process->finish(std::move(child).error());
    return ended();
  }
  Command& command = commands_[id];
  command.child = std::move(*child);
  command.sandboxed = plan.wants_status;
  command.process = std::move(process);
  command.ended = std::move(ended);
  watch(command.child.output.get(), tag(id, Source::Output), EPOLLIN);
  watch(command.child.pidfd.get(), tag(id, Source::Exit), EPOLLIN);
  if (!command.sandboxed) command.process->begin();
  if (command.child.status) watch(command.child.status.get(), tag(id, Source::Status), EPOLLIN);
}

void ProcessLoop::Impl::handle(std::uint64_t which) {
  const auto at = commands_.find(which / kSources);
  if (at == commands_.end()) return;
  Command& command = at->second;
  switch (static_cast<Source>(which % kSources)) {
    case Source::Wake: break;
    case Source::Output: read_output(command); break;
    case Source::Input: flush_input(command); break;
    case Source::Status: read_status(at->first, command); break;
    case Source::Exit: see_exit(at->first, command); break;
    case Source::Namespace: return finish(at);
  }
  if (command.exit && !command.inner_pidfd) finish(at);
}

void ProcessLoop::Impl::read_output(Command& command) const {
  std::array<char, kChunk> chunk{};
  for (int i = 0; i < kChunksAtOnce && command.child.output; ++i) {
    const ssize_t got = ::read(command.child.output.get(), chunk.data(), chunk.size());
    if (got > 0) {
      command.process->append({chunk.data(), static_cast<std::size_t>(got)});
    } else if (got == 0) {
      command.child.output.reset();
    } else if (errno != EINTR) {
      return;
    }
  }
}

void ProcessLoop::Impl::read_status(Id id, Command& command) {
  std::array<char, 512> chunk{};
  while (command.child.status) {
    const ssize_t got = ::read(command.child.status.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    if (got == 0 || command.status.size() > kLongestStatus) {
      command.child.status.reset();
      break;
    }
    command.status.append(chunk.data(), static_cast<std::size_t>(got));
  }
  const auto inner = status_number(command.status, "child-pid");
  if (!inner || command.inner > 0) return;
  command.inner = *inner;
  command.process->begin();
  command.inner_pidfd = open_pidfd(command.inner);
  if (!command.inner_pidfd) return;  // it has gone already
  watch(command.inner_pidfd.get(), tag(id, Source::Namespace), 0);
  if (command.pending) send_signal(command, *std::exchange(command.pending, std::nullopt));
}

void ProcessLoop::Impl::flush_input(Command& command) const {
  while (command.child.input && !command.input.empty()) {
    const ssize_t sent =
        ::write(command.child.input.get(), command.input.data(), command.input.size());
    if (sent > 0) {
      command.input.erase(0, static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      command.input.clear();
      command.child.input.reset();  // nobody reads it any more
    }
  }
  if (command.input_ends) command.child.input.reset();
}

void ProcessLoop::Impl::write(Id id, const std::string& bytes, bool last,
                              const std::function<void(Result<void>)>& done) {
  const auto at = commands_.find(id);
  if (at == commands_.end() || !at->second.child.input || at->second.input_ends) {
    return done(failed_precondition("the standard input of this process is closed"));
  }
  Command& command = at->second;
  if (command.input.size() + bytes.size() > kInputLimit) {
    return done(Error{Code::ResourceExhausted,
                      std::to_string(command.input.size()) +
                          " bytes wait to be read by the process; write less, or later",
                      {}});
  }
  const bool waits = !command.input.empty();
  command.input += bytes;
  command.input_ends = last;
  flush_input(command);
  if (!waits && !command.input.empty()) {
    // Once is enough: edges tell of every time that there is room again.
    watch(command.child.input.get(), tag(id, Source::Input), EPOLLOUT | EPOLLET);
  }
  if (!command.child.input && !command.input_ends) {
    return done(failed_precondition("the process does not read its standard input any more"));
  }
  done({});
}

void ProcessLoop::Impl::send_signal(Command& command, int number) {
  if (number == SIGKILL) command.killed = true;
  if (!command.sandboxed) {
    ::kill(-command.child.pid, number);
  } else if (command.inner <= 0) {
    // A sandbox that is being made cannot be ended yet without leaving its inside behind.
    if (!command.pending || number == SIGKILL) command.pending = number;
  } else if (number == SIGKILL) {
    signal_pidfd(command.inner_pidfd, SIGKILL);
  } else {
    ::kill(-command.inner, number);  // the first process itself ignores it
  }
}

void ProcessLoop::Impl::signal(Id id, int number) {
  const auto at = commands_.find(id);
  if (at != commands_.end() && !at->second.exit) send_signal(at->second, number);
}

/// The program has ended. What it started is ended with it before it is reaped: until then its
/// process group cannot be another's.
void ProcessLoop::Impl::see_exit(Id id, Command& command) {
  siginfo_t info{};
  const auto pidfd = static_cast<id_t>(command.child.pidfd.get());
  if (::waitid(P_PIDFD, pidfd, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
  if (command.sandboxed) read_status(id, command);
  ::kill(-command.child.pid, SIGKILL);
  if (command.inner_pidfd) {
    signal_pidfd(command.inner_pidfd, SIGKILL);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = tag(id, Source::Namespace);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, command.inner_pidfd.get(), &event);
  }
  ::waitid(P_PIDFD, pidfd, &info, WEXITED);
  command.child.pidfd.reset();
  command.exit = info.si_code == CLD_EXITED ? Exit{info.si_status, 0} : Exit{0, info.si_status};
}

Result<Exit> ProcessLoop::Impl::end_of(const Command& command) {
  if (!command.sandboxed || command.killed) return *command.exit;
  if (const auto code = status_number(command.status, "exit-code")) return Exit{*code, 0};
  // bubblewrap has written why to standard error.
  std::string reason = command.process->text().text;
  if (const auto line = reason.find('\n'); line != std::string::npos) reason.resize(line);
  return unavailable("the sandbox could not be made: " + reason,
                     "allow unprivileged user namespaces (sysctl user.max_user_namespaces and "
                     "kernel.unprivileged_userns_clone), or set tools_shell.sandbox to none, which "
                     "gives commands all that the daemon's user may do");
}

void ProcessLoop::Impl::finish(Commands::iterator at) {
  Command& command = at->second;
  if (!command.exit) return;
  // All that it wrote is in the pipe by now; what outlives it may go on writing for ever.
  const int room = command.child.output ? ::fcntl(command.child.output.get(), F_GETPIPE_SZ) : 0;
  const std::uint64_t most =
      command.process->total() + static_cast<std::uint64_t>(std::max(room, 0));
  while (command.child.output && command.process->total() <= most) {
    const std::uint64_t before = command.process->total();
    read_output(command);
    if (command.process->total() == before) break;
  }
  command.process->finish(end_of(command));
  const auto ended = std::move(command.ended);
  commands_.erase(at);
  ended();
}

void ProcessLoop::Impl::wait_for_ends(Clock::time_point limit) {
  std::array<epoll_event, 64> events{};
  while (!commands_.empty() && Clock::now() < limit) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now());
    const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(left.count()));
    for (int i = 0; i < count; ++i) {
      const std::uint64_t which = events[static_cast<std::size_t>(i)].data.u64;
      if (which != tag(0, Source::Wake)) handle(which);
    }
  }
}

void ProcessLoop::Impl::end_all(std::chrono::milliseconds grace) {
  for (auto& [id, command] : commands_) {
    command.ended = [] {};  // nobody is there to hear it
    if (!command.exit) send_signal(command, SIGTERM);
  }
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, wake_.get(), nullptr);  // nothing more is taken
  wait_for_ends(Clock::now() + grace);
  for (auto& [id, command] : commands_) {
    if (!command.exit) send_signal(command, SIGKILL);
  }
  wait_for_ends(Clock::now() + kKillLimit);
}

ProcessLoop::ProcessLoop() : impl_(std::make_unique<Impl>()) {}
ProcessLoop::~ProcessLoop() { stop(std::chrono::milliseconds(0)); }

ProcessLoop::Id ProcessLoop::start(SpawnPlan plan, std::shared_ptr<Process> process,
                                   std::function<void()> ended) {
  const Id id = impl_->next_id();
  auto shared = std::make_shared<SpawnPlan>(std::move(plan));
  (void)impl_->post([impl = impl_.get(), id, shared, process = std::move(process),
                     ended = std::move(ended)]() mutable {
    impl->start(id, *shared, std::move(process), std::move(ended));
  });
  return id;
}

void ProcessLoop::write(Id id, std::string bytes, bool last,
                        std::function<void(Result<void>)> done) {
  (void)impl_->post([impl = impl_.get(), id, bytes = std::move(bytes), last,
                     done = std::move(done)] { impl->write(id, bytes, last, done); });
}

void ProcessLoop::signal(Id id, int number) {
  (void)impl_->post([impl = impl_.get(), id, number] { impl->signal(id, number); });
}

void ProcessLoop::stop(std::chrono::milliseconds grace) { impl_->stop(grace); }

}  // namespace gantry::shell
