// SPDX-License-Identifier: Apache-2.0
// Limits and switches of the adapter; plugin.yaml documents the same keys.
#pragma once

#include "loop.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gantry::atspi {

struct AtspiConfig {
  bool enable_accessibility = true;          ///< set org.a11y.Status.IsEnabled when it is false
  milliseconds call_timeout{1000};           ///< silence after which an application counts as hung
  milliseconds tree_deadline{3000};          ///< one tree read, when the caller sets none
  milliseconds cache_wait{1500};             ///< how long GetItems may answer UnknownMethod
  std::size_t max_nodes = 20000;             ///< one tree
  std::size_t max_children = 2000;           ///< read of one MANAGES_DESCENDANTS node
  std::size_t max_text = 100000;             ///< characters of one text
  std::size_t max_cached_nodes = 200000;     ///< all applications together
  std::vector<std::uint32_t> excluded_pids;  ///< processes that are never read: at least our own
  std::size_t window = 256;                  ///< calls in flight at once
};

}  // namespace gantry::atspi
