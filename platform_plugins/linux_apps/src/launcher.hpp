// SPDX-License-Identifier: Apache-2.0
#pragma once
// Starts processes that have nothing to do with the daemon any more, and hears when they end. All
// members may be called from any thread; one thread of its own, from the first start on, waits for
// the ends.

#include <gantry/contracts/app.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "catalog.hpp"

namespace gantry::apps {

class Launcher {
 public:
  /// `ended` runs on the launcher's thread.
  explicit Launcher(std::function<void(const AppEndedEvent&)> ended) : ended_(std::move(ended)) {}
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  ~Launcher() { stop(); }

  /// The process leads a session of its own, has no file of the daemon's open, and the signals in
  /// the state in which programs expect them. Errors: unavailable (the system refused).
  [[nodiscard]] Result<LaunchedApp> launch(const Command& command);
  /// Ends the thread; what was started goes on.
  void stop();

 private:
  struct Child {
    std::int64_t pid = 0;
    int handle = -1;  // pidfd
  };
  Result<void> watch(std::int64_t pid);
  void wait_for_ends();
  [[nodiscard]] std::vector<Child> children();
  void forget(const Child& child);

  std::function<void(const AppEndedEvent&)> ended_;
  std::mutex mutex_;
  std::vector<Child> children_;
  std::thread thread_;
  int wake_ = -1;  // eventfd
  bool stopping_ = false;
};

}  // namespace gantry::apps
