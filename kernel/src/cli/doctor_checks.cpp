// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_checks.hpp"

#include <Poco/Exception.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "cli/holder.hpp"
#include "config/value.hpp"

namespace gantry::cli {
namespace {

namespace fs = std::filesystem;

struct Program {
  const char* file;
  const char* package;
  const char* why;
};

// Only what the desktop needs beside the daemon; libraries come with the package.
constexpr std::array kPrograms{
    Program{"usr/libexec/at-spi-bus-launcher", "at-spi2-core", "are no accessibility trees"},
    Program{"usr/bin/dbus-daemon", "dbus", "is no session bus"},
};

constexpr std::array<std::string_view, 3> kGrades{"ok", "note", "bad"};

std::string_view grade_name(Grade grade) { return kGrades.at(static_cast<std::size_t>(grade)); }

}  // namespace

void check_session(const config::Environment& environment, Report& report) {
  const std::string x11 = environment.get("DISPLAY").value_or("");
  const std::string wayland = environment.get("WAYLAND_DISPLAY").value_or("");
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
  const std::string bus = environment.get("DBUS_SESSION_BUS_ADDRESS").value_or("");
  const std::string runtime = environment.get("XDG_RUNTIME_DIR").value_or("");
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

void check_programs(const fs::path& root, Report& report) {
  for (const auto& program : kPrograms) {
    std::error_code ignored;
    const bool there = fs::exists(root / program.file, ignored);
    report.push_back({"packages", there ? Grade::kGood : Grade::kNote,
                      std::string(program.package) +
                          (there ? " is installed" : " is missing: without it there ") +
                          (there ? "" : program.why),
                      there ? "" : "sudo apt-get install " + std::string(program.package)});
  }
}

void check_ports_free(const std::vector<WantedPort>& ports, Report& report) {
  for (const auto& wanted : ports) {
    const std::string name = wanted.path + " = " + std::to_string(wanted.port);
    try {
      const auto port = static_cast<Poco::UInt16>(wanted.port);
      Poco::Net::ServerSocket probe;
      probe.bind(Poco::Net::SocketAddress(wanted.host.empty() ? "127.0.0.1" : wanted.host, port),
                 true);
      report.push_back({"ports", Grade::kGood, name + " is free", ""});
    } catch (const Poco::Exception& error) {
      const std::string holder = holder_of_port(wanted.port);
      report.push_back({"ports", Grade::kBad,
                        name + ": " + error.displayText() +
                            (holder.empty() ? "" : "; " + holder + " listens on it"),
                        "ss -ltnp 'sport = :" + std::to_string(wanted.port) +
                            "' shows who has it; or --set another port"});
    }
  }
}

void check_folders(const config::Environment& environment, Report& report) {
  for (const auto* name : {"GANTRY_RUNTIME_DIR", "GANTRY_STATE_DIR"}) {
    const std::string dir = environment.get(name).value_or("");
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

bool is_ready(const Report& report) {
  return std::none_of(report.begin(), report.end(),
                      [](const Line& line) { return line.grade == Grade::kBad; });
}

std::string report_json(const Report& report, const std::string& asked) {
  using config::quote_json;
  std::string out = "{\"ready\":" + std::string(is_ready(report) ? "true" : "false") +
                    ",\"asked\":" + quote_json(asked) + ",\"lines\":[";
  std::string_view separator;
  for (const auto& line : report) {
    out += separator;
    out += "{\"area\":" + quote_json(line.area) +
           ",\"grade\":" + quote_json(grade_name(line.grade)) +
           ",\"finding\":" + quote_json(line.finding) + ",\"cure\":" + quote_json(line.cure) + "}";
    separator = ",";
  }
  return out + "]}\n";
}

std::string report_text(const Report& report, const std::string& asked) {
  constexpr std::size_t kGradeWidth = 4;
  std::string out = "asked: " + asked + "\n";
  std::string_view area;
  for (const auto& line : report) {
    if (line.area != area) out += "\n" + line.area + "\n";
    area = line.area;
    std::string grade(grade_name(line.grade));
    grade.resize(kGradeWidth, ' ');
    out += "  [" + grade + "] " + line.finding + "\n";
    if (!line.cure.empty()) out += "         cure: " + line.cure + "\n";
  }
  return out + (is_ready(report) ? "\ndoctor: ready\n"
                                 : "\ndoctor: not ready, see the lines marked bad\n");
}

}  // namespace gantry::cli
