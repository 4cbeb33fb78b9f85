// SPDX-License-Identifier: Apache-2.0
#pragma once
// The folders that a call may touch, and everything that is opened in them. Nothing outside is
// opened, and nobody learns what is there. Blocks on the disk.

#include <gantry/contracts/tool.hpp>
#include <gantry/result.hpp>

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "beneath.hpp"

namespace gantry::files {

/// What a file was when it was read: if it is not any more, somebody else has changed it.
struct Stamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t changed_ns = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};
[[nodiscard]] Stamp stamp_of(const struct stat& facts);

/// Something that is there. `descriptor` is O_PATH.
struct Found {
  Descriptor descriptor;
  std::string path;  // as the kernel knows it
  struct stat facts {};
};

/// Where a file is, or will be, by its folder: what its path says later does not matter.
struct Spot {
  Descriptor folder;                 // O_PATH
  std::string name;                  // one component
  std::string path;                  // folder and name
  std::optional<struct stat> facts;  // of a regular file that is there
};

class Roots {
 public:
  /// `folders` absolute, without links, the first one is where relative paths begin; what lies in
  /// one of `hidden` is as if outside, but for roots that lie in there.
  Roots(std::vector<std::string> folders, std::vector<std::string> hidden,
        Resolver resolver = Resolver::Kernel)
      : folders_(std::move(folders)), hidden_(std::move(hidden)), resolver_(resolver) {}

  /// Errors: permission_denied (outside, hidden, or a link that leads out), not_found,
  /// invalid_argument (no path at all).
  [[nodiscard]] Result<Found> find(const std::string& path) const;
  /// find() of a regular file: devices, pipes, sockets and folders are failed_precondition.
  [[nodiscard]] Result<Found> find_file(const std::string& path) const;
  [[nodiscard]] Result<Found> find_folder(const std::string& path) const;
  /// Where to write. Through links to where they lead, inside. With `make_folders` those that are
  /// missing are made. Errors as find_file() has them; a file that is not there is none.
  [[nodiscard]] Result<Spot> spot(const std::string& path, bool make_folders) const;
  /// For walks: whether a path below a root, without links, may be seen.
  [[nodiscard]] bool is_visible(std::string_view path) const;
  [[nodiscard]] const std::vector<std::string>& folders() const { return folders_; }

 private:
  struct Place {
    Descriptor root;
    std::string root_path;
    std::string rest;  // below it
  };
  [[nodiscard]] Result<Place> place_of(const std::string& path) const;
  [[nodiscard]] Result<Found> open(const Place& place, const std::string& rest, int flags,
                                   Links links, const std::string& asked) const;
  [[nodiscard]] Result<Descriptor> open_folder(const Place& place, const std::string& rest,
                                               bool make_folders, const std::string& asked) const;
  [[nodiscard]] Error outside(const std::string& asked) const;
  [[nodiscard]] Error failure(int number, const std::string& asked) const;

  std::vector<std::string> folders_;
  std::vector<std::string> hidden_;
  Resolver resolver_;
};

}  // namespace gantry::files
