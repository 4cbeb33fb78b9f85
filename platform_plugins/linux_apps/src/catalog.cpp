// SPDX-License-Identifier: Apache-2.0
#include "catalog.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>

#include "media_types.hpp"

namespace gantry::apps {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".desktop";
constexpr std::uintmax_t kLargestFile = 1 << 20;
constexpr std::size_t kMostEntries = 10'000;
constexpr int kDeepest = 5;

std::string read_file(const fs::path& path) {
  std::error_code problem;
  const std::uintmax_t size = fs::file_size(path, problem);
  if (problem || size > kLargestFile) return {};
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Entries by id; an id of an earlier folder counts. "kde/konsole.desktop" is "kde-konsole".
void find_entries(const fs::path& folder, std::map<std::string, fs::path>& found) {
  std::error_code problem;
  fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied,
                                      problem);
  for (; !problem && it != fs::recursive_directory_iterator(); it.increment(problem)) {
    if (it.depth() > kDeepest) it.disable_recursion_pending();
    std::string id = it->path().lexically_relative(folder).string();
    if (!id.ends_with(kSuffix) || found.size() >= kMostEntries) continue;
    id.erase(id.size() - kSuffix.size());
    std::replace(id.begin(), id.end(), '/', '-');
    found.emplace(std::move(id), it->path());
  }
}

/// mimeapps.list of the folders, the desktop's own before the common one.
void add_mimeapps(const std::string& folder, const std::string& desktops,
                  std::vector<std::string>& texts) {
  const auto add = [&](const std::string& name) {
    if (std::string text = read_file(fs::path(folder) / name); !text.empty()) {
      texts.push_back(std::move(text));
    }
  };
  std::string_view rest = desktops;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    std::string one(rest.substr(0, colon));
    std::transform(one.begin(), one.end(), one.begin(), [](unsigned char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
    });
    if (!one.empty() && one.find('/') == std::string::npos) add(one + "-mimeapps.list");
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  add("mimeapps.list");
}

Associations read_associations(const Environment& environment) {
  Associations out;
  const std::string desktops = environment.get("XDG_CURRENT_DESKTOP");
  for (const std::string& folder : environment.folders("CONFIG")) {
    add_mimeapps(folder, desktops, out.mimeapps);
  }
  for (const std::string& folder : environment.folders("DATA")) {
    add_mimeapps(folder + "/applications", desktops, out.mimeapps);
    if (std::string cache = read_file(folder + "/applications/mimeinfo.cache"); !cache.empty()) {
      out.mimeinfo.push_back(std::move(cache));
    }
  }
  return out;
}

}  // namespace

std::vector<DesktopEntry> Catalog::entries() const {
  std::map<std::string, fs::path> found;
  for (const std::string& folder : environment_.folders("DATA")) {
    find_entries(folder + "/applications", found);
  }
  const Locale locale{environment_.language(), environment_.get("XDG_CURRENT_DESKTOP")};
  std::vector<DesktopEntry> out;
  for (const auto& [id, path] : found) {
    std::optional<DesktopEntry> entry = read_entry(id, read_file(path), locale);
    if (!entry || entry->hidden || entry->info.program.empty()) continue;
    if (!entry->try_exec.empty() && !environment_.find_program(entry->try_exec)) continue;
    out.push_back(std::move(*entry));
  }
  return out;
}

AppList Catalog::list(const ListAppsRequest& request) const {
  const std::vector<DesktopEntry> all = entries();
  AppList out;
  for (const DesktopEntry& entry : all) out.apps.push_back(entry.info);
  if (!request.media_types.empty()) {
    const Associations associations = read_associations(environment_);
    for (const std::string& type : request.media_types) {
      out.for_types.push_back(apps_for_type(type, associations, all));
    }
  }
  if (request.program.find('/') == std::string::npos) {
    out.program_path = environment_.find_program(request.program).value_or("");
  }
  return out;
}

Result<std::vector<std::string>> Catalog::words_of(const LaunchAppRequest& request,
                                                   std::string& folder) const {
  if (request.id.empty()) return std::vector<std::string>{request.program};
  const std::vector<DesktopEntry> all = entries();
  const auto entry = std::find_if(
      all.begin(), all.end(), [&](const DesktopEntry& one) { return one.info.id == request.id; });
  if (entry == all.end()) return not_found("no application '" + request.id + "' is installed");
  GANTRY_ASSIGN(std::vector<std::string> words, command_of(*entry));
  folder = entry->folder;
  if (!entry->info.in_terminal) return words;
  if (settings_.terminal.empty() || !environment_.find_program(settings_.terminal.front())) {
    return failed_precondition(
        "'" + entry->info.name +
        "' runs in a terminal, and none is known; name one in linux_apps.terminal");
  }
  words.insert(words.begin(), settings_.terminal.begin(), settings_.terminal.end());
  return words;
}

Result<Command> Catalog::command(const LaunchAppRequest& request) const {
  if (request.id.empty() == request.program.empty()) {
    return invalid_argument("either an application or a program is to be named");
  }
  if (request.program.find('/') != std::string::npos) {
    return invalid_argument("a program is named without its folder, found '" + request.program +
                            "'");
  }
  if (!environment_.has_display()) {
    return unavailable("there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set",
                       "start the daemon in the desktop's session, or name the display in "
                       "linux_apps.environment.set");
  }
  std::string folder;
  GANTRY_ASSIGN(std::vector<std::string> words, words_of(request, folder));
  const std::optional<std::string> program = environment_.find_program(words.front());
  if (!program) return not_found("there is no program '" + words.front() + "' on PATH");
  std::error_code problem;
  if (folder.empty() || !fs::is_directory(folder, problem)) folder = environment_.get("HOME");
  if (!fs::is_directory(folder, problem)) folder.assign(1, '/');
  words.erase(words.begin());
  return Command{*program, std::move(words), std::move(folder), environment_};
}

}  // namespace gantry::apps
