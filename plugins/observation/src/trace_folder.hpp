// SPDX-License-Identifier: Apache-2.0
#pragma once
// The folder of one recording, opened once. Everything in it is read and written beneath its
// descriptor and no link is followed, so whoever puts a link in its place meanwhile leads nobody
// elsewhere. Blocks on the disk; safe on any thread as long as it is not moved.

#include <gantry/result.hpp>
#include <gantry/unique_fd.hpp>

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::observation {

/// A plain file that is read; a link is none, nor a pipe, whose reading would never end.
class PlainFile {
 public:
  /// `name` in the folder `dir`, without a slash.
  PlainFile(int dir, const std::string& name);

  [[nodiscard]] bool ok() const { return static_cast<bool>(file_); }
  /// Bytes when it was opened.
  [[nodiscard]] std::int64_t size() const { return facts_.st_size; }
  [[nodiscard]] bool is(const struct ::stat& other) const {
    return facts_.st_ino == other.st_ino && facts_.st_dev == other.st_dev;
  }
  /// At most `most` bytes from `offset`; fewer at the end of the file.
  [[nodiscard]] std::string read(std::int64_t offset, std::int64_t most) const;

 private:
  UniqueFd file_;
  struct ::stat facts_ {};
};

class TraceFolder {
 public:
  enum class Links {
    Follow,   ///< A person named the folder, by whatever leads there.
    NotLast,  ///< The folder lies in one that the operator named.
    Nowhere,  ///< The path was resolved: where a link stands now, something was swapped.
  };
  /// not_found when there is no such folder.
  [[nodiscard]] static Result<TraceFolder> open(const std::filesystem::path& folder, Links links);
  /// Makes it, and its screenshots, for the owner only. Errors: unavailable, resource_exhausted.
  [[nodiscard]] static Result<TraceFolder> make(const std::filesystem::path& folder);

  /// Names of the recording's files, oldest first.
  [[nodiscard]] std::vector<std::string> files() const;
  [[nodiscard]] PlainFile file(const std::string& name) const { return {folder_.get(), name}; }
  /// `reference`: "screenshots/step-….png".
  [[nodiscard]] PlainFile picture(std::string_view reference) const;
  /// Facts of a file as it is now; false when it is not there.
  [[nodiscard]] bool facts(const std::string& name, struct ::stat& out) const;

  /// A new file for its owner only; nothing that stands there is written into. Not ok: errno.
  [[nodiscard]] UniqueFd create(const std::string& name, int flags) const;
  [[nodiscard]] UniqueFd create_picture(std::string_view reference) const;
  void remove(const std::string& name) const;
  void remove_picture(std::string_view reference) const;
  /// Takes back a folder that was just made at `folder` and that nothing was written into.
  void remove_empty(const std::filesystem::path& folder) const;
  /// False: errno.
  [[nodiscard]] bool rename(const std::string& from, const std::string& to) const;

 private:
  explicit TraceFolder(UniqueFd folder) : folder_(std::move(folder)) {}
  [[nodiscard]] UniqueFd pictures() const;

  UniqueFd folder_;
};

}  // namespace gantry::observation
