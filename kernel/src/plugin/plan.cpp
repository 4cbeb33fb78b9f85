// SPDX-License-Identifier: Apache-2.0
#include "plugin/plan.hpp"

#include <gantry/abi/types.h>

#include <algorithm>
#include <utility>

#include "plugin/trust.hpp"

namespace gantry::plugin {
namespace {

namespace fs = std::filesystem;
using config::Diagnostics;
using config::PluginSettings;

/// One for the plan, the manager and the plugin's instance: a manifest is 30 kB and more.
std::shared_ptr<const Manifest> shared_manifest(const fs::path& dir, Diagnostics& findings) {
  auto manifest = load_manifest(dir, findings);
  return manifest ? std::make_shared<const Manifest>(std::move(*manifest)) : nullptr;
}

void resolve_plan(Plan& plan) {
  ResolveInput input;
  for (const auto& planned : plan.plugins) {
    const bool wanted = planned.enabled && planned.manifest && planned.refused.empty();
    if (wanted) input.enabled.push_back(planned.manifest.get());
    if (planned.manifest) input.known.push_back(planned.manifest.get());
  }
  for (const auto& manifest : plan.installed) {
    const bool listed = std::any_of(input.known.begin(), input.known.end(),
                                    [&](const auto* m) { return m->name == manifest->name; });
    if (!listed) input.known.push_back(manifest.get());
  }
  plan.resolution = resolve(input);
  for (auto& planned : plan.plugins) {
    const auto reason = plan.resolution.refused.find(planned.name);
    if (reason != plan.resolution.refused.end()) planned.refused = reason->second;
  }
}

class Planner {
 public:
  Planner(const PlanOptions& options, Diagnostics& diagnostics)
      : options_(options), diagnostics_(diagnostics), trust_(options.user) {}

  std::optional<Plan> run() {
    auto layers = config::read_layers(options_.layers, diagnostics_);
    if (!layers) return std::nullopt;
    plan_.layers = std::move(*layers);
    plan_.safe_mode = options_.safe_mode;
    plan_.settings = config::settle(plan_.layers, options_.layers.environment, diagnostics_);
    // Who has made several mistakes is told all of them at once, so the plugins are looked at too.
    environment_ = config::with_standard_dirs(
        options_.safe_mode ? config::only_places(options_.layers.environment)
                           : options_.layers.environment,
        config::StandardDirs{kernel_text("state_dir"), kernel_text("models_dir"),
                             prefix_of(options_.vendor_dir)});
    collect_roots();
    for (auto& settings : plan_.settings.plugins) plan_.plugins.push_back(plan_one(settings));
    collect_installed();
    resolve_plan(plan_);
    if (!diagnostics_.has_errors()) return std::move(plan_);
    report_refusals(plan_, diagnostics_);
    return std::nullopt;
  }

 private:
  std::string kernel_text(const char* key) const {
    const config::Value* value = plan_.settings.kernel.find(key);
    return value == nullptr ? std::string{} : value->as_text();
  }

  /// Of <prefix>/lib/gantry/plugins.
  static std::string prefix_of(const fs::path& vendor_dir) {
    return vendor_dir.parent_path().parent_path().parent_path().string();
  }

  void collect_roots() {
    roots_.push_back(options_.vendor_dir);
    if (options_.safe_mode) return;
    const config::Value* dirs = plan_.settings.kernel.find("plugin_dirs");
    if (dirs == nullptr) return;
    for (const auto& dir : dirs->as_list()) roots_.emplace_back(dir.as_text());
  }

  std::optional<fs::path> find_dir(const PluginSettings& settings) const {
    if (!settings.path.empty()) return fs::path(settings.path);
    for (const auto& root : roots_) {
      std::error_code ignored;
      const auto dir = root / settings.name;
      if (fs::exists(dir / "plugin.yaml", ignored)) return dir;
    }
    return std::nullopt;
  }

  std::string not_installed(const std::string& name) const {
    std::vector<std::string> known;
    std::vector<std::string> searched;
    for (const auto& root : roots_) {
      searched.push_back(root.string());
      for (const auto& dir : find_plugin_dirs(root)) known.push_back(dir.filename().string());
    }
    return "is not installed; looked for " + name + "/plugin.yaml in " + config::join(searched) +
           "." + config::did_you_mean(name, known);
  }

