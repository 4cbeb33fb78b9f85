// SPDX-License-Identifier: Apache-2.0
#pragma once
// Workspaces: named folders that sessions belong to. Kept in the store, and all of them in memory.
// Strand only; folders are looked at on other threads.

#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "settings.hpp"
#include "shelf.hpp"

namespace gantry::chat_cortask {

struct Workspace {
  std::string id;
  std::string name;
  std::string root;  // absolute
  std::int64_t created_ms = 0;
  std::int64_t accessed_ms = 0;  // wall clock, milliseconds since 1970
  std::int64_t place = 0;        // in the list; 0: nobody has sorted it
};
BOOST_DESCRIBE_STRUCT(Workspace, (), (id, name, root, created_ms, accessed_ms, place))

/// Random, as RFC 9562 has version 4.
[[nodiscard]] std::string random_uuid();

class Workspaces {
 public:
  using Done = std::function<void(Result<Workspace>)>;

  Workspaces(Host& host, const Settings& settings)
      : host_(host), settings_(settings), shelf_(host, "workspaces") {}

  /// Reads them; makes "Default" when there is none. Waits.
  Result<void> load();

  /// The workspace, or nullptr. Valid until something changes.
  [[nodiscard]] const Workspace* find(const std::string& id) const;
  /// As the user has sorted them, then the one used last.
  [[nodiscard]] std::vector<Workspace> list() const;

  /// `root` empty: a folder of its own is made. Errors: invalid_argument (no name, or a folder that
  /// may not be one), unavailable (the disk, the store).
  void create(std::string name, std::string root, Done done);
  /// Errors: not_found, and those of create().
  void change(const std::string& id, std::optional<std::string> name,
              std::optional<std::string> root, Done done);
  /// It was opened just now.
  void touch(const std::string& id, Done done);
  /// Forgets it; the folder stays. Of one that is not there: nothing.
  void remove(const std::string& id, Shelf::Done done);
  /// Unknown ids are passed over.
  void sort(const std::vector<std::string>& ids, Shelf::Done done);

 private:
  void keep(Workspace workspace, Done done);
  [[nodiscard]] std::int64_t now_ms() const;

  Host& host_;
  const Settings& settings_;
  Shelf shelf_;
  std::map<std::string, Workspace> by_id_;
};

/// Makes the folder of a workspace, or checks the one that is named: a folder below the data folder
/// or one of `folders`, with no hidden part. Its absolute path without links. Blocks on the disk.
[[nodiscard]] Result<std::string> prepare_root(const std::string& data_dir,
                                               const std::vector<std::string>& folders,
                                               const std::string& root);

}  // namespace gantry::chat_cortask
