// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace gantry::apps {
namespace {

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool fits(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::vector<std::string> parts(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t colon = list.find(':');
    // Relative folders are invalid there, and would depend on where the daemon was started.
    if (const std::string_view part = list.substr(0, colon); part.starts_with('/')) {
      out.emplace_back(part);
    }
    list = colon == std::string_view::npos ? std::string_view() : list.substr(colon + 1);
  }
  return out;
}

bool is_program(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string Environment::get(std::string_view name) const {
  for (const std::string& variable : variables_) {
    if (name_of(variable) == name)
      return variable.substr(std::min(name.size() + 1, variable.size()));
  }
  return {};
}

Environment Environment::for_application(const EnvironmentSettings& settings) const {
  std::vector<std::string> out = settings.set;
  for (const std::string& variable : variables_) {
    const std::string_view name = name_of(variable);
    const bool passes = std::any_of(settings.pass.begin(), settings.pass.end(),
                                    [name](const std::string& one) { return fits(one, name); });
    const bool replaced =
        std::any_of(settings.set.begin(), settings.set.end(),
                    [name](const std::string& one) { return name_of(one) == name; });
    if (passes && !replaced) out.push_back(variable);
  }
  return Environment(std::move(out));
}

bool Environment::has_display() const {
  return !get("DISPLAY").empty() || !get("WAYLAND_DISPLAY").empty();
}

std::string Environment::language() const {
  for (const std::string_view name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (std::string value = get(name); !value.empty()) return value;
  }
  return {};
}

std::vector<std::string> Environment::folders(std::string_view kind) const {
  const bool data = kind == "DATA";
  std::string home = get(data ? "XDG_DATA_HOME" : "XDG_CONFIG_HOME");
  if (!home.starts_with('/') && !get("HOME").empty()) {
    home = get("HOME") + (data ? "/.local/share" : "/.config");
  }
  std::vector<std::string> out = parts(home);
  const std::string listed = get(data ? "XDG_DATA_DIRS" : "XDG_CONFIG_DIRS");
  const std::string usual = data ? "/usr/local/share:/usr/share" : "/etc/xdg";
  for (std::string& folder : parts(listed.empty() ? usual : listed)) {
    out.push_back(std::move(folder));
  }
  return out;
}

std::optional<std::string> Environment::find_program(const std::string& name) const {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) {
    return name.front() == '/' && is_program(name) ? std::optional(name) : std::nullopt;
  }
  const std::string path = get("PATH");
  for (const std::string& folder : parts(path.empty() ? "/usr/local/bin:/usr/bin:/bin" : path)) {
    std::string full = folder + '/' + name;
    if (is_program(full)) return full;
  }
  return std::nullopt;
}

Environment current_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  return Environment(std::move(variables));
}

}  // namespace gantry::apps
