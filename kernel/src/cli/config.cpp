// SPDX-License-Identifier: Apache-2.0
// gantry config: the configuration in force, settings that are written while the daemon runs, and
// the reference made from the manifests.
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/kernel_settings.hpp>

#include <algorithm>
#include <cstdio>

#include "cli/access.hpp"
#include "config/reference.hpp"
#include "config/yaml.hpp"

namespace gantry::cli {
namespace {

// Options that describe another configuration than that of the running daemon.
bool supposes(const Invocation& invocation) {
  return !invocation.sets.empty() || !invocation.profiles.empty() || invocation.safe_mode;
}

int print(const Invocation& invocation, const config::Value& tree) {
  const std::string text = invocation.json ? config::to_json(tree, config::Redact::kSecrets) + "\n"
                                           : config::to_yaml(tree, config::Redact::kSecrets);
  std::fputs(text.c_str(), stdout);
  return kOk;
}

// What a daemon started now would have.
int show_planned(const Invocation& invocation) {
  config::Diagnostics diagnostics;
  const auto plan = plugin::make_plan(plan_options(invocation), diagnostics);
  print_findings(diagnostics);
  if (!plan) return kConfig;
  std::fprintf(stderr, "read: the files, environment and options (no daemon was asked)\n");
  return print(invocation, config::effective_tree(plan->settings));
}

// What the daemon has: its options and environment may differ from ours, and its files may have
// changed since it read them.
int show_running(const Invocation& invocation, Access& daemon) {
  const auto answer = call_typed<KernelConfig>(daemon, {});
  if (!answer.ok()) {
    complain(answer.error().message);
    return answer.error().code == Code::Unavailable ? kUnavailable : kFailed;
  }
  config::Diagnostics diagnostics;
  const auto tree = config::parse_yaml((*answer)->config.text, daemon.describe(), diagnostics);
  print_findings(diagnostics);
  if (!tree) return kSoftware;
  std::fprintf(stderr, "asked: %s\n", daemon.describe().c_str());
  return print(invocation, *tree);
}

int show(const Invocation& invocation) {
  if (invocation.in_process || supposes(invocation)) return show_planned(invocation);
  const auto daemon = open_daemon(invocation);
  if (daemon.ok()) return show_running(invocation, **daemon);
  if (invocation.socket.empty()) return show_planned(invocation);
  complain(daemon.error().message);
  return kUnavailable;
}

int refused(const Error& error) {
  complain(error.message);
  return error.code == Code::Unavailable ? kUnavailable : kFailed;
}

int show_written(const Invocation& invocation) {
  const auto daemon = open_daemon(invocation);
  if (!daemon.ok()) return refused(daemon.error());
  const auto answer = call_typed<KernelSettings>(**daemon, {});
  if (!answer.ok()) return refused(answer.error());
  const SettingsReport& report = **answer;
  config::Diagnostics diagnostics;
  const auto tree = config::parse_yaml(report.written.text, report.file, diagnostics);
  if (!tree) return kSoftware;
  std::fprintf(stderr, "file: %s\n", report.file.c_str());
  for (const auto& key : report.waiting) {
    std::fprintf(stderr, "in force with the next reload: %s\n", key.c_str());
  }
  return print(invocation, *tree);
}

// What --set reads as a plain word is one here too.
void read_plain_words(config::Value& value) {
  if (value.is_map()) {
    for (auto& entry : value.entries()) read_plain_words(entry.value);
  } else if (value.loose) {
    value = config::plain_scalar(value.as_text());
  }
}

// Arguments after "set": KEY=VALUE as --set has them; after "unset": KEY.
int write(const Invocation& invocation, std::string_view ending) {
  config::Diagnostics diagnostics;
  config::Value change = config::Value::map();
  for (std::size_t i = 1; i < invocation.arguments.size(); ++i) {
    config::parse_set(invocation.arguments[i] + std::string(ending), change, diagnostics);
  }
  print_findings(diagnostics);
  if (diagnostics.has_errors() || invocation.arguments.size() < 2) return kUsage;
  read_plain_words(change);
  const auto daemon = open_daemon(invocation);
  if (!daemon.ok()) return refused(daemon.error());
  SettingsWriteRequest request;
  request.change = Json(config::to_json(change, config::Redact::kNo));
  request.by = "gantry config";
  const auto answer = call_typed<KernelWriteSettings>(**daemon, request);
  if (!answer.ok()) return refused(answer.error());
  for (const SettingsChange& one : (*answer)->changes) {
    std::printf("%s: %s -> %s (%s)\n", one.key.c_str(), one.before.text.c_str(),
                one.after.text.c_str(), one.live ? "in force" : "with the next reload");
  }
  if ((*answer)->changes.empty()) std::printf("nothing changed\n");
  return kOk;
}

// Arguments after "reference": folders with plugins; none: the installed ones.
int reference(const Invocation& invocation) {
  std::vector<std::string> roots(invocation.arguments.begin() + 1, invocation.arguments.end());
  if (roots.empty()) roots.push_back(plan_options(invocation).vendor_dir.string());
  config::Diagnostics diagnostics;
  std::vector<plugin::Manifest> manifests;
  for (const auto& root : roots) {
    for (const auto& dir : plugin::find_plugin_dirs(root)) {
      if (auto manifest = plugin::load_manifest(dir, diagnostics)) {
        manifests.push_back(std::move(*manifest));
      }
    }
  }
  print_findings(diagnostics);
  if (diagnostics.has_errors()) return kConfig;
  std::sort(manifests.begin(), manifests.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  std::vector<config::ReferenceSection> sections;
  sections.reserve(manifests.size());
  for (const auto& manifest : manifests) {
    sections.push_back({manifest.name, manifest.summary, &manifest.config});
  }
  const std::string text = invocation.json ? config::reference_json(sections) + "\n"
                                           : config::reference_markdown(sections);
  std::fputs(text.c_str(), stdout);
  return kOk;
}

}  // namespace

int config(const Invocation& invocation) {
  const auto& words = invocation.arguments;
  if (words.empty() || words[0] == "show") return show(invocation);
  if (words[0] == "reference") return reference(invocation);
  if (words[0] == "written") return show_written(invocation);
  if (words[0] == "set") return write(invocation, "");
  if (words[0] == "unset") return write(invocation, "=null");
  complain(
      "usage: gantry config [show | written | set KEY=VALUE… | unset KEY… | reference [FOLDER…]]");
  return kUsage;
}

}  // namespace gantry::cli
