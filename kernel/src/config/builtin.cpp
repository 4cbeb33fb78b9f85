// SPDX-License-Identifier: Apache-2.0
// The kernel's own keys, declared the way a plugin's manifest declares its keys.
#include <cstdlib>

#include "config/layers.hpp"
#include "config/yaml.hpp"

namespace gantry::config {
namespace {

constexpr std::string_view kBuiltin = R"yaml(
kernel:
  type: map
  doc: The kernel itself.
  keys:
    threads: {type: int, default: 0, range: [0, 256], doc: "Worker threads of the shared pool; 0 is one per core, at least 2."}
    blocking_threads: {type: int, default: 256, range: [1, 4096], doc: "Most threads for work that waits (disk, processes, outgoing HTTP; each answer of a model that streams keeps one). They are made when needed and end when idle."}
    idle_look_us: {type: int, default: 50, range: [0, 1000], doc: "Microseconds for which a worker without work looks for more before it sleeps, when work came that soon lately; 0: not at all."}
    plugin_dirs: {type: list, items: string, default: [], doc: "Further folders that hold plugin folders. Plugins outside the installation need `trust: in-process`."}
    state_dir: {type: string, default: "", doc: "Where state is kept (GANTRY_STATE_DIR in defaults of plugins). Empty: $XDG_STATE_HOME/gantry, else ~/.local/state/gantry, for root /var/lib/gantry."}
    models_dir: {type: string, default: "", doc: "Where model files are (GANTRY_MODELS_DIR in defaults of plugins). Empty: <prefix>/share/gantry/models when it is there, else $XDG_CACHE_HOME/gantry/models, else ~/.cache/gantry/models."}
    write_settings: {type: bool, default: true, doc: "Whether administrators may write settings while the daemon runs (GANTRY_STATE_DIR/settings.yaml); false: they may not, and those that were written do not count."}
    start_timeout: {type: duration, default: 10s, range: [100ms, 5m], reload: live, doc: "How long one plugin may take to start."}
    stop_timeout: {type: duration, default: 3s, range: [50ms, 4500ms], reload: live, doc: "How long all plugins together may take to stop; a plugin that hangs is left behind."}
    call_timeout: {type: duration, default: 30s, range: [10ms, 1h], reload: live, doc: "Deadline of a call that sets none."}
    flight_recorder: {type: int, default: 4096, range: [0, 1000000], doc: "Envelopes that the flight recorder keeps, over all cores."}
    quarantine_after: {type: int, default: 3, range: [1, 100], reload: live, doc: "Failures within quarantine_window after which a plugin is not started again."}
    quarantine_window: {type: duration, default: 10m, range: [1s, 7d], reload: live, doc: "See quarantine_after."}
    prefer: {type: map, entries: {type: string}, default: {}, reload: live, doc: "Contract name to the plugin that serves it when several do."}
log:
  type: map
  doc: The daemon's log.
  keys:
    level: {type: enum, values: [trace, debug, info, warn, error], default: info, reload: live, doc: "Least level that is written."}
    levels: {type: map, entries: {type: enum, values: [trace, debug, info, warn, error]}, default: {}, reload: live, doc: "Plugin name to its own level."}
    format: {type: enum, values: [console, json], default: console, reload: live, doc: "Lines for people, or one JSON object a line."}
    file: {type: string, default: "", doc: "File to write to. Empty: standard error."}
    rotate: {type: bytes, default: 10MiB, range: [64KiB, 10GiB], doc: "Size at which the file is rotated."}
    keep: {type: int, default: 5, range: [1, 1000], doc: "Rotated files that are kept."}
    rate_limit: {type: int, default: 50, range: [0, 1000000], reload: live, doc: "Most lines a second from one place in the code; 0 is no limit. What is left out is counted."}
plugins:
  type: map
  doc: The plugins to open. Nothing else is opened.
  entries:
    type: map
    keys:
      enabled: {type: bool, default: true, doc: "false keeps the entry but does not open the plugin."}
      path: {type: string, doc: "Folder of the plugin (plugin.yaml and the library). Default: <plugin dir>/<name>."}
      isolation: {type: enum, values: [in-process, process], default: in-process, doc: "Where the plugin runs. `process` is refused: this daemon runs every plugin in its own."}
      trust: {type: enum, values: [vendor, in-process], default: vendor, doc: "`in-process` admits code from outside the installation into the daemon."}
      version: {type: string, doc: "Range that the plugin's version must lie in, such as \">=0.2 <0.4\"."}
      config: {type: map, default: {}, doc: "The keys that the plugin declares."}
)yaml";

Schema parse_builtin() {
  Diagnostics diagnostics;
  const auto tree = parse_yaml(kBuiltin, "built-in", diagnostics);
  Schema schema;
  if (tree) schema = parse_schema(*tree, "", diagnostics);
  // The text is part of the program: a mistake in it is caught by the first test that runs.
  if (!tree || diagnostics.has_errors()) std::abort();
  return schema;
}

}  // namespace

const Schema& builtin_schema() {
  static const Schema kSchema = parse_builtin();
  return kSchema;
}

}  // namespace gantry::config
