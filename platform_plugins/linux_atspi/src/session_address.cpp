// SPDX-License-Identifier: Apache-2.0
#include "session_address.hpp"

#include "read_all.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

namespace gantry::atspi {
namespace {

constexpr const char* kCure =
    "start the daemon inside the desktop session, or set DBUS_SESSION_BUS_ADDRESS to that "
    "session's bus; on a server use `dbus-run-session` with at-spi2-core installed";

/// Value of `name` in a NUL-separated environment block.
std::string value_of(std::string_view block, std::string_view name) {
  while (!block.empty()) {
    const auto end = std::min(block.find('\0'), block.size());
    const std::string_view entry = block.substr(0, end);
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
    block.remove_prefix(std::min(end + 1, block.size()));
  }
  return {};
}

/// False only for a `unix:path=` whose socket is gone; other transports are tried by connecting.
bool may_be_alive(const std::string& address) {
  constexpr std::string_view kPrefix = "unix:path=";
  if (!std::string_view(address).starts_with(kPrefix)) return true;
  const auto end = std::min(address.find_first_of(",;"), address.size());
  const std::string path = address.substr(kPrefix.size(), end - kPrefix.size());
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

struct ProcessFind {
  std::string address;
  std::string pid;
  bool same_display = false;
};

struct ProcessSearch {
  std::optional<ProcessFind> own;
  std::string foreign;  ///< "uid 1000 (pid 4711, gnome-session)"
};

/// Programs that only run as part of somebody's desktop.
bool is_desktop_program(std::string_view name) {
  constexpr std::string_view kPrograms[] = {
      "gnome-session",   "gnome-shell",    "xfce4-session", "plasmashell",  "kwin",
      "openbox",         "mutter",         "sway",          "weston",       "labwc",
      "cinnamon",        "mate-session",   "lxsession",     "lxqt-session", "i3",
      "at-spi-bus-laun", "at-spi2-registr"};
  return std::any_of(std::begin(kPrograms), std::end(kPrograms),
                     [&](std::string_view p) { return name.starts_with(p); });
}

void inspect_process(const SessionEnvironment& environment, const std::string& pid,
                     const std::string& display, ProcessSearch& search) {
  const std::string folder = environment.proc + "/" + pid;
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0) return;
  if (info.st_uid != environment.uid) {
    if (!search.foreign.empty()) return;
    std::string name = read_all(folder + "/comm");
    name.erase(std::remove(name.begin(), name.end(), '\n'), name.end());
    if (!is_desktop_program(name)) return;
    search.foreign = "uid " + std::to_string(info.st_uid) + " (pid " + pid + ", " + name + ")";
    return;
  }
  const std::string block = read_all(folder + "/environ");
  std::string address = value_of(block, "DBUS_SESSION_BUS_ADDRESS");
  if (address.empty() || !may_be_alive(address)) return;
  const std::string theirs = value_of(block, "DISPLAY");
  if (theirs.empty() && value_of(block, "WAYLAND_DISPLAY").empty()) return;
  const bool same = !display.empty() && theirs == display;
  if (!search.own || (same && !search.own->same_display)) {
    search.own = ProcessFind{std::move(address), pid, same};
  }
}

ProcessSearch search_processes(const SessionEnvironment& environment) {
  ProcessSearch search;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(environment.proc.c_str()), &closedir);
  if (!folder) return search;
  const std::string own_pid = std::to_string(getpid());
  const std::string display = environment.getenv("DISPLAY");
  while (const dirent* entry = readdir(folder.get())) {
    const std::string name = entry->d_name;
    const bool number = name.find_first_not_of("0123456789") == std::string::npos;
    if (number && name != own_pid) inspect_process(environment, name, display, search);
  }
  return search;
}

}  // namespace

SessionEnvironment SessionEnvironment::of_this_process() {
  SessionEnvironment environment;
  environment.getenv = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  environment.uid = getuid();
  return environment;
}

Result<BusAddress> find_bus(const SessionEnvironment& environment) {
  if (auto value = environment.getenv("AT_SPI_BUS_ADDRESS"); !value.empty()) {
    return BusAddress{std::move(value), "AT_SPI_BUS_ADDRESS", true};
  }
  if (auto value = environment.getenv("DBUS_SESSION_BUS_ADDRESS"); !value.empty()) {
    return BusAddress{std::move(value), "DBUS_SESSION_BUS_ADDRESS", false};
  }
  const std::string socket = environment.run_user + "/" + std::to_string(environment.uid) + "/bus";
  if (may_be_alive("unix:path=" + socket)) return BusAddress{"unix:path=" + socket, socket, false};

  const ProcessSearch search = search_processes(environment);
  if (search.own) {
    return BusAddress{search.own->address, "environment of process " + search.own->pid, false};
  }
  std::string reason = "no session bus: DBUS_SESSION_BUS_ADDRESS is not set, " + socket +
                       " does not exist, and no desktop process of uid " +
                       std::to_string(environment.uid) + " was found";
  if (!search.foreign.empty()) {
    return Error{Code::PermissionDenied,
                 reason + "; the desktop that runs here belongs to " + search.foreign +
                     " and is not used: run the daemon as that user",
                 {}};
  }
  return unavailable(reason, kCure);
}

}  // namespace gantry::atspi
