// SPDX-License-Identifier: Apache-2.0
// gantry config: the configuration in force, and the reference made from the manifests.
#include <gantry/contracts/kernel.hpp>

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
  complain("usage: gantry config [show | reference [FOLDER…]]");
  return kUsage;
}

}  // namespace gantry::cli
