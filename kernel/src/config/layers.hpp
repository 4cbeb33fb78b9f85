// SPDX-License-Identifier: Apache-2.0
// The layers of a configuration, from lowest to highest:
//   manifest defaults < profiles < main file < plugins.d/*.yaml < settings.yaml < overlay
//     < environment < --set key=value
//
// Shape of a file:
//   profile: desktop                  # or a list; only in the main file
//   kernel:  {threads: 2, …}
//   log:     {level: info, …}
//   plugins:
//     transport:                      # listed means enabled
//       config: {…}
//     mock: false                     # short for {enabled: false}
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/environment.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"

namespace gantry::config {

struct LayerOptions {
  std::filesystem::path main_file;  ///< empty: no main file
  std::vector<std::filesystem::path>
      profile_dirs;                         ///< where <profile>.yaml is looked for, in order
  std::filesystem::path drop_in_dir;        ///< empty: plugins.d beside the main file
  std::vector<std::string> profiles;        ///< empty: what the main file names, else "desktop"
  std::string profiles_from = "--profile";  ///< who chose them, as findings name it
  bool with_written = false;                ///< whether written settings are a layer: written.hpp
  std::optional<Value> written;             ///< instead of what their file holds
  Value overlay = Value::map();             ///< a tree that a command lays over the files
  std::vector<std::string> sets;            ///< "key=value"
  Environment environment = Environment::process();
};

/// The merged, not yet checked tree.
struct Layers {
  Value tree = Value::map();
  Value sets = Value::map();
  std::vector<std::string> profiles;
  std::vector<std::string> files;      ///< in the order they were laid
  std::filesystem::path written_file;  ///< where settings are written; empty: nowhere
  Value written = Value::map();        ///< what it holds
};

/// Reads every layer but the environment's aliases (those need the manifests). Answers nullopt
/// when a file cannot be read or parsed.
std::optional<Layers> read_layers(const LayerOptions& options, Diagnostics& diagnostics);

/// Parses one `--set`. "transport.port=1" is short for "plugins.transport.config.port=1"; a part
/// with dots is quoted: kernel.prefer."gantry.window.list/1"=mock. read_layers() refuses keys of a
/// plugin that nothing lists; `plugins.NAME=true` lists it.
bool parse_set(const std::string& text, Value& tree, Diagnostics& diagnostics);

enum class Isolation { kInProcess, kProcess };

/// One entry under `plugins:`.
struct PluginSettings {
  std::string name;
  bool enabled = true;
  std::string path;  ///< the plugin's folder, when it is not in a plugin dir
  Isolation isolation = Isolation::kInProcess;
  bool trusted_in_process = false;  ///< `trust: in-process`
  std::string version;              ///< a range the manifest's version must lie in, or empty
  Value given = Value::map();       ///< `config:` as written
  Value config = Value::map();      ///< complete and typed after complete_plugin()
  Origin origin;
};

struct Settings {
  Value kernel;  ///< complete, typed
  Value log;
  std::vector<PluginSettings> plugins;  ///< in the order of the configuration

  const PluginSettings* find(std::string_view name) const;
};

/// The schema of the file itself: `kernel`, `log` and `plugins`.
const Schema& builtin_schema();

/// Checks the merged tree and splits it up. Plugin configurations stay as written until
/// complete_plugin() sees their manifest.
Settings settle(const Layers& layers, const Environment& environment, Diagnostics& diagnostics);

/// Environment names of one key: those in its manifest, then GANTRY_<PLUGIN>_<KEY>.
std::vector<std::string> env_names(const KeySpec& key, const std::string& plugin);

/// Lays environment aliases and sets over `plugin.given`, expands, checks, fills in.
void complete_plugin(PluginSettings& plugin, const Schema& schema, const Layers& layers,
                     const Environment& environment, Diagnostics& diagnostics);

/// The effective configuration as one tree, with every default visible.
Value effective_tree(const Settings& settings);

/// One key that differs. `section` is "kernel", "log" or the plugin's name; `path` is inside it.
struct Change {
  std::string section;
  std::string path;
  Value before;  ///< null: was not set
  Value after;   ///< null: no longer set
  Reload reload = Reload::kRestart;

  std::string to_string() const;
};

/// What changed between two versions of one section.
std::vector<Change> diff(const std::string& section, const Schema& schema, const Value& before,
                         const Value& after);

}  // namespace gantry::config
