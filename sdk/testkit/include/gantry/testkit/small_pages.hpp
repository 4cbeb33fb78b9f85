// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>

#include <gantry/huge_pages.hpp>

namespace gantry::testkit {

/// This process does without huge pages, as the daemon does, for the time of a test.
class SmallPages {
 public:
  SmallPages() { UsualHugePages::allow(false); }
  ~SmallPages() { UsualHugePages::allow(true); }
  SmallPages(const SmallPages&) = delete;
  SmallPages& operator=(const SmallPages&) = delete;
  SmallPages(SmallPages&&) = delete;
  SmallPages& operator=(SmallPages&&) = delete;

  /// Whether nobody took it back.
  [[nodiscard]] bool still() const { return prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1; }
};

}  // namespace gantry::testkit
