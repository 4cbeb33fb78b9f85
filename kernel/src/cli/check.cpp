// SPDX-License-Identifier: Apache-2.0
// gantry check: everything that can be known without running plugin code.
#include <algorithm>
#include <cstdio>
#include <map>

#include "cli/cli.hpp"
#include "cli/ports.hpp"
#include "cli/printable.hpp"

namespace gantry::cli {
namespace {

using config::quote_json;

std::string finding_json(const config::Diagnostic& finding) {
  return std::string("{\"severity\":\"") +
         (finding.severity == config::Severity::kError ? "error" : "warning") +
         "\",\"file\":" + quote_json(finding.origin.file) +
         ",\"line\":" + std::to_string(finding.origin.line) +
         ",\"path\":" + quote_json(finding.path) + ",\"message\":" + quote_json(finding.message) +
         "}";
}

std::string state_of(const plugin::PlannedPlugin& planned) {
  if (!planned.enabled) return "disabled";
  if (!planned.refused.empty()) return "refused";
  return planned.manifest->lazy ? "lazy" : "starts";
}

void print_json(const plugin::Plan* plan, const config::Diagnostics& diagnostics) {
  std::string out =
      std::string("{\"ok\":") + (diagnostics.has_errors() ? "false" : "true") + ",\"findings\":[";
  std::string_view separator;
  for (const auto& finding : diagnostics.items()) {
    out += separator;
    out += finding_json(finding);
    separator = ",";
  }
  out += "],\"plugins\":[";
  separator = "";
  if (plan != nullptr) {
    for (const auto& planned : plan->plugins) {
      out += separator;
      out += "{\"name\":" + quote_json(planned.name) + ",\"state\":\"" + state_of(planned) +
             "\",\"reason\":" + quote_json(planned.refused) + "}";
      separator = ",";
    }
  }
  out += "]}\n";
  std::fputs(out.c_str(), stdout);
}

void print_text(const plugin::Plan& plan) {
  std::printf("configuration: %s\n", config::join(plan.layers.files, ", ").c_str());
  std::printf("profile:       %s\n", config::join(plan.layers.profiles, ", ").c_str());
  std::printf("start order:   %s\n", config::join(plan.resolution.order, ", ").c_str());
  std::vector<std::vector<std::string>> rows{{"PLUGIN", "STATE", "VERSION", "WHY"}};
  for (const auto& planned : plan.plugins) {
    rows.push_back({planned.name, state_of(planned),
                    planned.manifest ? planned.manifest->version.to_string() : "-",
                    planned.refused});
  }
  std::printf("\n%s", table(rows).c_str());
  for (const auto& note : plan.resolution.notes) std::printf("note: %s\n", note.c_str());
}

// The last line says how it went, and names the errors once more: what came before may have
// scrolled away, and a service manager or a pipeline shows the last line only.
void print_verdict(const config::Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  if (errors == 0) {
    std::printf("check: all good\n");
    return;
  }
  std::vector<std::string> places;
  for (const auto& finding : diagnostics.items()) {
    if (finding.severity != config::Severity::kError) continue;
    const std::string origin = finding.origin.to_string();
    places.push_back(finding.path.empty() ? origin : origin + " " + finding.path);
  }
  std::printf("check: not good, %zu error%s: %s\n", errors, errors == 1 ? "" : "s",
              printable_line(config::join(places)).c_str());
}

// A preference that nobody can follow is a warning: plugins come and go, and the rest works.
void check_preferences(const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  const auto* preferred = plan.settings.kernel.find("prefer");
  if (preferred == nullptr) return;
  std::map<std::string, std::vector<std::string>> providers;
  const auto add = [&](const plugin::Manifest& manifest) {
    for (const auto& contract : manifest.provides) {
      auto& names = providers[contract.to_string()];
      if (std::find(names.begin(), names.end(), manifest.name) == names.end()) {
        names.push_back(manifest.name);
      }
    }
  };
  for (const auto& manifest : plan.installed) add(*manifest);
  for (const auto& planned : plan.plugins) {
    if (planned.manifest) add(*planned.manifest);
  }
  std::vector<std::string> contracts;
  for (const auto& [contract, names] : providers) contracts.push_back(contract);
  for (const auto& entry : preferred->as_map()) {
    const std::string path = "kernel.prefer.\"" + entry.key + "\"";
    const auto known = providers.find(entry.key);
    const std::string name = entry.value.as_text();
    if (known == providers.end()) {
      diagnostics.warning(
          entry.origin, path,
          "no installed plugin provides it." + config::did_you_mean(entry.key, contracts));
    } else if (std::find(known->second.begin(), known->second.end(), name) == known->second.end()) {
      diagnostics.warning(
          entry.value.origin, path,
          "'" + name + "' does not provide it; installed are: " + config::join(known->second) +
              "." + config::did_you_mean(name, known->second));
    }
  }
}

}  // namespace

void check_claims(const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  check_ports(plan, diagnostics);
  check_shared(plan, diagnostics);
  check_mounts(plan, diagnostics);
  check_listeners(plan, diagnostics);
  check_preferences(plan, diagnostics);
}

void check_plan(const plugin::Plan& plan, config::Diagnostics& diagnostics) {
  plugin::report_refusals(plan, diagnostics);
  check_exposure(plan, diagnostics);
  check_claims(plan, diagnostics);
}

int check(const Invocation& invocation) {
  if (!invocation.arguments.empty()) {
    complain("check takes no arguments, found '" + invocation.arguments.front() + "'");
    return kUsage;
  }
  config::Diagnostics diagnostics;
  const auto plan = plugin::make_plan(plan_options(invocation), diagnostics);
  const bool broken = !plan;
  if (plan) check_plan(*plan, diagnostics);
  if (invocation.json) {
    print_json(plan ? &*plan : nullptr, diagnostics);
  } else {
    if (plan) print_text(*plan);
    std::fflush(stdout);  // the findings come after it also where both go to one file
    print_findings(diagnostics);
    print_verdict(diagnostics);
  }
  if (broken) return kConfig;
  return diagnostics.has_errors() ? kFailed : kOk;
}

}  // namespace gantry::cli
