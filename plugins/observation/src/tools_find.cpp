// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "near_matches.hpp"
#include "node_json.hpp"
#include "selector.hpp"
#include "tools.hpp"
#include "window_tree.hpp"

namespace gantry::observation {
namespace {

/// The protocol's cap on both the matches that are listed and the number that is told.
constexpr std::size_t kMaxMatches = 10;

Failure no_match(const std::string& text, const Selector& selector, const WindowInfo& window,
                 const Node& root) {
  Failure why = failure(Fault::ElementNotFound, fmt::format("no element matches '{}'", text));
  JsonObject context;
  context.add("selector", text);
  context.add("window_uid", window.uid);
  add_near_matches(context, root, selector);
  why.context = context.text();
  return why;
}

JsonObject match_json(const Node& node) {
  JsonObject object;
  object.add("element_id", node.id);
  object.add("bounds", rect_json(node.bounds));
  object.add("name", node.name);
  object.add("role", node.role);
  return object;
}

Task<ToolOutcome> find_element(Engine& engine, const ToolCall& call) {
  const std::string text = call.arguments.text("selector");
  if (text.empty()) co_return failure(Fault::BadRequest, "selector is required");
  const Outcome<Selector> selector = Selector::parse(text);
  if (!selector.ok()) co_return selector.failure();

  const Outcome<WindowTree> seen = co_await chosen_tree(engine, call, Freshness::Cached);
  if (!seen.ok()) co_return seen.failure();
  const ChosenWindow& window = seen->window;

  // Hidden names must not be found by guessing them, so the search sees what clients see.
  const std::shared_ptr<const Tree> tree = seen->capture.tree;
  const std::vector<const Node*> matches = selector->matches(tree->root);
  if (selector->gave_up()) {
    co_return failure(Fault::BadRequest,
                      "selector is too expensive: a regular expression in it backtracks too much",
                      {{"selector", text}, {"window_uid", window.info.uid}});
  }
  if (matches.empty()) co_return no_match(text, *selector, window.info, tree->root);

  engine.trees.deliver(window.info.uid, tree);
  const std::size_t listed = std::min(matches.size(), kMaxMatches);
  JsonArray all;
  for (std::size_t i = 0; i < listed; ++i) all.add(match_json(*matches[i]));
  const Node& best = *matches.front();
  JsonObject out;
  out.add("window_uid", window.info.uid);
  out.add("element_id", best.id);
  out.add("selector", selector->canonical());
  out.add("element_selector", derive_selector(tree->root, best));
  out.add("bounds", rect_json(best.bounds));
  out.add("ambiguous_matches", listed);
  out.add("total_matches", matches.size());
  out.add("all_matches", all.done());
  out.add_if("warning", window.warning);
  co_return out;
}

constexpr Parameter kFind[] = {
    {"selector", ParameterType::String,
     "What to find: Window/MenuBar/MenuItem[name=\"Edit\"], //Button[name~=\"Save.*\"] or "
     "\"push button\"[name=\"OK\"].",
     true},
    kWindowUid,
    kWindowIndex,
    kWindowTitle,
};

constexpr Tool kFindTools[] = {
    {"find_element", find_element, ToolKind::Read, true,
     "Finds the elements that a selector matches: the first one, how many there are, and the first "
     "ten. A miss names the nearest elements.",
     kFind},
};

}  // namespace

std::span<const Tool> find_tools() { return kFindTools; }

}  // namespace gantry::observation
