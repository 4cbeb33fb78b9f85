// SPDX-License-Identifier: Apache-2.0
#include "service/settings_writer.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "config/written.hpp"
#include "config/yaml.hpp"

namespace gantry::service {
namespace {

using config::Diagnostics;
using config::SectionKeys;
using config::Value;

/// The schemas of the kernel's own sections, which outlive every plan.
const config::Schema& own_schema(std::string_view section) {
  static const config::Schema kKernel{config::builtin_schema().find("kernel")->keys};
  static const config::Schema kLog{config::builtin_schema().find("log")->keys};
  return section == "kernel" ? kKernel : kLog;
}

/// What can be written: the kernel's sections, and those of the plugins that the plan opens.
std::vector<SectionKeys> sections_of(const plugin::Plan& plan) {
  std::vector<SectionKeys> out{{"kernel", "kernel", &own_schema("kernel")},
                               {"log", "log", &own_schema("log")}};
  for (const auto& planned : plan.plugins) {
    if (!planned.enabled || !planned.manifest) continue;
    out.push_back({planned.name, "plugins." + planned.name + ".config", &planned.manifest->config});
  }
  return out;
}

void refuse_plugins_that_are_not_open(const Value& change, const plugin::Plan& plan,
                                      Diagnostics& diagnostics) {
  const Value* plugins = change.find("plugins");
  if (plugins == nullptr) return;
  std::vector<std::string> known;
  for (const auto& planned : plan.plugins) known.push_back(planned.name);
  for (const auto& entry : plugins->as_map()) {
    const auto* planned = plan.find(entry.key);
    if (planned != nullptr && planned->enabled && planned->manifest) continue;
    if (entry.value.is_null()) continue;  // what was written of it is taken back
    std::string reason = "the configuration's files do not list this plugin." +
                         config::did_you_mean(entry.key, known);
    if (planned != nullptr && !planned->enabled) reason = "this plugin is not enabled";
    if (planned != nullptr && planned->enabled) reason = planned->refused;
    diagnostics.error(entry.origin, config::join_path("plugins", entry.key), reason);
  }
}

bool says_nothing(const Value& plugin) {
  if (!plugin.is_map()) return false;
  return std::all_of(plugin.as_map().begin(), plugin.as_map().end(), [](const auto& entry) {
    return entry.key == "config" && entry.value.is_map() && entry.value.as_map().empty();
  });
}

/// A client that writes the whole configuration sends back what the files alone may say.
void drop_what_is_so_anyway(Value& change, const plugin::Plan& in_force) {
  const Value all = config::effective_tree(in_force.settings);
  for (const auto* section : {"kernel", "log"}) {
    Value* given = change.find(section);
    if (given == nullptr || !given->is_map()) continue;
    std::erase_if(given->entries(), [&](const config::Entry& entry) {
      const Value* holds = all.find(section)->find(entry.key);
      return config::is_for_files(section, entry.key) && holds != nullptr && *holds == entry.value;
    });
  }
  Value* plugins = change.find("plugins");
  if (plugins == nullptr || !plugins->is_map()) return;
  for (auto& plugin : plugins->entries()) {
    const Value* known = all.find_path("plugins." + plugin.key);
    if (!plugin.value.is_map() || known == nullptr) continue;
    std::erase_if(plugin.value.entries(), [&](const config::Entry& entry) {
      const Value* holds = known->find(entry.key);
      return entry.key != "config" && holds != nullptr && *holds == entry.value;
    });
  }
  std::erase_if(plugins->entries(), [](const auto& entry) { return says_nothing(entry.value); });
}

Error refusal_of(const Diagnostics& diagnostics, const std::set<std::string>& known = {}) {
  std::vector<std::string> lines;
  for (const auto& finding : diagnostics.items()) {
    if (finding.severity != config::Severity::kError) continue;
    std::string line =
        finding.path.empty() ? finding.message : finding.path + ": " + finding.message;
    if (known.count(line) == 0) lines.push_back(std::move(line));
  }
  return invalid_argument("nothing was changed: " + config::join(lines, "; "));
}

std::set<std::string> errors_of(const Diagnostics& diagnostics) {
  std::set<std::string> out;
  for (const auto& finding : diagnostics.items()) {
    if (finding.severity != config::Severity::kError) continue;
    out.insert(finding.path.empty() ? finding.message : finding.path + ": " + finding.message);
  }
  return out;
}

/// The wish as a tree that can be laid over `written`.
Result<Value> read_change(const SettingsWriteRequest& request, const Value& written,
                          const plugin::Plan& in_force, const config::Origin& origin) {
  Diagnostics diagnostics;
  auto change = config::parse_yaml(request.change.text, origin.file, diagnostics);
  if (!change) return refusal_of(diagnostics);
  if (change->is_map()) {
    drop_what_is_so_anyway(*change, in_force);
    refuse_plugins_that_are_not_open(*change, in_force, diagnostics);
  }
  config::admit_written(*change, diagnostics);
  if (diagnostics.has_errors()) return refusal_of(diagnostics);
  config::refuse_files_only(*change, config::effective_tree(in_force.settings),
                            sections_of(in_force), diagnostics);
  if (diagnostics.has_errors()) return refusal_of(diagnostics);
  config::take_change(*change, written, sections_of(in_force), origin, diagnostics);
  if (diagnostics.has_errors()) return refusal_of(diagnostics);
  return std::move(*change);
}

}  // namespace

Result<Value> read_settings(const plugin::Plan& in_force) {
  const auto& file = in_force.layers.written_file;
  if (file.empty()) {
    return failed_precondition(
        "settings cannot be written here: kernel.write_settings is false, or the daemon has no "
        "state folder or was started in safe mode; change the configuration's files and reload");
  }
  Diagnostics diagnostics;
  auto written = config::load_written(file, diagnostics);
  if (!written) return failed_precondition(diagnostics.to_string());
  return std::move(*written);
}

std::string settings_json(Value written, const plugin::Plan& in_force) {
  config::mark_secrets(written, sections_of(in_force));
  return config::to_json(written, config::Redact::kSecrets);
}

std::string full_key(const config::Change& change) {
  const bool own = change.section == "kernel" || change.section == "log";
  return (own ? change.section : "plugins." + change.section + ".config") + "." + change.path;
}

std::vector<config::Change> differences(const config::Settings& before, const plugin::Plan& after) {
  std::vector<config::Change> out;
  const auto add = [&](const std::string& section, const config::Schema& schema, const Value& was,
                       const Value& is) {
    auto found = config::diff(section, schema, was, is);
    std::move(found.begin(), found.end(), std::back_inserter(out));
  };
  add("kernel", own_schema("kernel"), before.kernel, after.settings.kernel);
  add("log", own_schema("log"), before.log, after.settings.log);
  for (const auto& planned : after.plugins) {
    const auto* was = before.find(planned.name);
    const auto* is = after.settings.find(planned.name);
    if (!planned.enabled || !planned.manifest || was == nullptr || !was->enabled) continue;
    add(planned.name, planned.manifest->config, was->config, is->config);
  }
  return out;
}

bool take_live(plugin::Plan& plan, const std::vector<config::Change>& changes) {
  bool any = false;
  for (const auto& change : changes) {
    if (change.reload != config::Reload::kLive) continue;
    Value* at = nullptr;
    if (change.section == "kernel") at = &plan.settings.kernel;
    if (change.section == "log") at = &plan.settings.log;
    for (auto& plugin : plan.settings.plugins) {
      if (plugin.name == change.section) at = &plugin.config;
    }
    std::string_view path = change.path;  // of a schema's keys, which have no dots in them
    for (std::size_t dot = path.find('.'); at != nullptr && dot != std::string_view::npos;
         dot = path.find('.')) {
      at = at->find(path.substr(0, dot));
      path.remove_prefix(dot + 1);
    }
    if (at == nullptr) continue;
    any = true;
    if (change.after.is_null()) {
      at->erase(path);
    } else {
      at->set(std::string(path), change.after);
    }
  }
  return any;
}

Result<SettingsDraft> draft_settings(const SettingsWriteRequest& request,
                                     const plugin::Plan& in_force, const TryPlan& try_plan) {
  GANTRY_ASSIGN(const Value written, read_settings(in_force));
  const config::Origin origin{in_force.layers.written_file.string(), 0};
  GANTRY_ASSIGN(const Value change, read_change(request, written, in_force, origin));
  SettingsDraft draft;
  draft.written = request.replace ? Value::map() : written;
  config::lay_change(draft.written, change);

  Diagnostics before;
  Diagnostics after;
  Diagnostics ignored;
  const auto now = try_plan(written, before);
  auto next = try_plan(draft.written, after);
  if (!next) return refusal_of(after);
  const auto sections = sections_of(*next);
  config::refuse_overruled(change, next->settings, sections, origin, after);
  // What is wrong already is no reason against a change that has nothing to do with it.
  const auto known = errors_of(before);
  const auto found = errors_of(after);
  if (!std::includes(known.begin(), known.end(), found.begin(), found.end())) {
    return refusal_of(after, known);
  }
  if (const auto without = try_plan(Value::map(), ignored)) {
    config::drop_what_files_say(draft.written, without->settings, next->settings, sections);
  }
  draft.changes = differences(now ? now->settings : in_force.settings, *next);
  draft.next = std::move(*next);
  return draft;
}

}  // namespace gantry::service
