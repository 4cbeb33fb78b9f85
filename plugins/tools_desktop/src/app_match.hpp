// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which application a name means. Pure functions.

#include <gantry/contracts/app.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gantry::desk {

/// What has to be asked of gantry.app.list/1 to understand the name.
[[nodiscard]] ListAppsRequest question_for(std::string_view name);

struct AppChoice {
  const AppInfo* app = nullptr;  ///< Of the list that was searched.
  std::string program;           ///< Instead of an application: an executable on PATH.
  std::string how;               ///< Why this one, for the answer; empty: it is called so.
  /// Neither of the two: what may be meant, for the caller to choose from; or nothing alike.
  std::vector<const AppInfo*> candidates;
  std::string problem;
};

/// In this order: what is called exactly so (id, name, executable); what stands for a kind ("the
/// editor", "web browser": the desktop's choice for its media type); an executable on PATH; the
/// only one with a name nearly like it. With `programs` false no executable is started that no
/// desktop entry names.
[[nodiscard]] AppChoice choose_app(std::string_view name, const AppList& list, bool programs);

}  // namespace gantry::desk
