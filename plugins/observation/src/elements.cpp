// SPDX-License-Identifier: Apache-2.0
#include "elements.hpp"

#include <fmt/format.h>

#include <vector>

#include "json_object.hpp"
#include "near_matches.hpp"
#include "node_json.hpp"
#include "selector.hpp"

namespace gantry::observation {
namespace {

constexpr std::size_t kMaxCandidates = 10;

template <typename Accepts>
std::vector<const Node*> all_nodes(const Node& root, const Accepts& accepts) {
  std::vector<const Node*> found;
  walk(root, [&](const Node& node, int) {
    if (accepts(node)) found.push_back(&node);
  });
  return found;
}

const Node* by_native(const Node& root, const std::string& native) {
  if (native.empty()) return nullptr;
  const auto found = all_nodes(root, [&](const Node& node) { return node.native_ref == native; });
  return found.empty() ? nullptr : found.front();
}

bool alike(const Node& a, const Node& b) { return a.role == b.role && a.name == b.name; }

Failure not_there(std::string message, std::string_view key, const std::string& value,
                  const std::string& uid) {
  return failure(Fault::ElementNotFound, std::move(message), {{key, value}, {"window_uid", uid}});
}

/// The same with what may have been meant, as far as names and roles tell.
Failure not_there(std::string message, std::string_view key, const std::string& value,
                  const std::string& uid, const Node& root, const Selector& selector) {
  JsonObject context;
  context.add(key, value);
  context.add("window_uid", uid);
  add_near_matches(context, root, selector);
  return {Fault::ElementNotFound, std::move(message), context.text(), nullptr};
}

Failure ambiguous(const std::string& id, const std::string& uid,
                  const std::vector<const Node*>& candidates) {
  JsonArray list;
  for (std::size_t i = 0; i < candidates.size() && i < kMaxCandidates; ++i) {
    JsonObject entry;
    entry.add("element_id", candidates[i]->id);
    entry.add("role", candidates[i]->role);
    entry.add("name", candidates[i]->name);
    entry.add("bounds", rect_json(candidates[i]->bounds));
    list.add(entry);
  }
  JsonObject context;
  context.add("element_id", id);
  context.add("window_uid", uid);
  context.add("candidates", list.done());
  return {Fault::ElementNotFound,
          fmt::format("the element behind id '{}' was replaced, and {} elements could be its "
                      "successor; observe again and name one of them",
                      id, candidates.size()),
          context.text(), nullptr};
}

/// The element that a client saw as `old`, in the present tree.
Outcome<FoundElement> find_again(const Tree& seen, const Node& old, const Tree& fresh,
                                 const std::string& uid) {
  const Node* same = by_native(fresh.root, old.native_ref);
  if (same != nullptr && same->role == old.role) {
    return FoundElement{same, derive_selector(fresh.root, *same), 1, {}};
  }
  // Without a name a successor cannot be told from a stranger in the same place.
  if (old.name.empty()) {
    return not_there(fmt::format("the element behind id '{}' is gone; observe again", old.id),
                     "element_id", old.id, uid);
  }
  const std::string path = derive_selector(seen.root, old);
  const Outcome<Selector> selector = Selector::parse(path);
  if (selector.ok()) {
    const std::vector<const Node*> there = selector->matches(fresh.root);
    if (there.size() == 1 && alike(*there.front(), old)) {
      return FoundElement{there.front(), path, 1, "path"};
    }
  }
  const auto candidates = all_nodes(fresh.root, [&](const Node& node) { return alike(node, old); });
  if (candidates.size() == 1) {
    return FoundElement{candidates.front(), derive_selector(fresh.root, *candidates.front()), 1,
                        "role_and_name"};
  }
  if (candidates.size() > 1) return ambiguous(old.id, uid, candidates);
  std::string gone = fmt::format("the element behind id '{}' is gone; observe again", old.id);
  if (!selector.ok()) return not_there(std::move(gone), "element_id", old.id, uid);
  return not_there(std::move(gone), "element_id", old.id, uid, fresh.root, *selector);
}

std::optional<FoundElement> by_selector(const Tree& fresh, const Selector& selector) {
  const std::vector<const Node*> matches = selector.matches(fresh.root);
  if (matches.empty()) return std::nullopt;
  return FoundElement{matches.front(), selector.canonical(), matches.size(), {}};
}

Outcome<FoundElement> by_id(const Trees& trees, const std::string& uid, const Tree& fresh,
                            const ElementQuery& query) {
  const std::string& id = query.element_id;
  const bool token = !query.tree_token.empty();
  const std::shared_ptr<const Tree> seen =
      token ? trees.seen_under(uid, query.tree_token) : trees.seen_with(uid, id);
  if (token && seen == nullptr) {
    return failure(Fault::SnapshotExpired,
                   fmt::format("tree_token '{}' of this window is unknown or has expired; observe "
                               "again",
                               query.tree_token),
                   {{"tree_token", query.tree_token}, {"window_uid", uid}});
  }
  if (seen != nullptr) {
    if (const Node* old = find_by_id(seen->root, id)) return find_again(*seen, *old, fresh, uid);
  }
  // Nobody has been shown this id, so it can only mean the present tree.
  if (const Node* present = token ? nullptr : find_by_id(fresh.root, id)) {
    return FoundElement{present, derive_selector(fresh.root, *present), 1, {}};
  }
  if (const Outcome<Selector> selector = Selector::parse(id); selector.ok()) {
    if (auto found = by_selector(fresh, *selector)) return std::move(*found);
  }
  return not_there(fmt::format("no element has id '{}'", id), "element_id", id, uid);
}

}  // namespace

ElementQuery element_query(const Arguments& arguments) {
  return {arguments.text("selector"), arguments.text("element_id"), arguments.text("tree_token")};
}

Outcome<FoundElement> resolve_element(const Trees& trees, const std::string& uid, const Tree& fresh,
                                      const ElementQuery& query) {
  if (!query.given()) {
    return failure(Fault::BadRequest, "either element_id or selector is required");
  }
  if (query.selector.empty()) return by_id(trees, uid, fresh, query);
  const Outcome<Selector> selector = Selector::parse(query.selector);
  if (selector.ok()) {
    if (auto found = by_selector(fresh, *selector)) return std::move(*found);
  }
  if (!query.element_id.empty()) return by_id(trees, uid, fresh, query);
  if (!selector.ok()) return selector.failure();
  return not_there(fmt::format("no element matches selector '{}'", selector->canonical()),
                   "selector", selector->canonical(), uid, fresh.root, *selector);
}

const Node* same_element(const Tree& tree, const Node& element) {
  if (!element.native_ref.empty()) {
    const Node* same = by_native(tree.root, element.native_ref);
    if (same != nullptr && same->role == element.role) return same;
  }
  const Node* there = find_by_id(tree.root, element.id);
  return there != nullptr && alike(*there, element) ? there : nullptr;
}

}  // namespace gantry::observation
