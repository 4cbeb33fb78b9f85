// SPDX-License-Identifier: Apache-2.0
#include <gantry/tools/workspace.hpp>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

namespace gantry::tools {
namespace {

namespace fs = std::filesystem;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

std::optional<std::string> real_folder(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error || !fs::is_directory(real, error)) return std::nullopt;
  return real.string();
}

/// With mode 0700, so that no other user reads what tools write there.
Result<void> make_folder(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return {};
  if (path.has_parent_path() && path.parent_path() != path) {
    GANTRY_TRY(make_folder(path.parent_path()));
  }
  if (::mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST) return {};
  const std::string reason = std::generic_category().message(errno);
  return unavailable("the workspace " + path.string() + " cannot be made: " + reason,
                     "make the folder, or set `workspace` to another");
}

}  // namespace

std::string principal_folder(std::string_view principal) {
  if (principal.empty()) return "local";
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : principal) {
    if (is_plain(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    out += '.';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

std::string expand_path(std::string_view path, std::string_view principal, std::string_view home) {
  constexpr std::string_view kPrincipal = "{principal}";
  std::string out(path);
  const bool at_home = path == "~" || path.starts_with("~/");
  if (at_home && !home.empty()) out = std::string(home) + out.substr(1);
  for (auto at = out.find(kPrincipal); at != std::string::npos; at = out.find(kPrincipal)) {
    out.replace(at, kPrincipal.size(), principal_folder(principal));
  }
  return out;
}

std::string home_folder() {
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return home;
  // Services may be started without the variable.
  constexpr std::size_t kMost = 1U << 20U;
  passwd entry{};
  passwd* found = nullptr;
  for (std::vector<char> text(1024); text.size() <= kMost; text.resize(text.size() * 2)) {
    const int problem = ::getpwuid_r(::getuid(), &entry, text.data(), text.size(), &found);
    if (problem == 0 && found != nullptr && found->pw_dir != nullptr) return found->pw_dir;
    if (problem != ERANGE) break;
  }
  return {};
}

Result<std::string> find_workspace(const WorkspaceSettings& settings,
                                   const ToolCallRequest& request) {
  const std::string home = home_folder();
  if (request.workspace.starts_with('/')) {
    if (const auto own = real_folder(request.workspace)) {
      for (const std::string& admitted : settings.workspaces) {
        const auto folder = real_folder(expand_path(admitted, request.principal, home));
        if (folder && lies_within(*own, *folder)) return *own;
      }
    }
  }
  const std::string usual = expand_path(settings.workspace, request.principal, home);
  if (!usual.starts_with('/')) {
    return unavailable("the workspace '" + usual + "' is no absolute path",
                       "set `workspace` to one that begins with / or ~/");
  }
  GANTRY_TRY(make_folder(fs::path(usual).lexically_normal()));
  const auto real = real_folder(usual);
  if (!real) return failed_precondition("the workspace " + usual + " is no folder");
  return *real;
}

bool lies_within(std::string_view path, std::string_view folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.remove_suffix(1);
  if (folder == "/") return path.starts_with('/');
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || path[folder.size()] == '/';
}

}  // namespace gantry::tools
