// SPDX-License-Identifier: Apache-2.0
#pragma once
// Unified diffs (POSIX diff -u, and what git puts around them): read strictly, fitted exactly. Pure
// functions.

#include <gantry/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::files {

enum class DiffKind : char { Context = ' ', Removed = '-', Added = '+' };

struct DiffLine {
  DiffKind kind = DiffKind::Context;
  std::string text;          // without the line's end
  bool without_end = false;  // "\ No newline at end of file"
};

struct Hunk {
  std::size_t old_start = 0;  // from 1; of an empty side the line before
  std::size_t old_count = 0;
  std::size_t new_start = 0;
  std::size_t new_count = 0;
  std::vector<DiffLine> lines;
};

struct FileDiff {
  std::string old_path;  // empty: the file is made (/dev/null)
  std::string new_path;  // empty: the file is removed
  std::vector<Hunk> hunks;
};

/// The files of a diff, in its order; a/ and b/ are taken off. InvalidArgument names the line and
/// what is wrong: text that is no diff, counts that do not fit, renames, mode changes, binary
/// patches, quoted names, the same file twice.
[[nodiscard]] Result<std::vector<FileDiff>> parse_diff(std::string_view text);
/// Hunks alone, for a file that is known.
[[nodiscard]] Result<std::vector<Hunk>> parse_hunks(std::string_view text);
/// The diff as text again.
[[nodiscard]] std::string diff_text(const std::vector<FileDiff>& files);

/// The content after the hunks. Each must fit exactly; where lines were added or removed above, at
/// the nearest place where it does. Lines keep their endings, added ones get the file's.
/// FailedPrecondition says which hunk does not fit and why.
[[nodiscard]] Result<std::string> apply_hunks(std::string_view content,
                                              const std::vector<Hunk>& hunks);

}  // namespace gantry::files
