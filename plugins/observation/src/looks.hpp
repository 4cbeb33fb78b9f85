// SPDX-License-Identifier: Apache-2.0
#pragma once
// What waits look at. Hundreds of them may watch the same window; each change of it is read once
// for all. Used from the plugin's strand.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "directory.hpp"
#include "shared_read.hpp"
#include "trees.hpp"

namespace gantry::observation {

class Looks {
 public:
  Looks(Desktop& desktop, Directory& directory, Trees& trees)
      : desktop_(desktop), directory_(directory), trees_(trees) {
    forget();
  }

  /// The windows, read at `due_ns` or later. `life` must outlive the task, here and below.
  Task<Outcome<WindowsNow>> windows(std::int64_t due_ns, const Life& life);
  /// A capture that was begun at `due_ns` or later. One that shows what the last one showed is the
  /// same object, so that whoever judged that need not judge it again.
  Task<Outcome<TreeCapture>> tree(const WindowInfo& window, std::int64_t due_ns, const Life& life);

  /// The rules have changed: nothing that was read before is given out any more.
  void forget();

 private:
  using SharedWindows = SharedRead<WindowsNow>;
  using SharedTree = SharedRead<TreeCapture>;
  static constexpr std::size_t kMaxWindows = 16;

  Task<Outcome<TreeCapture>> read_again(const WindowInfo& window,
                                        std::shared_ptr<const Tree> before);

  Desktop& desktop_;
  Directory& directory_;
  Trees& trees_;
  // Shared with those who wait: forget() begins anew while they finish.
  std::shared_ptr<SharedWindows> windows_;
  std::map<std::string, std::shared_ptr<SharedTree>> of_window_;  ///< By window uid.
};

}  // namespace gantry::observation
