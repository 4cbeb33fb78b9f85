// SPDX-License-Identifier: Apache-2.0
#pragma once
// The applications that are installed, read from the disk at every question: it takes a few
// milliseconds, and what was installed a moment ago is there. For threads that may wait.

#include <gantry/contracts/app.hpp>
#include <gantry/result.hpp>

#include <string>
#include <vector>

#include "desktop_entry.hpp"
#include "environment.hpp"
#include "settings.hpp"

namespace gantry::apps {

/// What is to be started, and how.
struct Command {
  std::string program;  // absolute path
  std::vector<std::string> arguments;
  std::string folder;
  Environment environment;
};

class Catalog {
 public:
  /// `environment` is the daemon's own.
  Catalog(const Environment& environment, const Settings& settings)
      : environment_(environment.for_application(settings.environment)), settings_(settings) {}

  [[nodiscard]] AppList list(const ListAppsRequest& request) const;
  /// Errors as of gantry.app.launch/1.
  [[nodiscard]] Result<Command> command(const LaunchAppRequest& request) const;

 private:
  [[nodiscard]] std::vector<DesktopEntry> entries() const;
  [[nodiscard]] Result<std::vector<std::string>> words_of(const LaunchAppRequest& request,
                                                          std::string& folder) const;

  Environment environment_;
  Settings settings_;
};

}  // namespace gantry::apps
