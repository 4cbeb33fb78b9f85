// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files of one folder, for whoever may read them over HTTP. Every function waits for the disk.

#include <gantry/unique_fd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace gantry::transport {

/// A regular file as it was when it was opened.
struct StaticFile {
  UniqueFd fd;
  uint64_t size = 0;
  int64_t modified_s = 0;         ///< Unix time
  std::string etag;               ///< quoted; another one when the file changes
  std::string_view content_type;  ///< by the name's extension
};

/// Why there is none.
enum class NoFile : uint8_t {
  kMissing,    ///< no such file, a dot file, something that is no file, or outside of the folder
  kForbidden,  ///< the daemon may not read it
  kFolder,     ///< a folder, asked for without the slash at its end
  kBusy,       ///< no file can be opened now
};

class StaticFolder {
 public:
  /// `index` is what a folder's own path shows; empty: nothing.
  StaticFolder(std::string folder, std::string index)
      : folder_(std::move(folder)), index_(std::move(index)) {}

  /// The file at `path`, which is decoded and has no slash at its begin; "" and paths that end in a
  /// slash are folders. Links are followed as long as they stay within the folder; names that begin
  /// with a dot do not exist.
  std::variant<StaticFile, NoFile> open(std::string_view path) const;

  /// For systems without openat2: the same without following any link.
  std::variant<StaticFile, NoFile> open_without_links(std::string_view path) const;

  const std::string& folder() const { return folder_; }

 private:
  /// Relative path of the file, or nothing for one that is not served.
  std::string name_of(std::string_view path) const;

  std::string folder_;
  std::string index_;
};

/// "text/html; charset=utf-8" for "index.html"; application/octet-stream for what is not known.
std::string_view media_type_of(std::string_view name);

}  // namespace gantry::transport