  PlannedPlugin plan_one(PluginSettings& settings) {
    PlannedPlugin planned;
    planned.name = settings.name;
    planned.enabled = settings.enabled;
    const auto dir = find_dir(settings);
    if (!dir) {
      if (settings.enabled) planned.refused = not_installed(settings.name);
      return planned;
    }
    Diagnostics findings;
    planned.manifest = shared_manifest(*dir, findings);
    if (!planned.manifest) {
      planned.refused = "its manifest is wrong: " + findings.to_string();
      while (planned.refused.ends_with('\n')) planned.refused.pop_back();
      return planned;
    }
    if (!settings.enabled) return planned;
    if (options_.safe_mode) settings.given = config::Value::map();
    config::complete_plugin(settings, planned.manifest->config,
                            options_.safe_mode ? config::Layers{} : plan_.layers, environment_,
                            diagnostics_);
    planned.refused = refusal(settings, *planned.manifest);
    return planned;
  }

  std::string refusal(const PluginSettings& settings, const Manifest& manifest) {
    if (manifest.name != settings.name) {
      return "the manifest " + manifest.file.string() + " is of a plugin named '" + manifest.name +
             "'";
    }
    std::string mismatch =
        abi_mismatch(manifest.abi_major, manifest.abi_minor, GANTRY_ABI_MAJOR, GANTRY_ABI_MINOR);
    if (!mismatch.empty()) return mismatch;
    if (!manifest.host.contains(options_.host_version)) {
      return "it works with gantry " + manifest.host.to_string() + ", this is " +
             options_.host_version.to_string();
    }
    if (!settings.version.empty()) {
      const auto range = VersionRange::parse(settings.version);
      if (!range)
        return "its entry has the version range '" + settings.version + "', which is none";
      if (!range->contains(manifest.version)) {
        return "the configuration wants version " + settings.version + ", installed is " +
               manifest.version.to_string();
      }
    }
    return trust_refusal(settings, manifest);
  }

  std::string trust_refusal(const PluginSettings& settings, const Manifest& manifest) {
    if (settings.isolation == config::Isolation::kProcess) {
      return "isolation: found process, allowed: in-process; this daemon runs every plugin in its "
             "own process";
    }
    const bool vendor = trust_.is_inside(manifest.dir, options_.vendor_dir);
    if (!vendor && options_.safe_mode) return "safe mode opens only the installation's own plugins";
    if (!vendor && !settings.trusted_in_process) {
      return "it lies outside the installation (" + manifest.dir.string() +
             ") and would run with all rights of the daemon; if you trust it, set plugins." +
             settings.name + ".trust: in-process";
    }
    std::string reason = trust_.distrust(manifest.shared_object());
    if (reason.empty()) reason = trust_.distrust(manifest.file);
    return reason.empty() ? reason : "is not trusted: " + reason;
  }

  void collect_installed() {
    for (const auto& root : roots_) {
      for (const auto& dir : find_plugin_dirs(root)) {
        Diagnostics ignored;
        auto manifest = manifest_in(dir);
        if (!manifest) manifest = shared_manifest(dir, ignored);
        if (manifest) plan_.installed.push_back(std::move(manifest));
      }
    }
  }

  /// The manifest of `dir` when a plugin of the configuration has been read from there.
  std::shared_ptr<const Manifest> manifest_in(const fs::path& dir) const {
    for (const auto& planned : plan_.plugins) {
      if (planned.manifest && planned.manifest->dir == dir) return planned.manifest;
    }
    return nullptr;
  }

  const PlanOptions& options_;
  Diagnostics& diagnostics_;
  Trust trust_;
  Plan plan_;
  std::vector<fs::path> roots_;
  config::Environment environment_;
};

}  // namespace

const PlannedPlugin* Plan::find(std::string_view name) const {
  for (const auto& planned : plugins) {
    if (planned.name == name) return &planned;
  }
  return nullptr;
}

void report_refusals(const Plan& plan, Diagnostics& diagnostics) {
  for (const auto& planned : plan.plugins) {
    if (planned.refused.empty()) continue;
    diagnostics.error(plan.settings.find(planned.name)->origin, "plugins." + planned.name,
                      planned.refused);
  }
}

void narrow(Plan& plan, const std::function<bool(const PlannedPlugin&)>& wanted) {
  constexpr std::string_view kReason = "not started for this command";
  for (auto& planned : plan.plugins) {
    if (!planned.enabled || !planned.refused.empty() || wanted(planned)) continue;
    planned.enabled = false;
    planned.refused = kReason;
  }
  resolve_plan(plan);
  // Who needs one of those is not at fault either.
  for (const auto& [name, reason] : plan.resolution.refused) {
    for (auto& planned : plan.plugins) {
      if (planned.name != name) continue;
      planned.enabled = false;
      planned.refused = std::string(kReason) + ": " + reason;
    }
  }
}

std::optional<Plan> make_plan(const PlanOptions& options, Diagnostics& diagnostics) {
  return Planner(options, diagnostics).run();
}

}  // namespace gantry::plugin
