// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "node_json.hpp"
#include "ocr.hpp"
#include "paging.hpp"
#include "senses.hpp"
#include "sketch_tool.hpp"
#include "structure.hpp"
#include "tools.hpp"
#include "window_tree.hpp"

namespace gantry::observation {
namespace {

constexpr std::int64_t kMaxCount = 1'000'000;

/// A parameter that the protocol ignores when it is no integer, limited to what makes sense.
int small_count(const Arguments& arguments, std::string_view name) {
  return static_cast<int>(
      std::clamp<std::int64_t>(arguments.integer_or_nothing(name).value_or(0), 0, kMaxCount));
}

StructureQuery structure_query(const Arguments& arguments, const TreeSettings& settings) {
  StructureQuery query;
  const std::int64_t depth = arguments.integer_or_nothing("depth").value_or(settings.default_depth);
  query.depth = static_cast<int>(std::clamp<std::int64_t>(depth, 0, settings.max_depth));
  query.roles = arguments.list("roles");
  query.exclude_roles = arguments.list("exclude_roles");
  query.name_regex = arguments.text("name_regex");
  query.visible_only = arguments.flag("visible_only");
  query.prune_empty = arguments.flag("prune_empty");
  query.max_text_len = small_count(arguments, "max_text_len");
  query.max_nodes = small_count(arguments, "max_nodes");
  query.page_cursor = arguments.text("page_cursor");
  return query;
}

JsonArray fallbacks() {
  JsonArray out;
  out.add("get_ocr");
  out.add("get_screen_description");
  return out;
}

/// Why a tree says less than the window shows, when it does.
void add_degraded(JsonObject& out, const Tree& tree, int threshold) {
  JsonObject degraded;
  if (!tree.degraded.reason.empty()) {
    degraded.add("reason", tree.degraded.reason);
    degraded.add_if("detail", tree.degraded.detail);
    degraded.add_if("cure", tree.degraded.cure);
  } else if (tree.named_count < static_cast<std::size_t>(std::max(threshold, 0))) {
    degraded.add("reason", "sparse_accessibility_tree");
  } else {
    return;
  }
  degraded.add("named_node_count", tree.named_count);
  degraded.add("threshold", threshold);
  degraded.add("suggested_fallbacks", fallbacks().done());
  out.add("degraded", degraded);
}

std::string joined_warnings(const std::string& first, const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  return first + "; " + second;
}

Failure no_scope(const std::string& scope, const WindowInfo& window) {
  return failure(Fault::ElementNotFound, fmt::format("no element with id '{}' to scope to", scope),
                 {{"scope", scope}, {"window_uid", window.uid}});
}

Task<std::optional<Rect>> screen_area(Engine& engine, bool wanted) {
  if (!wanted) co_return std::nullopt;
  const Answer<MonitorList> monitors = co_await engine.directory.monitors();
  if (!monitors.ok()) co_return std::nullopt;
  co_return screen_of(**monitors);
}

/// The capture that lines are read from: the one that a cursor names, or a new one.
struct LineSource {
  std::shared_ptr<const Tree> tree;
  std::string token;
  std::string after_id;
};

Task<Outcome<LineSource>> line_source(Engine& engine, const ToolCall& call,
                                      const WindowInfo& window) {
  const std::string cursor_text = call.arguments.text("page_cursor");
  if (cursor_text.empty()) {
    const Outcome<TreeCapture> capture = co_await engine.trees.get(window, Freshness::Cached);
    if (!capture.ok()) co_return capture.failure();
    LineSource source{capture->tree, {}, {}};
    source.token = engine.trees.mint_token(window.uid, source.tree);
    co_return source;
  }
  const Outcome<LineCursor> cursor = read_line_cursor(cursor_text);
  if (!cursor.ok()) co_return cursor.failure();
  std::shared_ptr<const Tree> tree = engine.trees.seen_under(window.uid, cursor->token);
  if (!tree) {
    co_return failure(Fault::SnapshotExpired, "page_cursor has expired; start again without it",
                      {{"page_cursor", cursor_text}, {"window_uid", window.uid}});
  }
  co_return LineSource{std::move(tree), cursor->token, cursor->after_id};
}

/// The tree as short lines. Filters apply as to the full form; without a depth there is no limit.
Task<ToolOutcome> structure_lines(Engine& engine, const ToolCall& call,
                                  const ChosenWindow& window) {
  const Outcome<LineSource> source = co_await line_source(engine, call, window.info);
  if (!source.ok()) co_return source.failure();
  const Tree& tree = *source->tree;
  const std::string scope = call.arguments.text("scope");
  const Node* root = scope.empty() ? &tree.root : find_by_id(tree.root, scope);
  if (root == nullptr) co_return no_scope(scope, window.info);

  StructureQuery query = structure_query(call.arguments, engine.settings.tree);
  LineOptions options;
  options.max_bytes = content_budget(max_bytes(call.arguments, engine.settings, true));
  options.max_lines = static_cast<std::size_t>(query.max_nodes);
  options.after_id = source->after_id;
  options.skeleton = call.arguments.flag("skeleton");
  if (!call.arguments.has("depth")) query.depth = std::numeric_limits<int>::max();
  query.max_nodes = 0;
  query.page_cursor.clear();
  query.screen = co_await screen_area(engine, query.visible_only);
  const StructureView view = make_view(*root, query);

  JsonObject out;
  out.add("window", window.info.title);
  out.add("window_uid", window.info.uid);
  out.add("format", "lines");
  out.add("element_count", tree.node_count);
  out.add("tree_hash", tree.hash);
  out.add("tree_token", source->token);
  out.add_if("scope", scope);
  if (!add_lines(out, *view.tree, source->token, options)) {
    co_return failure(Fault::BadRequest,
                      "page_cursor names no line of this view; keep the filters of the first page",
                      {{"page_cursor", call.arguments.text("page_cursor")}});
  }
  out.add_if("warning", joined_warnings(window.warning, view.warning));
  add_degraded(out, tree, engine.settings.tree.sparse_threshold);
  co_return out;
}

Task<ToolOutcome> get_window_structure(Engine& engine, const ToolCall& call) {
  const Outcome<ChosenWindow> window =
      co_await engine.directory.choose(call.arguments, MissingWindow::UseFocused);
  if (!window.ok()) co_return window.failure();
  if (call.arguments.text("format") == "lines") {
    co_return co_await structure_lines(engine, call, *window);
  }
  const Outcome<TreeCapture> read = co_await engine.trees.get(window->info, Freshness::Cached);
  if (!read.ok()) co_return read.failure();
  const TreeCapture& capture = *read;

  StructureQuery query = structure_query(call.arguments, engine.settings.tree);
  query.max_bytes = content_budget(max_bytes(call.arguments, engine.settings, false));
  query.screen = co_await screen_area(engine, query.visible_only);
  const Tree& tree = *capture.tree;
  const std::string scope = call.arguments.text("scope");
  const Node* root = scope.empty() ? &tree.root : find_by_id(tree.root, scope);
  if (root == nullptr) co_return no_scope(scope, window->info);
  const StructureView view = make_view(*root, query);
  const std::size_t captured = scope.empty() ? tree.node_count : count_nodes(*root);

  JsonObject perf;
  perf.add("capture_ms", capture.capture_ms);
  perf.add("node_count", captured);
  perf.add("cache", capture.cache);
  perf.add("depth_used", query.depth);

  JsonObject out;
  out.add("window", window->info.title);
  out.add("window_uid", window->info.uid);
  out.add("element_count", captured);
  out.add("node_count", view.node_count);
  out.add("tree", RawJson{view.tree ? node_json(*view.tree) : "null"});
  out.add("truncated", view.truncated);
  out.add_or_null("next_cursor", view.next_cursor);
  out.add("depth_used", query.depth);
  out.add("depth_truncated", view.depth_truncated);
  out.add("perf", perf);
  out.add_if("warning", joined_warnings(window->warning, view.warning));
  if (scope.empty()) {
    out.add("tree_hash", tree.hash);
    out.add("tree_token", engine.trees.mint_token(window->info.uid, capture.tree));
    add_degraded(out, tree, engine.settings.tree.sparse_threshold);
  } else {
    out.add("tree_hash", tree_hash(*root));
    out.add("tree_token", nullptr);
    out.add("scope", scope);
  }
  co_return out;
}

/// Puts the words of the window over the sketch, or why there are none into the answer.
Task<bool> read_over_sketch(Engine& engine, const WindowInfo& window, SketchOptions& options,
                            JsonObject& out) {
  const ObserverSense sense = co_await ocr_now(engine);
  if (!sense.available) {
    out.add("error_code", fault_row(Fault::PlatformUnsupported).name);
    out.add("ocr_error", "text cannot be recognised: " + sense.reason);
    out.add("hint", sense.cure);
    co_return false;
  }
  OcrQuery query;
  query.window = window;
  const Outcome<OcrReading> reading = co_await read_window(engine, std::move(query));
  if (!reading.ok()) {
    out.add("error_code", fault_row(reading.failure().fault).name);
    out.add("ocr_error", reading.failure().message);
    co_return false;
  }
  for (SeenLine& line : seen_lines(*reading)) {
    options.texts.push_back({std::move(line.text), line.confidence, line.bounds});
  }
  co_return true;
}

Task<ToolOutcome> get_screen_sketch(Engine& engine, const ToolCall& call) {
  SketchOptions options = sketch_options(engine.settings.sketch, call.arguments);
  const Outcome<WindowTree> seen = co_await chosen_tree(engine, call, Freshness::Fresh);
  if (!seen.ok()) co_return seen.failure();
  const ChosenWindow& window = seen->window;

  const std::shared_ptr<const Tree> tree = seen->capture.tree;
  const Rect reference = window.by_request ? window.info.bounds : tree->root.bounds;
  const bool structured = call.arguments.flag("structured");
  JsonObject out;
  const bool wants_words = call.arguments.flag("ocr");
  const bool words = wants_words && co_await read_over_sketch(engine, window.info, options, out);
  const Outcome<DrawnSketch> sketch =
      co_await drawn_sketch(engine, tree, reference, options, structured);
  if (!sketch.ok()) co_return sketch.failure();

  out.add("window", window.by_request ? std::string_view(window.info.title) : "(focused)");
  out.add("window_uid", window.info.uid);
  out.add("grid_width", options.grid_width);
  out.add("grid_height", options.grid_height);
  out.add("sketch", sketch->text);
  out.add("ocr_overlay", words);
  out.add_if("warning", window.warning);
  if (structured) {
    out.add("elements", sketch->elements);
    out.add("legend", sketch->legend);
  }
  co_return out;
}

constexpr std::string_view kStringItems = R"({"type":"string"})";

constexpr Parameter kStructure[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    {"depth", ParameterType::Integer,
     "Levels below the root; the configured default when not given, limited to tree.max_depth."},
    {"scope", ParameterType::String, "Id of the element to start from."},
    {"roles",
     ParameterType::Array,
     "Roles to keep, exact and case-sensitive; also with commas.",
     false,
     {},
     kStringItems},
    {"exclude_roles",
     ParameterType::Array,
     "Roles to leave out; also with commas.",
     false,
     {},
     kStringItems},
    {"name_regex", ParameterType::String, "Keep elements whose name has a match."},
    {"visible_only", ParameterType::Boolean,
     "Leave out what is not showing or outside the screen."},
    {"prune_empty", ParameterType::Boolean,
     "Leave out elements with neither name, value nor children."},
    {"max_text_len", ParameterType::Integer, "Characters of a name or value; longer ones are cut."},
    {"max_nodes", ParameterType::Integer, "Elements of one page; the rest comes with page_cursor."},
    {"page_cursor", ParameterType::String, "next_cursor of the page before."},
    kMaxBytes,
    {"format", ParameterType::String,
     "json (default), or lines: one short line for each element that says or does something.",
     false, "json|lines"},
    {"skeleton", ParameterType::Boolean,
     "Lines only for elements that hold others, each with the number of lines below it; read one "
     "of them with scope."},
};
constexpr Parameter kSketch[] = {
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
    {"grid_width", ParameterType::Integer, "Columns."},
    {"grid_height", ParameterType::Integer, "Rows."},
    {"ocr", ParameterType::Boolean, "Draw recognised text over the sketch."},
    {"structured", ParameterType::Boolean, "Add the drawn elements and the legend as data."},
};

constexpr Tool kTreeTools[] = {
    {"get_element_tree", get_window_structure, ToolKind::Read, true,
     "Reads the accessibility tree of a window: id, name, role, value, state and bounds in screen "
     "pixels of every element. Another name of get_window_structure.",
     kStructure, "get_window_structure"},
    {"get_screen_sketch", get_screen_sketch, ToolKind::Read, true,
     "Draws a window as text: boxes, labels and a legend.", kSketch},
    {"get_window_structure", get_window_structure, ToolKind::Read, true,
     "Reads the accessibility tree of a window, with filters and paging.", kStructure},
};

}  // namespace

std::span<const Tool> tree_tools() { return kTreeTools; }

}  // namespace gantry::observation
