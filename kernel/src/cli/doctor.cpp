// SPDX-License-Identifier: Apache-2.0
// gantry doctor: one readiness report, each problem with the command that cures it.
#include <Poco/Exception.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <unistd.h>
#include <gantry/contracts/http.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/platform.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cli/access.hpp"
#include "cli/ports.hpp"

namespace gantry::cli {
namespace {

namespace fs = std::filesystem;

enum class Grade { kGood, kNote, kBad };

struct Line {
  std::string area;
  Grade grade = Grade::kGood;
  std::string finding;
  std::string cure;
};

using Report = std::vector<Line>;

void check_display(Report& report) {
  const std::string x11 = environment("DISPLAY");
  const std::string wayland = environment("WAYLAND_DISPLAY");
  if (!x11.empty()) report.push_back({"display", Grade::kGood, "DISPLAY is " + x11, ""});
  if (!wayland.empty()) {
    report.push_back({"display", Grade::kGood, "WAYLAND_DISPLAY is " + wayland, ""});
  }
  if (x11.empty() && wayland.empty()) {
    report.push_back({"display", Grade::kNote,
                      "neither DISPLAY nor WAYLAND_DISPLAY is set: there is no desktop here",
                      "start it in a desktop session or set DISPLAY; without a desktop: gantry run "
                      "--profile server"});
  }
  const std::string bus = environment("DBUS_SESSION_BUS_ADDRESS");
  const std::string runtime = environment("XDG_RUNTIME_DIR");
  std::error_code ignored;
  if (!bus.empty()) {
    report.push_back({"session bus", Grade::kGood, "DBUS_SESSION_BUS_ADDRESS is " + bus, ""});
  } else if (!runtime.empty() && fs::exists(runtime + "/bus", ignored)) {
    report.push_back({"session bus", Grade::kGood, runtime + "/bus", ""});
  } else {
    report.push_back({"session bus", Grade::kNote,
                      "DBUS_SESSION_BUS_ADDRESS is not set and there is no bus in XDG_RUNTIME_DIR: "
                      "accessibility trees may be missing",
                      "start it in the desktop session, or set DBUS_SESSION_BUS_ADDRESS to that "
                      "session's bus"});
  }
}

struct Program {
  const char* file;
  const char* package;
  const char* why;
};

// Only what the desktop needs beside the daemon; libraries come with the package.
constexpr std::array kPrograms{
    Program{"/usr/libexec/at-spi-bus-launcher", "at-spi2-core", "accessibility trees"},
    Program{"/usr/bin/dbus-daemon", "dbus", "the session bus"},
};

void check_programs(Report& report) {
  for (const auto& program : kPrograms) {
    std::error_code ignored;
    const bool there = fs::exists(program.file, ignored);
    report.push_back({"packages", there ? Grade::kGood : Grade::kNote,
                      std::string(program.package) +
                          (there ? " is installed" : " is missing: no ") +
                          (there ? "" : program.why),
                      there ? "" : "sudo apt-get install " + std::string(program.package)});
  }
}

void check_ports_free(const plugin::Plan& plan, Report& report) {
  for (const auto& wanted : wanted_ports(plan)) {
    const std::string name = wanted.path + " = " + std::to_string(wanted.port);
    try {
      const auto port = static_cast<Poco::UInt16>(wanted.port);
      Poco::Net::ServerSocket probe;
      probe.bind(Poco::Net::SocketAddress(wanted.host.empty() ? "127.0.0.1" : wanted.host, port),
                 true);
      report.push_back({"ports", Grade::kGood, name + " is free", ""});
    } catch (const Poco::Exception& error) {
      report.push_back({"ports", Grade::kBad, name + ": " + error.displayText(),
                        "ss -ltnp 'sport = :" + std::to_string(wanted.port) +
                            "' shows who has it; or --set another port"});
    }
  }
}

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
                          std::to_string(listener.mounts.size()) + " mounts",
                      ""});
  }
}

void check_folders(Report& report) {
  const auto dirs = config::with_standard_dirs(config::Environment::process());
  for (const auto* name : {"GANTRY_RUNTIME_DIR", "GANTRY_STATE_DIR"}) {
    const std::string dir = dirs.get(name).value_or("");
    fs::path at = dir;
    std::error_code ignored;
    while (!at.empty() && !fs::exists(at, ignored) && at != at.root_path()) at = at.parent_path();
    const bool usable = !dir.empty() && access(at.c_str(), W_OK | X_OK) == 0;
    report.push_back({"permissions", usable ? Grade::kGood : Grade::kBad,
                      std::string(name) + " is " + dir +
                          (usable ? "" : ", and " + at.string() + " is not writable"),
                      usable ? "" : "set " + std::string(name) + " to a folder of yours"});
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

constexpr std::array<std::string_view, 3> kGrades{"ok", "note", "bad"};

std::string_view grade_name(Grade grade) { return kGrades.at(static_cast<std::size_t>(grade)); }

void report_json(const Report& report, const std::string& asked, bool ready) {
  using config::quote_json;
  std::string out = "{\"ready\":" + std::string(ready ? "true" : "false") +
                    ",\"asked\":" + quote_json(asked) + ",\"lines\":[";
  std::string_view separator;
  for (const auto& line : report) {
    out += separator;
    out += "{\"area\":" + quote_json(line.area) +
           ",\"grade\":" + quote_json(grade_name(line.grade)) +
           ",\"finding\":" + quote_json(line.finding) + ",\"cure\":" + quote_json(line.cure) + "}";
    separator = ",";
  }
  std::printf("%s]}\n", out.c_str());
}

void report_text(const Report& report, const std::string& asked, bool ready) {
  std::printf("asked: %s\n", asked.c_str());
  std::string area;
  for (const auto& line : report) {
    if (line.area != area) std::printf("\n%s\n", line.area.c_str());
    area = line.area;
    std::printf("  [%-4s] %s\n", std::string(grade_name(line.grade)).c_str(), line.finding.c_str());
    if (!line.cure.empty()) std::printf("         cure: %s\n", line.cure.c_str());
  }
  std::printf("\n%s\n", ready ? "doctor: ready" : "doctor: not ready, see the lines marked bad");
}

}  // namespace

int doctor(const Invocation& invocation) {
  if (!invocation.arguments.empty()) {
    complain("usage: gantry doctor");
    return kUsage;
  }
  Report report;
  check_display(report);
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
  } else if (plan) {
    check_plan(*plan, report);
    check_ports_free(*plan, report);
  }
  check_folders(report);
  check_programs(report);
  bool ready = true;
  for (const auto& line : report) ready = ready && line.grade != Grade::kBad;
  (invocation.json ? report_json : report_text)(report, asked, ready);
  return ready ? kOk : kFailed;
}

}  // namespace gantry::cli
