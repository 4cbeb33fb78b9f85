// SPDX-License-Identifier: Apache-2.0
#pragma once
// The audit log's file. Every member blocks on the disk: call it where waiting is allowed, from one
// thread at a time.

#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace gantry::guard {

struct AuditFile {
  std::string path;
  std::int64_t max_bytes = 10'485'760;
  int backups = 3;
};

/// Appends the lines (a newline is added to each), each whole. Before a line that would make the
/// file larger than max_bytes, `path` becomes `path.1`, `path.1` becomes `path.2` and so on; what
/// is beyond `backups` goes. The file is made with mode 0600. Errors name the path and the reason.
[[nodiscard]] Result<void> append_audit(const AuditFile& file,
                                        const std::vector<std::string>& lines);

}  // namespace gantry::guard
