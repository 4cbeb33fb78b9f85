// SPDX-License-Identifier: Apache-2.0
#include "observe.hpp"

#include <algorithm>

#include "diff.hpp"
#include "lines.hpp"
#include "node_json.hpp"
#include "paging.hpp"

namespace gantry::observation {
namespace {

/// Texts are shortened to this when a tree does not fit at depth 0.
constexpr int kShortTexts = 200;

bool fits(const std::string& json, const ObserveQuery& query) {
  return query.max_bytes == 0 || json.size() <= content_budget(query.max_bytes);
}

StructureView cut_to_depth(const Node& root, int depth, int max_text_len = 0) {
  StructureQuery query;
  query.depth = depth;
  query.max_text_len = max_text_len;
  return make_view(root, query);
}

JsonObject perf_json(const TreeCapture& capture, int depth) {
  JsonObject perf;
  perf.add("capture_ms", capture.capture_ms);
  perf.add("node_count", capture.tree->node_count);
  perf.add("cache", capture.cache);
  perf.add("depth_used", depth);
  return perf;
}

/// The tree as deep as the query and the budget allow.
void add_tree(JsonObject& out, const Tree& tree, const ObserveQuery& query) {
  int depth = query.depth;
  StructureView view = cut_to_depth(tree.root, depth);
  std::string json = node_json(*view.tree);
  while (!fits(json, query) && depth > 0) {
    view = cut_to_depth(tree.root, --depth);
    json = node_json(*view.tree);
    out.add("truncated", true);
  }
  if (!fits(json, query)) {
    out.add("truncated", true);
    json = node_json(*cut_to_depth(tree.root, depth, kShortTexts).tree);
  }
  out.add("tree", RawJson{std::move(json)});
  out.add("depth_used", depth);
  out.add("depth_truncated", view.depth_truncated);
}

void add_full(JsonObject& out, const Tree& tree, const std::string& token,
              const ObserveQuery& query) {
  out.add("base_token", nullptr);
  if (query.form == ObserveForm::Lines) {
    out.add("format", "lines");
    LineOptions options;
    options.max_bytes = content_budget(query.max_bytes);
    add_lines(out, tree.root, token, options);
    return;
  }
  out.add("format", "full");
  add_tree(out, tree, query);
}

/// False when the changes are longer than the budget; then nothing was added.
bool add_changes(JsonObject& out, const Tree& before, const Tree& after,
                 const ObserveQuery& query) {
  // The token may be for the very capture: then nothing has to be compared.
  if (&before == &after) {
    out.add("changes", JsonArray().done());
    return true;
  }
  if (query.form == ObserveForm::Lines) {
    JsonArray changes;
    for (const std::string& line : diff_lines(before.root, after.root)) changes.add(line);
    RawJson done = changes.done();
    if (!fits(done.text, query)) return false;
    out.add("changes", std::move(done));
    return true;
  }
  const StructureView old_view = cut_to_depth(before.root, query.depth);
  const StructureView new_view = cut_to_depth(after.root, query.depth);
  TreeDiff diff =
      diff_trees(*old_view.tree, *new_view.tree,
                 query.form == ObserveForm::JsonPatch ? DiffForm::JsonPatch : DiffForm::Custom);
  if (!fits(diff.changes.text, query)) return false;
  out.add("changes", std::move(diff.changes));
  return true;
}

constexpr std::string_view form_name(ObserveForm form) {
  switch (form) {
    case ObserveForm::JsonPatch: return "json-patch";
    case ObserveForm::Lines: return "lines";
    default: return "custom";
  }
}

bool add_difference(JsonObject& out, const TreeTokens::Seen& base, const Tree& now,
                    const ObserveQuery& query) {
  if (!base.tree || !add_changes(out, *base.tree, now, query)) return false;
  out.add("format", form_name(query.form));
  out.add("base_token", base.token);
  out.add("unchanged", base.tree->hash == now.hash);
  return true;
}

TreeTokens::Seen base_of(const Engine& engine, const std::string& uid, const ObserveQuery& query) {
  if (!query.since.empty()) return {query.since, engine.trees.seen_under(uid, query.since)};
  if (query.changed_only) return engine.trees.last_seen(uid);
  return {};
}

}  // namespace

ObserveQuery observe_query(const Arguments& arguments, const Settings& settings) {
  ObserveQuery query;
  const std::string format = arguments.text("format");
  if (format == "json-patch") query.form = ObserveForm::JsonPatch;
  if (format == "lines") query.form = ObserveForm::Lines;
  query.since = arguments.text("since");
  const std::int64_t depth =
      arguments.integer_or_nothing("depth").value_or(settings.tree.default_depth);
  query.depth = static_cast<int>(std::clamp<std::int64_t>(depth, 0, settings.tree.max_depth));
  query.changed_only = query.since.empty() && arguments.flag("changed_only");
  query.max_bytes = max_bytes(arguments, settings, query.form == ObserveForm::Lines);
  return query;
}

JsonObject observation_json(Engine& engine, const WindowInfo& window, const TreeCapture& capture,
                            const ObserveQuery& query) {
  const TreeTokens::Seen base = base_of(engine, window.uid, query);
  const Tree& now = *capture.tree;
  const std::string token = engine.trees.mint_token(window.uid, capture.tree);
  JsonObject out;
  out.add("window", window.title);
  out.add("window_uid", window.uid);
  out.add("tree_hash", now.hash);
  out.add("tree_token", token);
  out.add("perf", perf_json(capture, query.depth));
  if (query.changed_only) out.add("changed_only", true);
  // The short answer is for those who only ask whether anything has changed; an element that is
  // only focused or ticked now has the same hash and is told as a change.
  if (!add_difference(out, base, now, query)) add_full(out, now, token, query);
  return out;
}

Task<ToolOutcome> observe(Engine& engine, const WindowInfo& window, const ObserveQuery& query,
                          Freshness freshness) {
  const Outcome<TreeCapture> capture = co_await engine.trees.get(window, freshness);
  if (!capture.ok()) co_return capture.failure();
  co_return observation_json(engine, window, *capture, query);
}

}  // namespace gantry::observation
