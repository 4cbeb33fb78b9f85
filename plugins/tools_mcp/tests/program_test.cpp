// SPDX-License-Identifier: Apache-2.0
// Programs where descriptors are few, and servers that say more than is taken.
#include "program.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <cerrno>
#include <deque>
#include <future>
#include <thread>
#include <vector>

#include "backlog.hpp"

using namespace gantry;
using namespace gantry::tools_mcp;

namespace {

/// Lets this process open so many more descriptors than it has.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t more) {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    int highest = 0;
    for (int fd = 0; fd < 1024; ++fd) {
      if (::fcntl(fd, F_GETFD) >= 0) highest = fd;
    }
    // Gaps below the highest one would count besides.
    for (int fd = ::dup(0); fd >= 0 && fd <= highest; fd = ::dup(0)) fillers_.push_back(fd);
    ::close(highest + 1);
    const rlimit few{static_cast<rlim_t>(highest) + 1 + more, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  }
  ~FewDescriptors() {
    ::setrlimit(RLIMIT_NOFILE, &before_);
    for (const int fd : fillers_) ::close(fd);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
  std::vector<int> fillers_;
};

bool has_children() { return ::waitid(P_ALL, 0, nullptr, WEXITED | WNOHANG | WNOWAIT) == 0; }

}  // namespace

TEST_CASE("a program that cannot be watched for want of descriptors is not left running") {
  constexpr rlim_t kNeeded = 9;  // three pipes, its own, two to wake threads
  for (rlim_t more = 0; more <= kNeeded; ++more) {
    INFO(more << " descriptors");
    std::promise<std::string> heard;
    std::promise<std::string> ended;
    ProgramEvents events;
    events.line = [&](std::string line) { heard.set_value(std::move(line)); };
    events.complaint = [](const std::string&) {};
    events.ended = [&](const std::string& how) { ended.set_value(how); };
    ProgramPlan plan;
    plan.command = "/bin/cat";
    auto program = [&] {
      const FewDescriptors few(more);
      return Program::start(plan, std::move(events));
    }();
    REQUIRE(program.ok() == (more == kNeeded));
    if (!program.ok()) {
      CHECK(program.error().code == Code::ResourceExhausted);
      CHECK_FALSE(has_children());
      continue;
    }
    CHECK((*program)->send("hello"));
    CHECK(heard.get_future().get() == "hello");
    (*program)->end();
    CHECK(ended.get_future().get() == "it ended with exit code 0");
  }
}

TEST_CASE("what a server says waits at the server while nobody takes it") {
  constexpr std::size_t kMessages = 500;
  constexpr std::size_t kBytes = 744;  // and 256 for each
  Backlog backlog(10'000);
  std::mutex mutex;
  std::deque<std::size_t> queue;
  std::thread server([&] {
    for (std::size_t i = 0; i < kMessages; ++i) {
      if (!backlog.put(kBytes)) return;
      const std::lock_guard lock(mutex);
      queue.push_back(i);
    }
  });
  std::size_t most = 0;
  for (std::size_t next = 0; next < kMessages;) {
    std::unique_lock lock(mutex);
    most = std::max(most, queue.size());
    if (queue.empty()) {
      lock.unlock();
      std::this_thread::yield();
      continue;
    }
    CHECK(queue.front() == next++);
    queue.pop_front();
    lock.unlock();
    backlog.took(kBytes);
  }
  server.join();
  CHECK(most <= 10);
}

TEST_CASE("one message may be larger than all that may wait, and nobody waits for ever") {
  Backlog backlog(1000);
  REQUIRE(backlog.put(100'000));
  std::thread server([&] { CHECK_FALSE(backlog.put(1)); });
  backlog.close();
  server.join();
}
