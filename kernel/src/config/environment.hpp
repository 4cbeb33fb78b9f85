// SPDX-License-Identifier: Apache-2.0
// Environment variables behind a function, so that tests need no real ones; `${…}` and `file:`.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "config/value.hpp"

namespace gantry::config {

struct Environment {
  std::function<std::optional<std::string>(const std::string&)> get;

  /// The process's own environment.
  static Environment process();
  /// A fixed one.
  static Environment of(std::map<std::string, std::string> variables);
};

/// What a configuration says of standard folders; empty where it says nothing.
struct StandardDirs {
  std::string state;
  std::string models;
  std::string prefix = "/usr";  ///< of the installation
};

/// `base` with the variables that a manifest's default may use, computed when they are not set:
/// GANTRY_RUNTIME_DIR ($XDG_RUNTIME_DIR/gantry; without it /run/gantry for root, else
/// /tmp/gantry-<uid>) and GANTRY_STATE_DIR (`dirs.state` when not empty, else
/// $XDG_STATE_HOME/gantry, else ~/.local/state/gantry, for root /var/lib/gantry) and
/// GANTRY_MODELS_DIR (by the rule of gantry/models_dir.hpp).
Environment with_standard_dirs(Environment base, StandardDirs dirs = {});

/// `base` with nothing but the variables that say where folders are: those that
/// with_standard_dirs() reads, and those that it would compute.
Environment only_places(Environment base);

/// Replaces `${NAME}` and `${NAME:-default}` in every text of the tree; `$${` stands for `${`.
/// A variable that is not set and has no default is an error at the value's line.
void expand_variables(Value& value, const Environment& environment, const std::string& path,
                      Diagnostics& diagnostics);

/// Replaces `file:/path` in every value marked secret by the file's content without its last line
/// break (at most 64 KiB). A relative path starts at the folder of the configuration file.
/// A file that others may read is a warning.
void read_secret_files(Value& value, const std::string& path, Diagnostics& diagnostics);

}  // namespace gantry::config
