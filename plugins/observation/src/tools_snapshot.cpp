// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "diff.hpp"
#include "node_json.hpp"
#include "paging.hpp"
#include "structure.hpp"
#include "time_units.hpp"
#include "tools.hpp"
#include "window_json.hpp"

namespace gantry::observation {
namespace {

/// Collects members whose names are not literals. Names are sorted because maps are.
class JsonMap {
 public:
  void add(std::string_view name, const std::string& json) {
    text_ += text_.empty() ? "" : ",";
    append_json_string(text_, name);
    text_ += ':';
    text_ += json;
  }
  [[nodiscard]] RawJson done() const { return {'{' + text_ + '}'}; }

 private:
  std::string text_;
};

Failure expired(const std::string& id) {
  return failure(Fault::SnapshotExpired, "snapshot expired or not found", {{"snapshot_id", id}});
}

Task<ToolOutcome> take_snapshot(Engine& engine, const ToolCall&) {
  const Outcome<WindowsNow> now = co_await engine.directory.list();
  if (!now.ok()) co_return now.failure();
  const Answer<MonitorList> monitors = co_await engine.directory.monitors();
  const MonitorList none;
  Snapshot snapshot;
  snapshot.taken_at = static_cast<double>(engine.desktop.wall_ns()) / kNanosecondsPerSecond;
  for (const WindowInfo& window : now->windows) {
    snapshot.uids.insert(window.uid);
    snapshot.windows.push_back(
        window_json(window, std::nullopt, monitors.ok() ? **monitors : none));
    const Outcome<TreeCapture> capture = co_await engine.trees.get(window, Freshness::Cached);
    // A window without a tree is still a window; the summary's counts tell.
    if (capture.ok()) snapshot.trees[window.uid] = capture->tree;
  }
  JsonObject summary;
  summary.add("windows", snapshot.windows.size());
  summary.add("trees", snapshot.trees.size());
  JsonObject out;
  out.add("ts", snapshot.taken_at);
  out.add("summary", summary);
  out.add("snapshot_id", engine.snapshots.keep(std::move(snapshot), engine.desktop.monotonic_ns()));
  co_return out;
}

/// The trees, as much of each as fits: with a limit (0: none) later ones get what earlier ones
/// left. What is cut is named.
void add_trees(JsonObject& out, const Snapshot& snapshot, std::size_t limit, std::size_t used) {
  JsonMap trees;
  JsonArray cut;
  for (const auto& [uid, tree] : snapshot.trees) {
    if (limit == 0) {
      trees.add(uid, node_json(tree->root));
      continue;
    }
    const std::size_t budget = content_budget(limit);
    if (used >= budget) {
      trees.add(uid, "null");
      cut.add(uid);
      continue;
    }
    StructureQuery query;
    query.depth = std::numeric_limits<int>::max();
    query.max_bytes = budget - used;
    const StructureView view = make_view(tree->root, query);
    const std::string json = view.tree ? node_json(*view.tree) : "null";
    used += uid.size() + json.size();
    trees.add(uid, json);
    if (view.truncated) cut.add(uid);
  }
  out.add("trees", trees.done());
  if (limit == 0) return;
  RawJson uids = cut.done();
  out.add("truncated", uids.text != "[]");
  out.add("truncated_trees", std::move(uids));
}

Task<ToolOutcome> snapshot_get(Engine& engine, const ToolCall& call) {
  const std::string id = call.arguments.text("snapshot_id");
  const std::shared_ptr<const Snapshot> snapshot =
      engine.snapshots.find(id, engine.desktop.monotonic_ns());
  if (!snapshot) co_return expired(id);
  JsonArray windows;
  for (const JsonObject& window : snapshot->windows) windows.add(window);
  JsonMap hashes;
  for (const auto& [uid, tree] : snapshot->trees) hashes.add(uid, '"' + tree->hash + '"');
  JsonObject out;
  out.add("snapshot_id", id);
  out.add("ts", snapshot->taken_at);
  RawJson listed = windows.done();
  RawJson hashed = hashes.done();
  const std::size_t used = listed.text.size() + hashed.text.size();
  out.add("windows", std::move(listed));
  out.add("tree_hashes", std::move(hashed));
  add_trees(out, *snapshot, max_bytes(call.arguments, engine.settings, false), used);
  co_return out;
}

/// Windows of `other` that `from` does not have.
RawJson missing_from(const Snapshot& from, const Snapshot& other) {
  JsonArray out;
  for (const std::string& uid : other.uids) {
    if (!from.uids.contains(uid)) out.add(uid);
  }
  return out.done();
}

Task<ToolOutcome> snapshot_diff(Engine& engine, const ToolCall& call) {
  const std::string old_id = call.arguments.text("a");
  const std::string new_id = call.arguments.text("b");
  if (old_id.empty() || new_id.empty()) {
    co_return failure(Fault::BadRequest, "a and b are required");
  }
  const std::int64_t now = engine.desktop.monotonic_ns();
  const std::shared_ptr<const Snapshot> before = engine.snapshots.find(old_id, now);
  if (!before) co_return expired(old_id);
  const std::shared_ptr<const Snapshot> after = engine.snapshots.find(new_id, now);
  if (!after) co_return expired(new_id);

  const bool patch = call.arguments.text("format") == "json-patch";
  JsonMap changes;
  for (const auto& [uid, tree] : after->trees) {
    const auto old_tree = before->trees.find(uid);
    if (old_tree == before->trees.end()) continue;
    TreeDiff diff = diff_trees(old_tree->second->root, tree->root,
                               patch ? DiffForm::JsonPatch : DiffForm::Custom);
    JsonObject entry;
    entry.add("format", patch ? "json-patch" : "custom");
    entry.add("changes", std::move(diff.changes));
    changes.add(uid, entry.text());
  }
  JsonObject out;
  out.add("windows_added", missing_from(*before, *after));
  out.add("windows_removed", missing_from(*after, *before));
  out.add("per_window_changes", changes.done());
  co_return out;
}

Task<ToolOutcome> snapshot_drop(Engine& engine, const ToolCall& call) {
  const std::string id = call.arguments.text("snapshot_id");
  JsonObject out;
  out.add("dropped", engine.snapshots.drop(id, engine.desktop.monotonic_ns()));
  co_return out;
}

constexpr Parameter kSnapshotId{"snapshot_id", ParameterType::String, "Id that snapshot gave.",
                                true};
constexpr Parameter kDropParameters[] = {kSnapshotId};
constexpr Parameter kRead[] = {kSnapshotId, kMaxBytes};
constexpr Parameter kTwo[] = {
    {"a", ParameterType::String, "Id of the earlier snapshot.", true},
    {"b", ParameterType::String, "Id of the later snapshot.", true},
    {"format", ParameterType::String, "How changes are written; custom by default.", false,
     "custom|json-patch"},
};

constexpr Tool kSnapshotTools[] = {
    {"snapshot",
     take_snapshot,
     ToolKind::Read,
     false,
     "Keeps the trees of all windows for five minutes, to be read or compared later.",
     {}},
    {"snapshot_diff", snapshot_diff, ToolKind::Read, true,
     "Says which windows came and went between two snapshots and what changed in the others.",
     kTwo},
    {"snapshot_drop", snapshot_drop, ToolKind::Manage, false, "Forgets a snapshot.",
     kDropParameters},
    {"snapshot_get", snapshot_get, ToolKind::Read, true,
     "Reads a snapshot: its windows and their trees.", kRead},
};

}  // namespace

std::span<const Tool> snapshot_tools() { return kSnapshotTools; }

}  // namespace gantry::observation
