// SPDX-License-Identifier: Apache-2.0
// gantry observer: the published screen observer's command line. Runs the observer alone, with a
// configuration of its own. Nothing is ever written to standard output, which belongs to MCP.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <map>

#include "cli/cli.hpp"
#include "cli/daemon.hpp"
#include "cli/observer_config.hpp"
#include "cli/observer_options.hpp"
#include "config/yaml.hpp"
#include "plugin/manifest.hpp"

namespace gantry::cli {
namespace {

namespace fs = std::filesystem;

using config::Diagnostics;
using config::Value;

/// The published program is written in Python, whose parser leaves with 2.
constexpr int kBadOption = 2;
constexpr const char* kProfile = "observer";
constexpr const char* kMockProfile = "observer-mock";
constexpr std::size_t kLargestConfig = 4U << 20U;
constexpr auto kLook = std::chrono::milliseconds(10);

enum class Sides { kUnknown, kHttp, kStdio, kBoth };

bool has_http(Sides sides) { return sides != Sides::kStdio; }
bool has_stdio(Sides sides) { return sides != Sides::kHttp; }

bool input_is_null_device() {
  struct stat input {};
  struct stat null_device {};
  // No standard input at all is what some service managers give; nobody can speak MCP there either.
  if (fstat(STDIN_FILENO, &input) != 0) return true;
  return stat("/dev/null", &null_device) == 0 && S_ISCHR(input.st_mode) &&
         input.st_rdev == null_device.st_rdev;
}

/// What the mode asks for. auto on a terminal, or without anyone at standard input, is HTTP alone.
Sides sides_of(const std::string& mode) {
  if (mode == "inspect") return Sides::kHttp;
  if (mode == "mcp") return Sides::kStdio;
  if (mode == "both") return Sides::kBoth;
  if (mode != "auto") return Sides::kUnknown;
  return isatty(STDIN_FILENO) != 0 || input_is_null_device() ? Sides::kHttp : Sides::kBoth;
}

/// The keys that the installed plugins declare.
class InstalledKeys {
 public:
  explicit InstalledKeys(fs::path dir) : dir_(std::move(dir)) {}

  bool has(std::string_view plugin, std::string_view key) {
    const auto [entry, fresh] = manifests_.try_emplace(std::string(plugin));
    if (fresh) {
      Diagnostics ignored;  // making the plan reports what is wrong with a manifest
      entry->second = plugin::load_manifest(dir_ / plugin, ignored);
    }
    return entry->second && declares(entry->second->config.keys, key);
  }

 private:
  static bool declares(const std::vector<config::KeySpec>& keys, std::string_view key) {
    const std::size_t dot = key.find('.');
    for (const config::KeySpec& spec : keys) {
      if (spec.name != key.substr(0, dot)) continue;
      return dot == std::string_view::npos || declares(spec.keys, key.substr(dot + 1));
    }
    return false;
  }

  fs::path dir_;
  std::map<std::string, std::optional<plugin::Manifest>> manifests_;
};

/// Everything between the command line and the plan.
class Setup {
 public:
  Setup(const ObserverOptions& options, Sides sides)
      : options_(options), sides_(sides), mock_(options.mock) {
    Invocation invocation;
    invocation.plugin_dir = options.plugin_dir;
    invocation.sets = options.sets;
    plan_options_ = plan_options(invocation);
    // The user's daemon has a configuration of its own, with other ports and other protocols.
    plan_options_.layers.main_file.clear();
    plan_options_.layers.with_written = false;  // its command line and config.json are all there is
    plan_options_.layers.profile_dirs = {fs::path(prefix_dir()) / "share/gantry/config/profiles"};
    keys_ = std::make_unique<InstalledKeys>(plan_options_.vendor_dir);
  }

  /// Nullopt: not to be started; the findings say why.
  std::optional<plugin::Plan> plan(Diagnostics& diagnostics) {
    read_config(diagnostics);
    lay_options(diagnostics);
    lay_sides();
    plan_options_.layers.profiles = {mock_ ? kMockProfile : kProfile};
    plan_options_.layers.profiles_from = "gantry observer";
    if (diagnostics.has_errors()) return std::nullopt;
    return plugin::make_plan(plan_options_, diagnostics);
  }

  [[nodiscard]] const plugin::PlanOptions& options() const { return plan_options_; }

  /// Whether an installed plugin speaks MCP on standard input and output.
  [[nodiscard]] bool can_stdio() const { return keys_->has("mcp", "stdio.enabled"); }

 private:
  void read_config(Diagnostics& diagnostics) {
    std::error_code missing;
    if (!fs::exists(options_.config, missing)) {
      if (options_.config_given) {
        diagnostics.warning({options_.config, 0}, "", "there is no such file; defaults are used");
      }
      return;
    }
    std::string reason;
    const auto text = config::read_file(options_.config, kLargestConfig, reason);
    if (!text) return diagnostics.error({options_.config, 0}, "", reason);
    lay_observer_config(
        *text, options_.config,
        [this](std::string_view plugin, std::string_view key) { return keys_->has(plugin, key); },
        plan_options_.layers.overlay, mock_, diagnostics);
  }

