// SPDX-License-Identifier: Apache-2.0
#pragma once
// Walking through folders without ever following a link, bounded in entries, depth and time. Blocks
// on the disk.

#include <gantry/result.hpp>

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "roots.hpp"

namespace gantry::files {

struct Bounds {
  std::size_t entries = 100'000;
  int depth = 64;
  std::function<bool()> stop;  // time is over, or nobody waits any more
};

/// One thing in a folder.
struct Entry {
  const Descriptor& folder;  // that it is in
  std::string name;
  std::string relative;  // to where the walk began
  std::string path;
  struct stat facts {};
  int depth = 0;  // 0: in the first folder
};

/// Whether to go on, and into it when it is a folder.
enum class Next { Into, Past, Stop };

/// Visits the entries of `top` and below in the order of their names. Answers why it did not see
/// all: empty, or a few words. What may not be seen or read is passed over.
[[nodiscard]] std::string explore(const Roots& roots, const Found& top, const Bounds& bounds,
                                  const std::function<Next(const Entry&)>& visit);

}  // namespace gantry::files
