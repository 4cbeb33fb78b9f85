// SPDX-License-Identifier: Apache-2.0
// Processes that are started: what they are given, and that their end is heard.
#include <catch2/catch.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <fstream>
#include <iterator>
#include <mutex>

#include "launcher.hpp"

using namespace gantry;
using namespace gantry::apps;

namespace {

/// Ends as they are heard; wait() gives the next one.
class Ends {
 public:
  void add(const AppEndedEvent& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
    come_.notify_one();
  }
  AppEndedEvent wait() {
    std::unique_lock lock(mutex_);
    REQUIRE(come_.wait_for(lock, std::chrono::seconds(30), [&] { return !events_.empty(); }));
    AppEndedEvent event = events_.front();
    events_.erase(events_.begin());
    return event;
  }

 private:
  std::mutex mutex_;
  std::condition_variable come_;
  std::vector<AppEndedEvent> events_;
};

struct Started {
  Ends ends;
  testkit::TempDir folder;
  Launcher launcher{[this](const AppEndedEvent& event) { ends.add(event); }};

  Result<LaunchedApp> run(const std::string& script) {
    return launcher.launch({"/bin/sh",
                            {"-c", script},
                            folder.path().string(),
                            Environment({"PATH=/usr/bin:/bin", "GREETING=hello"})});
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    std::ifstream in(folder.path() / name);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
};

}  // namespace

TEST_CASE("the end of a process is heard, with how it ended") {
  Started started;
  const auto failing = started.run("exit 3");
  REQUIRE(failing.ok());
  const AppEndedEvent failed = started.ends.wait();
  CHECK(failed.pid == failing->pid);
  CHECK(failed.exit_code == 3);
  const auto killed = started.run("kill -KILL $$");
  REQUIRE(killed.ok());
  const AppEndedEvent end = started.ends.wait();
  CHECK(end.pid == killed->pid);
  CHECK_FALSE(end.exit_code);
  CHECK(end.signal == SIGKILL);
}

TEST_CASE("it has a session, an environment and a folder of its own, and no file of ours") {
  Started started;
  int pipe_ends[2];
  REQUIRE(pipe(pipe_ends) == 0);  // inherited unless somebody closes it
  const auto launched = started.run(
      "env > variables; ls /proc/$$/fd > files; cut -d' ' -f6 /proc/$$/stat > session; "
      "grep SigBlk /proc/self/status > blocked; readlink /proc/$$/fd/0 > input");
  REQUIRE(launched.ok());
  CHECK(started.ends.wait().exit_code == 0);
  CHECK(started.file("session") == std::to_string(launched->pid) + "\n");
  CHECK(started.file("variables").find("GREETING=hello\n") != std::string::npos);
  CHECK(started.file("variables").find("HOME=") == std::string::npos);
  const std::string open = "\n" + started.file("files");
  for (const int end : pipe_ends) {
    CHECK(open.find("\n" + std::to_string(end) + "\n") == std::string::npos);
    close(end);
  }
  CHECK(started.file("blocked").find("0000000000000000") != std::string::npos);
  CHECK(started.file("input") == "/dev/null\n");
}

TEST_CASE("what cannot run says so") {
  Started started;
  const auto launched = started.launcher.launch(
      {"/no/such/program", {}, started.folder.path().string(), Environment({})});
  REQUIRE_FALSE(launched.ok());
  CHECK(launched.error().code == Code::Unavailable);
}

TEST_CASE("stopping leaves what was started alone") {
  Started started;
  const auto launched = started.run("exec sleep 60");
  REQUIRE(launched.ok());
  started.launcher.stop();
  const auto pid = static_cast<pid_t>(launched->pid);
  CHECK(kill(pid, 0) == 0);
  kill(pid, SIGKILL);
}
