// SPDX-License-Identifier: Apache-2.0
#pragma once
// Waiting for processes by what the kernel says of them.

#include <poll.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <gantry/testkit/eventually.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "pidfd.hpp"
#include "process_loop.hpp"

namespace gantry::shell::testing {

using testkit::eventually;

constexpr auto kLimit = std::chrono::seconds(20);

/// Whether a process ends (or has ended).
inline bool goes_away(pid_t pid) {
  const UniqueFd pidfd = open_pidfd(pid);
  if (!pidfd) return true;
  pollfd waiting{pidfd.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 20'000) == 1;
}

/// How many processes that are not dead have this in their command line.
inline int processes_with(const std::string& words) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::string line;
    // By a function that takes it when a process of somebody else goes while it is read.
    std::getline(file, line, '\x01');
    for (char& c : line) c = c == '\0' ? ' ' : c;
    if (line.find(words) != std::string::npos) ++count;
  }
  return count;
}

/// A command on a loop, and its end.
struct Started {
  std::shared_ptr<Process> process;
  ProcessLoop::Id id = 0;
  std::future<void> ended;

  Started(ProcessLoop& loop, SpawnPlan plan, std::size_t output_limit = 65536)
      : process(std::make_shared<Process>(output_limit)) {
    auto told = std::make_shared<std::promise<void>>();
    ended = told->get_future();
    id = loop.start(std::move(plan), process, [told] { told->set_value(); });
  }
  Result<Exit> end() {
    REQUIRE(ended.wait_for(kLimit) == std::future_status::ready);
    return process->end().value();
  }
  std::string text() { return process->text().text; }
};

}  // namespace gantry::shell::testing
