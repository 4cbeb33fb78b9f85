// SPDX-License-Identifier: Apache-2.0
//
// Tells when something changes in folders (inotify). Linux. add() from any thread; `changed` runs
// on the watcher's own thread.
#pragma once

#include <gantry/result.hpp>
#include <gantry/unique_fd.hpp>

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace gantry::skills {

class Watcher {
 public:
  /// Gets the key of each folder in which something has changed.
  using Changed = std::function<void(const std::set<std::string>& keys)>;

  explicit Watcher(Changed changed) : changed_(std::move(changed)) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() { stop(); }

  /// Errors: unavailable (the system has no more watches to give).
  Result<void> start();
  void stop();

  /// Watches a folder, not what lies below its folders. False: it cannot be.
  bool add(const std::string& folder, const std::string& key);
  /// Forgets all folders of a key.
  void remove(const std::string& key);

 private:
  void run();

  Changed changed_;
  UniqueFd inotify_;
  UniqueFd wake_;
  std::thread thread_;
  std::mutex mutex_;
  std::map<int, std::set<std::string>> keys_;  // by watch
};

}  // namespace gantry::skills
