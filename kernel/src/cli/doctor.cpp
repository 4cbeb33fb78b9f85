// SPDX-License-Identifier: Apache-2.0
// gantry doctor: one readiness report, each problem with the command that cures it.
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/llm.hpp>
#include <gantry/contracts/platform.hpp>
#include <gantry/counted.hpp>

#include <cstdio>

#include "cli/access.hpp"
#include "cli/doctor_checks.hpp"
#include "cli/doctor_language.hpp"
#include "cli/models.hpp"
#include "cli/ports.hpp"

namespace gantry::cli {
namespace {

void list_listeners(Access& access, Report& report) {
  const auto found = call_typed<HttpListeners>(access, {});
  if (!found.ok()) {
    report.push_back(
        {"listeners", Grade::kNote, found.error().message, "gantry plugins why transport"});
    return;
  }
  for (const auto& listener : (*found)->listeners) {
    report.push_back({"listeners", Grade::kGood,
                      listener.listener + " at " + listener.address + ", " +
                          counted(listener.mounts.size(), "mount"),
                      ""});
  }
}

void check_plan(const plugin::Plan& plan, Report& report) {
  for (const auto& planned : plan.plugins) {
    if (planned.refused.empty()) continue;
    report.push_back(
        {"plugins", Grade::kBad, planned.name + " " + planned.refused, "gantry check"});
  }
}

void check_state(Access& access, Report& report) {
  const auto health = call_typed<KernelHealth>(access, {});
  if (!health.ok()) {
    report.push_back({"health", Grade::kBad, health.error().message, "gantry run"});
    return;
  }
  for (const auto& component : (*health)->components) {
    if (component.state == "ok") continue;
    report.push_back({"health", component.state == "failed" ? Grade::kBad : Grade::kNote,
                      component.plugin + "/" + component.component + " is " + component.state +
                          ": " + component.reason,
                      component.cure});
  }
}

void probe_adapters(Access& access, Report& report) {
  const auto contracts = call_typed<gantry::KernelContracts>(access, {});
  const auto plugins = call_typed<KernelPlugins>(access, {});
  if (!contracts.ok() || !plugins.ok()) return;
  std::vector<std::string> adapters;
  for (const auto& info : (*plugins)->plugins) {
    const bool usable = info.state == "running" || info.state == "lazy";
    for (const auto& name : info.provides) {
      if (usable && name == PlatformProbe::kName) adapters.push_back(info.name);
    }
  }
  if (adapters.empty()) {
    report.push_back({"adapters", Grade::kNote, "no enabled plugin reaches a desktop",
                      "use the profile desktop, or dev for a mock"});
  }
  for (const auto& adapter : adapters) {
    const auto probe = call_typed<PlatformProbe>(access, {}, adapter);
    if (!probe.ok()) {
      report.push_back({"adapters", Grade::kBad, adapter + ": " + probe.error().message, ""});
      continue;
    }
    const ProbeReport& found = **probe;
    report.push_back({"adapters", found.score > 0 ? Grade::kGood : Grade::kNote,
                      adapter + " scores " + std::to_string(found.score) + ": " + found.reason,
                      found.cure});
    for (const auto& capability : found.capabilities) {
      report.push_back({"adapters", capability.available ? Grade::kGood : Grade::kNote,
                        "  " + capability.name + (capability.available ? "" : " is missing") +
                            (capability.reason.empty() ? "" : ": " + capability.reason),
                        capability.cure});
    }
  }
}

}  // namespace

int doctor(const Invocation& invocation) {
  if (!invocation.arguments.empty()) {
    complain("usage: gantry doctor");
    return kUsage;
  }
  const auto environment = config::with_standard_dirs(config::Environment::process());
  Report report;
  check_session(environment, report);
  config::Diagnostics diagnostics;
  const auto plan = plugin::make_plan(plan_options(invocation), diagnostics);
  for (const auto& finding : diagnostics.items()) {
    const bool error = finding.severity == config::Severity::kError;
    report.push_back(
        {"configuration", error ? Grade::kBad : Grade::kNote, finding.to_string(), ""});
  }
  std::string asked = "this process";
  auto access = open_access(invocation, Need::kProbes);
  if (access.ok()) {
    asked = (*access)->describe();
    probe_adapters(**access, report);
    check_state(**access, report);
  } else if (plan) {
    report.push_back({"health", Grade::kBad, access.error().message, ""});
  }
  if (access.ok() && (*access)->is_daemon()) {
    list_listeners(**access, report);
    check_language_models(**access, report);
  } else if (plan) {
    check_plan(*plan, report);
    check_ports_free(wanted_ports(*plan), report);
  }
  // Ends after the report is printed: code that hangs in its stop ends the command as well.
  Result<std::unique_ptr<Access>> models = not_found("");
  if (plan && !(access.ok() && (*access)->is_daemon())) {
    models = open_access(invocation, Need::kProvider, std::string(LlmModels::kName));
    if (models.ok()) check_language_models(**models, report);
  }
  check_folders(environment, report);
  check_programs("/", report);
  check_models(invocation, report);
  const std::string text = (invocation.json ? report_json : report_text)(report, asked);
  std::fputs(text.c_str(), stdout);
  return is_ready(report) ? kOk : kFailed;
}

}  // namespace gantry::cli
