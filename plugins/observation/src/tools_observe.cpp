// SPDX-License-Identifier: Apache-2.0
#include "observe.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

Task<ToolOutcome> observe_window(Engine& engine, const ToolCall& call) {
  const Outcome<ChosenWindow> window =
      co_await engine.directory.choose(call.arguments, MissingWindow::UseFocused);
  if (!window.ok()) co_return window.failure();
  const ObserveQuery query = observe_query(call.arguments, engine.settings);
  const Freshness freshness = query.changed_only ? Freshness::Fresh : Freshness::Cached;
  ToolOutcome outcome = co_await observe(engine, window->info, query, freshness);
  if (outcome.ok()) outcome->add_if("warning", window->warning);
  co_return outcome;
}

constexpr Parameter kObserveParameters[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    {"since", ParameterType::String,
     "tree_token of what you have: only what changed since is sent. Unknown or expired: the whole "
     "tree."},
    {"format", ParameterType::String,
     "How changes are written: custom (default), json-patch (RFC 6902), or lines, a short line "
     "for each element, also for the whole tree.",
     false, "custom|json-patch|lines"},
    {"depth", ParameterType::Integer,
     "Levels below the root; the configured default when not given, limited to tree.max_depth. "
     "Lines have all levels."},
    {"changed_only", ParameterType::Boolean,
     "Read anew and compare with what was last shown of this window; ignored with since."},
    kMaxBytes,
};

constexpr Tool kObserveTools[] = {
    {"observe_window", observe_window, ToolKind::Read, true,
     "Reads a window's accessibility tree with a token, or what changed since an earlier token.",
     kObserveParameters},
};

}  // namespace

std::span<const Tool> observe_tools() { return kObserveTools; }

}  // namespace gantry::observation
