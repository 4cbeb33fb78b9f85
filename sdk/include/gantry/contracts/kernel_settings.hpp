// SPDX-License-Identifier: Apache-2.0
//
// Settings that are written while the daemon runs: a layer of the configuration above its files and
// below the environment (docs/operations.md, docs/decisions/0005-written-settings.md).
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// Where written settings are, and what they are.
struct SettingsReport {
  std::string file;    // where they are kept
  Json written{"{}"};  // what it holds, in the shape of a configuration file; secrets as ***
  std::uint64_t revision = 0;        // grows with every change of what is in force or written
  std::vector<std::string> waiting;  // keys that differ from what is in force until the next reload
};
BOOST_DESCRIBE_STRUCT(SettingsReport, (), (file, written, revision, waiting))

/// Errors: failed_precondition (this kernel keeps no settings; the configuration forbids it; the
/// file is not fit to be read).
struct KernelSettings {
  static constexpr std::string_view kName = "gantry.kernel.settings/1";
  static constexpr std::string_view kDoc = "Settings that were written while the daemon ran.";
  using Request = Nothing;
  using Response = SettingsReport;
};

struct ConfigDescription {
  Json schema;          // JSON Schema of a configuration file
  Json defaults;        // a configuration file with the default of every key; secrets as ***
  std::string version;  // of the daemon
};
BOOST_DESCRIBE_STRUCT(ConfigDescription, (), (schema, defaults, version))

/// Of the kernel and of the plugins that the configuration opens, from their manifests.
struct KernelConfigDescription {
  static constexpr std::string_view kName = "gantry.kernel.config.describe/1";
  static constexpr std::string_view kDoc =
      "Which configuration keys there are, and their defaults.";
  using Request = Nothing;
  using Response = ConfigDescription;
};

struct SettingsWriteRequest {
  // In the shape of a configuration file: {"kernel": …, "log": …, "plugins": {NAME: {"config":
  // …}}}. null takes back what was written; *** at a secret leaves it as it is.
  Json change{"{}"};
  bool replace = false;                   // the whole of what is written, not an addition to it
  std::optional<std::uint64_t> revision;  // only if this is still the revision
  std::string by;                         // who asked, for the log
};
BOOST_DESCRIBE_STRUCT(SettingsWriteRequest, (), (change, replace, revision, by))

struct SettingsChange {
  std::string key;    // "plugins.mcp.config.tool_timeout"
  Json before;        // null: was not set; secrets as ***
  Json after;         // null: is not set any more
  bool live = false;  // in force already; else with the next reload or start
};
BOOST_DESCRIBE_STRUCT(SettingsChange, (), (key, before, after, live))

struct SettingsWritten {
  std::vector<SettingsChange> changes;
  SettingsReport now;
};
BOOST_DESCRIBE_STRUCT(SettingsWritten, (), (changes, now))

/// Writes settings: checked as `gantry check` does, kept in a file, and those that plugins take
/// while they run are handed over. Whoever may call this may change what the daemon does; a plugin
/// that passes it on asks for the right to do so first.
/// Errors: invalid_argument (with every finding), aborted (it is another revision by now),
/// failed_precondition (see KernelSettings), unavailable (the file cannot be written).
struct KernelWriteSettings {
  static constexpr std::string_view kName = "gantry.kernel.settings.write/1";
  static constexpr std::string_view kDoc = "Writes settings while the daemon runs.";
  using Request = SettingsWriteRequest;
  using Response = SettingsWritten;
};

}  // namespace gantry
