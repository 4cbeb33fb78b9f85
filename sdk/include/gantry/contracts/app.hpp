// SPDX-License-Identifier: Apache-2.0
//
// Applications of the desktop: which ones are installed, and starting one. An adapter says what the
// system knows and starts what it is told; who may start what is decided before.
#pragma once

#include <gantry/contracts/common.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

/// One installed application, as its desktop entry describes it.
struct AppInfo {
  std::string id;            // of the entry, without ".desktop": "org.xfce.mousepad"
  std::string name;          // in the user's language: "Mousepad"
  std::string plain_name;    // without translation
  std::string generic_name;  // "Text Editor"; may be empty
  std::string program;       // file name of its executable: "mousepad"
  std::string window_class;  // WM_CLASS of its windows, where the entry tells it
  std::vector<std::string> keywords;
  std::vector<std::string> categories;  // "TextEditor", "WebBrowser", …
  bool in_terminal = false;             // has no window of its own
  bool listed = true;                   // menus show it
};
BOOST_DESCRIBE_STRUCT(AppInfo, (),
                      (id, name, plain_name, generic_name, program, window_class, keywords,
                       categories, in_terminal, listed))

struct ListAppsRequest {
  std::vector<std::string> media_types;  // whose applications are asked for: "text/plain"
  std::string program;                   // an executable to look for; empty: none
};
BOOST_DESCRIBE_STRUCT(ListAppsRequest, (), (media_types, program))

/// Applications that open a media type, best first: the user's choice, then the system's.
/// `chosen`: the first one was chosen by the user or the system, not only found able.
struct AppsForType {
  std::string media_type;
  std::vector<std::string> apps;  // ids
  bool chosen = false;
};
BOOST_DESCRIBE_STRUCT(AppsForType, (), (media_type, apps, chosen))

struct AppList {
  std::vector<AppInfo> apps;  // sorted by id
  std::vector<AppsForType> for_types;
  std::string program_path;  // of the executable that was asked for; empty: it is not on PATH
};
BOOST_DESCRIBE_STRUCT(AppList, (), (apps, for_types, program_path))

/// Errors: unavailable (there is no desktop to show an application).
struct ListApps {
  static constexpr std::string_view kName = "gantry.app.list/1";
  static constexpr std::string_view kDoc = "Lists the applications that are installed.";
  using Request = ListAppsRequest;
  using Response = AppList;
};

/// Exactly one of the two. `program` is the name of an executable on PATH, without a slash; it is
/// started without arguments.
struct LaunchAppRequest {
  std::string id;
  std::string program;
};
BOOST_DESCRIBE_STRUCT(LaunchAppRequest, (), (id, program))

/// `pid` leads a session of its own, with nothing of the daemon's but what its environment has of
/// the desktop. What becomes of it says gantry.app.ended/1.
struct LaunchedApp {
  std::int64_t pid = 0;
  std::string program;                 // the executable's path
  std::vector<std::string> arguments;  // without the program itself
};
BOOST_DESCRIBE_STRUCT(LaunchedApp, (), (pid, program, arguments))

/// Errors: not_found (no such application or program), invalid_argument, failed_precondition (it
/// needs a terminal and none is known), unavailable (no desktop; the system refused to start it).
struct LaunchApp {
  static constexpr std::string_view kName = "gantry.app.launch/1";
  static constexpr std::string_view kDoc = "Starts an application, detached from the daemon.";
  using Request = LaunchAppRequest;
  using Response = LaunchedApp;
};

/// A process that gantry.app.launch/1 had started is over. Applications that hand their work to an
/// instance that runs already end at once, with 0.
struct AppEndedEvent {
  std::int64_t pid = 0;
  std::optional<std::int32_t> exit_code;  // missing: a signal ended it
  std::int32_t signal = 0;
};
BOOST_DESCRIBE_STRUCT(AppEndedEvent, (), (pid, exit_code, signal))

struct AppEnded {
  static constexpr std::string_view kName = "gantry.app.ended/1";
  static constexpr std::string_view kDoc = "A process that was started for the desktop has ended.";
  using Event = AppEndedEvent;
};

}  // namespace gantry
