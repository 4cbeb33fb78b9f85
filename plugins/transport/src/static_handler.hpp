// SPDX-License-Identifier: Apache-2.0
#pragma once

// Serves a folder: GET and HEAD with validators and ranges. Reading is done where waiting is
// allowed, a piece at a time and no faster than the client takes it, so a file of any size costs
// one piece of memory.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "handler.hpp"
#include "mounts.hpp"

namespace gantry::transport {

/// Runs work on a thread where waiting is allowed.
using BlockingExecutor = std::function<void(std::function<void()>)>;

struct StaticOptions {
  std::string listener;
  std::string prefix;      ///< "/files/": begins with a slash; one is added at its end
  std::string folder;      ///< an absolute path
  std::string index;       ///< what a folder shows; empty: nothing
  uint64_t max_bytes = 0;  ///< larger files are answered 403; 0: no limit
};

/// The mounts that serve the folder.
std::vector<MountPtr> make_static_mounts(const StaticOptions& options, BlockingExecutor executor);

}  // namespace gantry::transport
