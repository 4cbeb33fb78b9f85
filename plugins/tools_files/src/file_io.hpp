// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading whole files, and changing several of them together. Blocks on the disk.

#include <gantry/result.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "roots.hpp"

namespace gantry::files {

struct Content {
  std::string bytes;
  Stamp stamp;
};

/// All of a regular file. Errors: out_of_range (longer than `most`), aborted (it changes while it
/// is read), permission_denied, unavailable.
[[nodiscard]] Result<Content> read_file(const Found& file, std::size_t most);
/// At most `most` bytes of its beginning.
[[nodiscard]] Result<std::string> read_beginning(const Found& file, std::size_t most);

/// What becomes of one file.
struct Change {
  Spot spot;
  std::optional<std::string> bytes;  // none: it is removed
  std::optional<Stamp> expected;     // what it must still be
  bool must_be_new = false;
};

/// Makes all changes or none. Each file is written beside its place, synced, and put there in one
/// step; modes stay. A crash in the middle may leave some files changed, and none of them half.
/// Errors: aborted (a file is not what was expected any more), already_exists, resource_exhausted
/// (no room), permission_denied, unavailable.
[[nodiscard]] Result<void> make_changes(std::vector<Change> changes);

}  // namespace gantry::files
