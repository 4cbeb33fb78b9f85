// SPDX-License-Identifier: Apache-2.0
#include "app_match.hpp"

#include <gantry/observed.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace gantry::desk {
namespace {

using observed::closeness;
using observed::lower;
using observed::trim;

/// Kinds of applications as people name them, with the media type whose application is meant, and
/// the category of the menu where none has that.
struct Role {
  std::string_view name;
  std::string_view media_type;
  std::string_view category;
};
constexpr std::array kRoles{
    Role{"editor", "text/plain", "TextEditor"},
    Role{"text editor", "text/plain", "TextEditor"},
    Role{"browser", "x-scheme-handler/https", "WebBrowser"},
    Role{"web browser", "x-scheme-handler/https", "WebBrowser"},
    Role{"internet browser", "x-scheme-handler/https", "WebBrowser"},
    Role{"file manager", "inode/directory", "FileManager"},
    Role{"files", "inode/directory", "FileManager"},
    Role{"mail", "x-scheme-handler/mailto", "Email"},
    Role{"email", "x-scheme-handler/mailto", "Email"},
    Role{"mail program", "x-scheme-handler/mailto", "Email"},
    Role{"mail client", "x-scheme-handler/mailto", "Email"},
    Role{"calendar", "text/calendar", "Calendar"},
    Role{"image viewer", "image/png", "Viewer"},
    Role{"pdf viewer", "application/pdf", "Viewer"},
    Role{"document viewer", "application/pdf", "Viewer"},
    Role{"music player", "audio/mpeg", "Player"},
    Role{"video player", "video/mp4", "Player"},
    Role{"spreadsheet", "application/vnd.oasis.opendocument.spreadsheet", "Spreadsheet"},
    Role{"word processor", "application/vnd.oasis.opendocument.text", "WordProcessor"},
    Role{"calculator", "", "Calculator"},
    Role{"terminal", "", "TerminalEmulator"},
    Role{"settings", "", "Settings"},
};

/// The usual name of the program that Debian's alternatives system points to.
constexpr std::string_view kTerminalProgram = "x-terminal-emulator";
constexpr std::size_t kMostCandidates = 10;
constexpr std::size_t kShortestTypo = 4;
constexpr std::size_t kLongestTypo = 64;

/// Without an article in front and "application" behind.
std::string plain(std::string_view name) {
  std::string out = lower(observed::without_article(name));
  for (const std::string_view word : {" application", " app", " program"}) {
    if (out.size() > word.size() && out.ends_with(word)) out.resize(out.size() - word.size());
  }
  return std::string(trim(out));
}

const Role* role_of(std::string_view name) {
  const auto* const role = std::find_if(kRoles.begin(), kRoles.end(),
                                        [name](const Role& one) { return one.name == name; });
  return role == kRoles.end() ? nullptr : role;
}

using Apps = std::vector<const AppInfo*>;
using Test = std::function<bool(const AppInfo&)>;

/// Those that menus show, unless only others fit.
Apps fitting(const AppList& list, const Test& fits) {
  Apps shown, others;
  for (const AppInfo& app : list.apps) {
    if (fits(app)) (app.listed ? shown : others).push_back(&app);
  }
  return shown.empty() ? others : shown;
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t other = a[i - 1] == b[j - 1] ? corner : corner + 1;
      corner = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, other});
    }
  }
  return row.back();
}

/// 4 its name begins with the words or has them, 3 its program's does, 2 its kind, keyword or id, 1
/// its name is a slip of the pen away, 0 not alike.
int nearness(const AppInfo& app, const std::string& wanted) {
  const auto like = [&](const std::string& text) { return closeness(text, wanted) > 0; };
  if (like(app.name) || like(app.plain_name)) return 4;
  if (like(app.program)) return 3;
  if (like(app.generic_name) || like(app.id)) return 2;
  if (std::any_of(app.keywords.begin(), app.keywords.end(), like)) return 2;
  if (wanted.size() < kShortestTypo || wanted.size() > kLongestTypo) return 0;
  const std::size_t slips = wanted.size() < 8 ? 1 : 2;
  for (const std::string& name : {app.name, app.plain_name}) {
    if (name.size() <= kLongestTypo && distance(lower(name), wanted) <= slips) return 1;
  }
  return 0;
}

