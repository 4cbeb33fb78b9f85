// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a client gets when it looks at a window: the whole view, or what changed since it looked
// last (observer contract 1.4, GET /api/observe).

#include <string>

#include "engine.hpp"
#include "structure.hpp"

namespace gantry::observation {

enum class ObserveForm { Custom, JsonPatch, Lines };

struct ObserveQuery {
  ObserveForm form = ObserveForm::Custom;
  std::string since;          ///< Token of what the client has; unknown or expired: all is sent.
  int depth = 5;              ///< Levels below the root, on both sides of a comparison.
  bool changed_only = false;  ///< Compare with what was last shown of this window to anybody.
  /// Of the tree or the changes in the answer; 0: no limit. What does not fit is cut by depth, or,
  /// as lines, continued by next_cursor.
  std::size_t max_bytes = 0;
};

/// The request's own parameters, limited by the settings.
[[nodiscard]] ObserveQuery observe_query(const Arguments& arguments, const Settings& settings);

/// The answer about a capture that has been made, with a new token for it. `capture.tree` is what
/// clients may see (see tree_view.hpp).
[[nodiscard]] JsonObject observation_json(Engine& engine, const WindowInfo& window,
                                          const TreeCapture& capture, const ObserveQuery& query);

/// Reads the window's tree and answers. `window` and `query` must live until the task is done.
Task<ToolOutcome> observe(Engine& engine, const WindowInfo& window, const ObserveQuery& query,
                          Freshness freshness);

}  // namespace gantry::observation
