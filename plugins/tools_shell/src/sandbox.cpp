// SPDX-License-Identifier: Apache-2.0
#include "sandbox.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <gantry/tools/workspace.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "environment.hpp"

namespace gantry::shell {
namespace {

namespace fs = std::filesystem;

/// Programs and libraries.
constexpr std::array<std::string_view, 7> kSystem{"/usr",   "/bin",   "/sbin",  "/lib",
                                                  "/lib32", "/lib64", "/libx32"};
/// What programs look up in /etc. Not all of /etc: a daemon of root could read secrets there.
constexpr std::array<std::string_view, 24> kEtc{
    "alternatives", "bash.bashrc", "ca-certificates", "ca-certificates.conf",
    "fonts",        "group",       "host.conf",       "hosts",
    "inputrc",      "ld.so.cache", "ld.so.conf",      "ld.so.conf.d",
    "localtime",    "magic",       "mime.types",      "nsswitch.conf",
    "passwd",       "perl",        "profile",         "protocols",
    "python3",      "services",    "ssl/certs",       "timezone"};
/// Only when there is a network.
constexpr std::array<std::string_view, 2> kNetworkEtc{"resolv.conf", "gai.conf"};

constexpr std::size_t kOneDigit = 9;

enum class Kind { ReadOnly, Writable, HiddenFolder, HiddenFile };

/// One place of the sandbox. Parents come before what lies in them, so that the deeper rule holds.
struct Mount {
  std::string path;  // the same outside and inside
  Kind kind;
};

std::optional<std::string> real_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return std::nullopt;
  return real.string();
}

bool covered(const std::vector<Mount>& mounts, const std::string& path) {
  return std::any_of(mounts.begin(), mounts.end(),
                     [&](const Mount& mount) { return tools::lies_within(path, mount.path); });
}

/// Every folder between a writable place and what is hidden in it becomes a place of its own: such
/// a one cannot be renamed. A command that could would find what was hidden under its new name, at
/// the next call.
void pin_folders_above(const std::string& hidden, std::vector<Mount>& mounts) {
  const std::vector<Mount> places = mounts;
  for (fs::path above = fs::path(hidden).parent_path(); above != above.root_path();
       above = above.parent_path()) {
    const Mount* around = nullptr;  // the innermost place
    for (const Mount& place : places) {
      const bool inner = around == nullptr || place.path.size() >= around->path.size();
      if (inner && tools::lies_within(above.string(), place.path)) around = &place;
    }
    if (around == nullptr) return;
    if (around->kind != Kind::Writable || around->path == above.string()) continue;
    mounts.push_back({above.string(), Kind::Writable});
  }
}

/// The configured places, and the workspace. Those that do not exist are left out.
std::vector<Mount> mounts_of(const Settings& settings, const CommandRequest& request) {
  std::vector<Mount> mounts;
  const std::string home = tools::home_folder();
  const auto add = [&](const std::vector<std::string>& paths, Kind kind) {
    for (const std::string& path : paths) {
      if (const auto real = real_path(tools::expand_path(path, request.principal, home))) {
        mounts.push_back({*real, kind});
      }
    }
  };
  add(settings.read_only, Kind::ReadOnly);
  add(settings.writable, Kind::Writable);
  mounts.push_back({request.workspace, Kind::Writable});
  for (const std::string& path : settings.hidden) {
    const auto real = real_path(tools::expand_path(path, request.principal, home));
    if (!real || !covered(mounts, *real)) continue;
    std::error_code error;
    mounts.push_back(
        {*real, fs::is_directory(*real, error) ? Kind::HiddenFolder : Kind::HiddenFile});
    pin_folders_above(*real, mounts);
  }
  // A rule that comes later holds over an earlier one for the same place: what is hidden is hidden.
  std::stable_sort(mounts.begin(), mounts.end(), [](const Mount& a, const Mount& b) {
    return fs::path(a.path) < fs::path(b.path);
  });
  return mounts;
}

/// The place itself: what its path has come to name meanwhile is refused.
Result<UniqueFd> open_place(const std::string& path) {
  UniqueFd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  std::error_code error;
  if (place && fs::read_symlink("/proc/self/fd/" + std::to_string(place.get()), error) == path) {
    return place;
  }
  return not_found("the folder " + path + " has been moved or cannot be opened");
}

void add_system(std::vector<std::string>& out, bool network) {
  for (const std::string_view path : kSystem) {
    std::error_code error;
    const fs::path place(path);
    if (fs::is_symlink(place, error)) {
      out.insert(out.end(),
                 {"--symlink", fs::read_symlink(place, error).string(), std::string(path)});
    } else {
      out.insert(out.end(), {"--ro-bind-try", std::string(path), std::string(path)});
    }
  }
  const auto etc = [&out](std::string_view name) {
    const std::string path = "/etc/" + std::string(name);
    // Links would lead to where nothing is: what they lead to is bound in their place.
    out.insert(out.end(), {"--ro-bind-try", path, path});
  };
  for (const std::string_view name : kEtc) etc(name);
  if (network) {
    for (const std::string_view name : kNetworkEtc) etc(name);
  }
}

void add_private(std::vector<std::string>& out, const Settings& settings) {
  const std::string size = std::to_string(settings.limits.temporary);
  // The kernel's settings below /proc belong to root, and an owner needs no capability to write.
  out.insert(out.end(),
             {"--proc",  "/proc",     "--remount-ro", "/proc",        "--dev", "/dev",   "--size",
              size,      "--tmpfs",   "/dev/shm",     "--remount-ro", "/dev",  "--size", size,
              "--tmpfs", "/tmp",      "--dir",        kSandboxHome,   "--dir", "/run",   "--dir",
              "/var",    "--symlink", "../tmp",       "/var/tmp"});
}

Result<void> add_mounts(std::vector<std::string>& out, std::vector<UniqueFd>& extra,
                        const std::vector<Mount>& mounts) {
  for (const Mount& mount : mounts) {
    if (mount.kind == Kind::HiddenFolder) {
      out.insert(out.end(), {"--tmpfs", mount.path});
      continue;
    }
    if (mount.kind == Kind::HiddenFile) {
      out.insert(out.end(), {"--ro-bind", "/dev/null", mount.path});
      continue;
    }
    GANTRY_ASSIGN(UniqueFd place, open_place(mount.path));
    // By descriptor: what the path names may be another place when bubblewrap looks.
    const int number = kFirstExtra + static_cast<int>(extra.size());
    out.insert(out.end(), {mount.kind == Kind::Writable ? "--bind" : "--ro-bind",
                           "/proc/self/fd/" + std::to_string(number), mount.path});
    extra.push_back(std::move(place));
  }
  return {};
}

/// What bubblewrap runs. The descriptors of the places outlive it, and one of a folder leads by its
/// ".." to everything outside: they are closed before anything of the command runs.
Result<std::vector<std::string>> command_line(const std::string& shell, const std::string& command,
                                              std::size_t extra) {
  std::string close = "exec";
  for (std::size_t i = 0; i < extra; ++i) close += " " + std::to_string(kFirstExtra + i) + "<&-";
  std::error_code error;
  const bool any_number = fs::exists("/bin/bash", error);  // other shells: of one digit only
  if (!any_number && extra > kOneDigit - kFirstExtra + 1) {
    return Error{Code::ResourceExhausted,
                 "more folders in the sandbox than can be handed over without /bin/bash",
                 {}};
  }
  std::vector<std::string> out;
  if (any_number) {
    out = {"/bin/bash", "-p"};  // it reads no file that a variable names
  } else {
    out = {"/bin/sh"};
  }
  out.insert(out.end(), {"-c", close + "; exec \"$@\"", "sh", shell, "-c", command});
  return out;
}

/// Where the command starts, absolute; it must be a place that the command may see.
Result<std::string> folder_of(const CommandRequest& request, const std::vector<Mount>& mounts,
                              bool anywhere) {
  const std::string asked =
      request.folder.starts_with('/')
          ? request.folder
          : request.workspace + (request.folder.empty() ? "" : "/" + request.folder);
  const auto real = real_path(asked);
  std::error_code error;
  if (!real || !fs::is_directory(*real, error)) {
    return not_found("working_directory '" + request.folder + "' is no folder; the workspace is " +
                     request.workspace);
  }
  if (anywhere || covered(mounts, *real)) return *real;
  return Error{Code::PermissionDenied,
               "working_directory '" + request.folder +
                   "' is outside of the sandbox; the workspace is " + request.workspace,
               {}};
}

std::string shell_of(const Settings& settings) {
  std::error_code error;
  return fs::exists(settings.shell, error) ? settings.shell : "/bin/sh";
}

Result<SpawnPlan> plan_bubblewrap(const Settings& settings, const CommandRequest& request) {
  if (std::string missing = sandbox_missing(settings); !missing.empty()) {
    return Error{Code::Unavailable, std::move(missing), {}};
  }
  const std::vector<Mount> mounts = mounts_of(settings, request);
  GANTRY_ASSIGN(const std::string folder, folder_of(request, mounts, false));
  SpawnPlan plan;
  plan.program = settings.bubblewrap;
  auto& out = plan.arguments;
  out = {settings.bubblewrap,
         "--unshare-user",
         "--disable-userns",
         "--unshare-pid",
         "--unshare-ipc",
         "--unshare-uts",
         "--hostname",
         "sandbox",
         "--unshare-cgroup-try",
         "--die-with-parent",
         "--new-session",
         "--cap-drop",
         "ALL",
         "--json-status-fd",
         std::to_string(kStatusFd)};
  if (!settings.network) out.emplace_back("--unshare-net");
  add_system(out, settings.network);
  add_private(out, settings);
  GANTRY_TRY(add_mounts(out, plan.extra, mounts));
  const std::string shell = shell_of(settings);
  out.insert(out.end(), {"--remount-ro", "/", "--chdir", folder, "--"});
  GANTRY_ASSIGN(const std::vector<std::string> line,
                command_line(shell, request.command, plan.extra.size()));
  out.insert(out.end(), line.begin(), line.end());
  plan.environment = command_environment(settings.environment, kSandboxHome);
  plan.wants_status = true;
  plan.wants_input = request.wants_input;
  return plan;
}

}  // namespace

std::string sandbox_missing(const Settings& settings) {
  if (settings.sandbox == Sandbox::none) return {};
  if (::access(settings.bubblewrap.c_str(), X_OK) == 0) return {};
  const std::string reason = std::generic_category().message(errno);
  return unavailable("commands run in a sandbox of bubblewrap, and " + settings.bubblewrap +
                         " cannot be run: " + reason,
                     "install the package bubblewrap, or set tools_shell.sandbox to none, which "
                     "gives commands all that the daemon's user may do")
      .message;
}

Result<SpawnPlan> plan_command(const Settings& settings, const CommandRequest& request) {
  if (settings.sandbox == Sandbox::bubblewrap) return plan_bubblewrap(settings, request);
  GANTRY_ASSIGN(const std::string folder, folder_of(request, {}, true));
  SpawnPlan plan;
  plan.program = shell_of(settings);
  plan.arguments = {plan.program, "-c", request.command};
  plan.environment = command_environment(settings.environment, tools::home_folder());
  GANTRY_ASSIGN(plan.folder, open_place(folder));
  plan.wants_input = request.wants_input;
  return plan;
}

}  // namespace gantry::shell