AppChoice ambiguous(Apps apps, std::string problem) {
  AppChoice out;
  if (apps.size() > kMostCandidates) apps.resize(kMostCandidates);
  out.candidates = std::move(apps);
  out.problem = std::move(problem);
  return out;
}

AppChoice chosen(const AppInfo* app, std::string how) {
  AppChoice out;
  out.app = app;
  out.how = std::move(how);
  return out;
}

const AppInfo* app_of(const AppList& list, const std::string& id) {
  const auto app = std::find_if(list.apps.begin(), list.apps.end(),
                                [&](const AppInfo& one) { return one.id == id; });
  return app == list.apps.end() ? nullptr : &*app;
}

/// What the desktop takes for this kind. Empty: it has none.
AppChoice choose_by_role(const Role& role, const AppList& list) {
  const std::string kind(role.name);
  for (const AppsForType& type : list.for_types) {
    if (type.media_type != role.media_type || type.apps.empty()) continue;
    const AppInfo* app = app_of(list, type.apps.front());
    if (app == nullptr) continue;
    return chosen(app, type.chosen ? "the desktop's choice for " + type.media_type
                                   : "the first that opens " + type.media_type);
  }
  if (role.category.empty()) return {};
  const Apps apps = fitting(list, [&](const AppInfo& app) {
    return app.listed && std::find(app.categories.begin(), app.categories.end(), role.category) !=
                             app.categories.end();
  });
  if (apps.size() == 1) return chosen(apps.front(), "the only " + kind);
  if (role.category == "TerminalEmulator" && !list.program_path.empty()) {
    AppChoice out;
    out.program = kTerminalProgram;
    out.how = "the system's terminal";
    return out;
  }
  if (apps.empty()) return {};
  return ambiguous(apps, "several applications are a " + kind + "; say which one");
}

bool found_something(const AppChoice& choice) {
  return choice.app != nullptr || !choice.program.empty() || !choice.candidates.empty();
}

}  // namespace

ListAppsRequest question_for(std::string_view name) {
  const std::string wanted = plain(name);
  ListAppsRequest request;
  request.program = wanted;
  if (const Role* role = role_of(wanted)) {
    if (!role->media_type.empty()) request.media_types.emplace_back(role->media_type);
    if (role->category == "TerminalEmulator") request.program = kTerminalProgram;
  }
  return request;
}

AppChoice choose_app(std::string_view name, const AppList& list, bool programs) {
  const std::string wanted = plain(name);
  const auto is = [&](const std::string& text) { return lower(text) == wanted; };
  const std::array<Test, 3> exact{
      [&](const AppInfo& app) { return is(app.id) || is(app.id + ".desktop"); },
      [&](const AppInfo& app) { return is(app.name) || is(app.plain_name); },
      [&](const AppInfo& app) { return is(app.program); }};
  Apps same;
  for (const Test& test : exact) {
    same = fitting(list, test);
    if (same.size() == 1) return chosen(same.front(), {});
    if (!same.empty()) break;
  }
  const Role* role = role_of(wanted);
  if (same.empty() && role != nullptr) {
    AppChoice choice = choose_by_role(*role, list);
    if (found_something(choice)) return choice;
  }
  if (programs && role == nullptr && !list.program_path.empty()) {
    AppChoice out;
    out.program = wanted;
    out.how = "the executable " + list.program_path;
    return out;
  }
  if (!same.empty()) return ambiguous(same, "several applications are called so; say which one");
  Apps near;
  int best = 1;
  for (const AppInfo* app :
       fitting(list, [&](const AppInfo& one) { return one.listed && nearness(one, wanted) > 0; })) {
    const int like = nearness(*app, wanted);
    if (like > best) near.clear();
    if (like >= best) near.push_back(app);
    best = std::max(best, like);
  }
  if (near.size() == 1) return chosen(near.front(), "the only one with a name like it");
  if (!near.empty()) return ambiguous(near, "several applications may be meant; say which one");
  return ambiguous({}, "no application or program is called so");
}

}  // namespace gantry::desk