  void lay_options(Diagnostics& diagnostics) {
    for (const auto& [row, text] : options_.keys) {
      // The published program takes port 0 for "not given".
      if (row->key == "port" && text == "0") continue;
      lay(row->plugin, row->key, text, row->name, diagnostics);
    }
    if (options_.scenario.empty()) return;
    if (!mock_) {
      diagnostics.warning({"--scenario", 0}, "", "needs --mock, ignored");
      return;
    }
    // A relative path means the folder of the caller, not of the daemon's state.
    std::error_code ignored;
    lay("mock", "scenario", fs::absolute(options_.scenario, ignored).string(), "--scenario",
        diagnostics);
  }

  /// Opens and closes the doors that the mode names.
  void lay_sides() {
    const auto set = [this](std::string_view key, bool on) {
      Value value{on};
      value.origin = {"--mode", 0};
      lay_key(plan_options_.layers.overlay, "mcp", key, std::move(value));
    };
    if (has_stdio(sides_)) set("stdio.enabled", true);
    if (has_http(sides_)) return;
    set("http.enabled", false);
    Value closed = Value::map();
    for (const char* name : {"transport", "rest_observer"}) {
      Value off = Value::map();
      off.set("enabled", Value{false});
      closed.set(name, std::move(off));
    }
    Value plugins = Value::map();
    plugins.set("plugins", std::move(closed));
    config::merge(plan_options_.layers.overlay, plugins);
  }

  void lay(std::string_view plugin, std::string_view key, const std::string& text,
           std::string_view option, Diagnostics& diagnostics) {
    Value value{text};
    value.origin = {std::string(option), 0};
    value.spelling = text;
    value.loose = true;  // "5001" may be a number: the manifest knows
    if (!keys_->has(plugin, key)) {
      diagnostics.error(value.origin, "",
                        "cannot be honoured: the installed plugins have no " + std::string(plugin) +
                            "." + std::string(key));
      return;
    }
    lay_key(plan_options_.layers.overlay, plugin, key, std::move(value));
  }

  const ObserverOptions& options_;
  Sides sides_;
  bool mock_;
  plugin::PlanOptions plan_options_;
  std::unique_ptr<InstalledKeys> keys_;
};

/// Plugins without which there is no observer, or not the one that was asked for, and what the
/// daemon leaves with when one of them fails.
struct Vital {
  std::string_view name;
  int exit_code;
  std::string_view cure;
};
constexpr std::array<Vital, 6> kVital{{
    {"transport", kUnavailable, "; --port and --host choose another address"},
    {"rest_observer", kUnavailable, "; --port and --host choose another address"},
    {"observation", kFailed, ""},
    {"guard", kFailed, ""},
    {"mock", kFailed, ""},
    {"mcp", kFailed, ""},
}};

/// Who came for MCP on standard input gets it, whether or not another program has the port.
bool can_do_without(Sides sides, std::string_view name) {
  return sides == Sides::kBoth && (name == "transport" || name == "rest_observer");
}

/// Ends the daemon when a vital plugin could not start. The watch is over when all that are wanted
/// run; adapters that find no desktop are no reason to leave.
void watch(Sides sides, kernel::Kernel& kernel, int& exit_code) {
  bool waiting = false;
  for (const plugin::PluginStatus& status : kernel.plugins().list()) {
    const auto* const vital = std::find_if(
        kVital.begin(), kVital.end(), [&](const Vital& row) { return row.name == status.name; });
    if (vital == kVital.end() || status.state == plugin::State::kDisabled ||
        can_do_without(sides, status.name)) {
      continue;
    }
    // A lazy plugin that failed is lazy again, with the reason.
    const bool failed = status.state == plugin::State::kFailed ||
                        status.state == plugin::State::kQuarantined ||
                        (status.state == plugin::State::kLazy && !status.reason.empty());
    if (failed) {
      complain(status.reason + std::string(vital->cure));
      exit_code = vital->exit_code;
      kernel.request_stop();
      return;
    }
    waiting = waiting || status.state != plugin::State::kRunning;
  }
  if (waiting) {
    kernel.loop().post_after(kLook,
                             [sides, &kernel, &exit_code] { watch(sides, kernel, exit_code); });
  }
}

int run_observer(int argc, char** argv, ObserverOptions options) {
  bool help = false;
  const std::string problem = parse_observer_options(argc, argv, options, help);
  if (help) {
    print_observer_help(stderr);
    return kOk;
  }
  const Sides sides = sides_of(options.mode);
  if (!problem.empty() || sides == Sides::kUnknown) {
    complain(!problem.empty()
                 ? problem
                 : "--mode takes auto, inspect, mcp or both, found '" + options.mode + "'");
    complain("see gantry observer --help");
    return kBadOption;
  }
  Setup setup(options, sides);  // run_plan does not return, and so SIGHUP finds it
  if (has_stdio(sides) && !setup.can_stdio()) {
    complain("mode " + options.mode +
             " speaks MCP on standard input and output, and no installed plugin does; use --mode "
             "inspect, or start with standard input from /dev/null [unavailable]");
    return kUnavailable;
  }
  Diagnostics diagnostics;
  auto plan = setup.plan(diagnostics);
  print_findings(diagnostics);
  if (!plan) {
    complain("not started: the configuration has errors");
    return kConfig;
  }
  run_plan(setup.options(), std::move(*plan),
           [sides](kernel::Kernel& kernel, int& exit_code) { watch(sides, kernel, exit_code); });
}

}  // namespace

int observer(int argc, char** argv) { return run_observer(argc, argv, {}); }

int mcp(int argc, char** argv) {
  ObserverOptions options;
  options.mode = "mcp";
  return run_observer(argc, argv, std::move(options));
}

}  // namespace gantry::cli
