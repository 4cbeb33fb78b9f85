// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/prctl.h>

namespace gantry {

/// The daemon lives without transparent huge pages (docs/decisions/0008). A started program would
/// inherit that through execve() (prctl(2), PR_SET_THP_DISABLE). While one of these exists it does
/// not; hold it over posix_spawn(), no longer.
///
/// The switch belongs to the whole process. Of two programs started in the same instant one may
/// still inherit it, or the daemon may lose it until it looks after its memory again: neither does
/// harm, so no lock is taken.
class UsualHugePages {
 public:
  UsualHugePages() : were_off_(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1) {
    if (were_off_) allow(true);
  }
  ~UsualHugePages() {
    if (were_off_) allow(false);
  }
  UsualHugePages(const UsualHugePages&) = delete;
  UsualHugePages& operator=(const UsualHugePages&) = delete;
  UsualHugePages(UsualHugePages&&) = delete;
  UsualHugePages& operator=(UsualHugePages&&) = delete;

  /// Of this process, and of what it starts. A system call and nothing else: a forked child may
  /// make it before its exec. Kernels built without huge pages refuse it, and need it not.
  static void allow(bool allowed) { (void)prctl(PR_SET_THP_DISABLE, allowed ? 0 : 1, 0, 0, 0); }

 private:
  bool were_off_;
};

}  // namespace gantry
