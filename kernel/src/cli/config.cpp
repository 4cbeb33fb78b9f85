// SPDX-License-Identifier: Apache-2.0
// gantry config: the effective configuration, and the reference made from the manifests.
#include <algorithm>
#include <cstdio>

#include "cli/cli.hpp"
#include "config/reference.hpp"

namespace gantry::cli {
namespace {

int show(const Invocation& invocation) {
  config::Diagnostics diagnostics;
  const auto plan = plugin::make_plan(plan_options(invocation), diagnostics);
  print_findings(diagnostics);
  if (!plan) return kConfig;
  const auto tree = config::effective_tree(plan->settings);
  const std::string text = invocation.json ? config::to_json(tree, config::Redact::kSecrets) + "\n"
                                           : config::to_yaml(tree, config::Redact::kSecrets);
  std::fputs(text.c_str(), stdout);
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
  for (const auto& manifest : manifests) {
    sections.push_back({manifest.name, manifest.summary, &manifest.config});
  }
  std::fputs(config::reference_markdown(sections).c_str(), stdout);
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
