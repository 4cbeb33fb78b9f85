// SPDX-License-Identifier: Apache-2.0
#include "app_model.hpp"

#include "roles.hpp"

#include <algorithm>
#include <unordered_set>

namespace gantry::atspi {
namespace {

constexpr const char* kRootPath = "/org/a11y/atspi/accessible/root";
constexpr unsigned kContent = kFreshText | kFreshRange;

}  // namespace

AppModel::AppModel(std::string bus_name) : bus_name_(std::move(bus_name)) { clear(); }

void AppModel::clear() {
  nodes_.clear();
  free_.clear();
  by_object_.clear();
  allocate({bus_name_, kRootPath});
  nodes_[root()].role = static_cast<std::uint32_t>(Role::kApplication);
  touch();
}

// Objects of the application itself are keyed by path alone: one allocation less per look-up, and
// some toolkits leave the bus name of their own references empty.
AppModel::Key AppModel::key(const ObjectRef& object) const {
  if (object.bus.empty() || object.bus == bus_name_) return object.path;
  return object.bus + object.path;
}

NodeIndex AppModel::find(const ObjectRef& object) const {
  const auto found = by_object_.find(key(object));
  return found == by_object_.end() ? kNoNode : found->second;
}

NodeRecord* AppModel::get(NodeHandle handle) {
  if (handle.index >= nodes_.size()) return nullptr;
  NodeRecord& node = nodes_[handle.index];
  return node.alive && node.serial == handle.serial ? &node : nullptr;
}

NodeIndex AppModel::allocate(const ObjectRef& object) {
  NodeIndex index = kNoNode;
  if (free_.empty()) {
    index = static_cast<NodeIndex>(nodes_.size());
    nodes_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
    nodes_[index] = NodeRecord{};
  }
  NodeRecord& node = nodes_[index];
  node.object = object;
  node.serial = next_serial_++;
  if (node.object.bus.empty()) node.object.bus = bus_name_;
  node.alive = true;
  by_object_.emplace(key(object), index);
  return index;
}

NodeIndex AppModel::ensure(const ObjectRef& object, NodeIndex parent) {
  const NodeIndex known = find(object);
  if (known != kNoNode) return known;
  const NodeIndex index = allocate(object);
  nodes_[index].parent = parent;
  return index;
}

NodeIndex AppModel::put(const CacheItem& item) {
  const NodeIndex index = ensure(item.object, kNoNode);
  NodeRecord& node = nodes_[index];
  if (node.is_fresh(kFreshProps | kFreshInterfaces) && node.role == item.role &&
      node.name == item.name && node.description == item.description &&
      node.interfaces == item.interfaces && node.states == item.states &&
      node.child_count == item.child_count) {
    return index;
  }
  node.role = item.role;
  node.name = item.name;
  node.description = item.description;
  node.interfaces = item.interfaces;
  node.states = item.states;
  node.child_count = item.child_count;
  node.mark(kFreshProps | kFreshInterfaces);
  touch();
  return index;
}

void AppModel::load(const std::vector<CacheItem>& items) {
  struct Child {
    int position;
    NodeIndex node;
  };
  std::unordered_map<NodeIndex, std::vector<Child>> children;
  std::vector<NodeIndex> indices;
  indices.reserve(items.size());
  by_object_.reserve(items.size() * 2);
  for (const CacheItem& item : items) indices.push_back(put(item));
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].lists_children) {
      set_children(indices[i], items[i].children);
      continue;
    }
    const NodeIndex parent = items[i].parent.null() ? kNoNode : find(items[i].parent);
    if (parent == kNoNode || parent == indices[i]) continue;
    children[parent].push_back({items[i].index, indices[i]});
  }
  for (const NodeIndex index : indices) {
    NodeRecord& node = nodes_[index];
    auto& list = children[index];
    // Only a complete list without gaps is the truth; anything else is read from the object.
    std::stable_sort(list.begin(), list.end(),
                     [](const Child& a, const Child& b) { return a.position < b.position; });
    bool complete = node.child_count == static_cast<int>(list.size());
    for (std::size_t i = 0; i < list.size() && complete; ++i) {
      complete = list[i].position == static_cast<int>(i);
    }
    if (index == root()) continue;
    if (!complete) {
      node.stale(kFreshChildren);
      continue;
    }
    std::vector<NodeIndex> now;
    now.reserve(list.size());
    for (const Child& child : list) now.push_back(child.node);
    replace_children(index, std::move(now));
  }
}

void AppModel::prune(const std::vector<CacheItem>& items) {
  std::unordered_set<NodeIndex> listed{root()};
  for (const CacheItem& item : items) listed.insert(find(item.object));
  for (NodeIndex index = 0; index < nodes_.size(); ++index) {
    if (nodes_[index].alive && !listed.contains(index)) remove(index);
  }
}

void AppModel::set_children(NodeIndex index, const std::vector<ObjectRef>& children) {
  std::vector<NodeIndex> now;
  std::unordered_set<NodeIndex> listed;
  now.reserve(children.size());
  for (const ObjectRef& object : children) {
    if (object.null()) continue;
    const NodeIndex child = ensure(object, index);
    if (child == index || child == root()) continue;  // lists itself or the application: a cycle
    if (listed.insert(child).second) now.push_back(child);
  }
  nodes_[index].child_count = static_cast<int>(now.size());
  replace_children(index, std::move(now));
}

void AppModel::replace_children(NodeIndex index, std::vector<NodeIndex> now) {
  const std::vector<NodeIndex> before = std::move(nodes_[index].children);
  for (const NodeIndex child : now) {
    const NodeIndex old_parent = nodes_[child].parent;
    if (old_parent != index && old_parent != kNoNode && old_parent < nodes_.size()) {
      std::erase(nodes_[old_parent].children, child);
    }
    nodes_[child].parent = index;
  }
  if (now != before) touch();
  const std::unordered_set<NodeIndex> listed(now.begin(), now.end());
  nodes_[index].children = std::move(now);
  nodes_[index].mark(kFreshChildren);
  for (const NodeIndex child : before) {
    if (!listed.contains(child) && nodes_[child].alive && nodes_[child].parent == index) {
      remove(child);
    }
  }
}

void AppModel::remove(NodeIndex index) {
  if (index == root() || index >= nodes_.size() || !nodes_[index].alive) return;
  const NodeIndex parent = nodes_[index].parent;
  if (parent != kNoNode && nodes_[parent].alive) std::erase(nodes_[parent].children, index);
  std::vector<NodeIndex> doomed{index};
  while (!doomed.empty()) {
    const NodeIndex current = doomed.back();
    doomed.pop_back();
    NodeRecord& node = nodes_[current];
    if (!node.alive) continue;  // a cycle leads back here
    node.alive = false;
    doomed.insert(doomed.end(), node.children.begin(), node.children.end());
    node.children.clear();
    by_object_.erase(key(node.object));
    free_.push_back(current);
  }
  touch();
}

void AppModel::stale_subtree(NodeIndex index, unsigned parts) {
  std::vector<NodeIndex> pending{index};
  std::size_t visits = 0;
  while (!pending.empty() && visits++ <= nodes_.size()) {
    const NodeIndex current = pending.back();
    pending.pop_back();
    nodes_[current].stale(parts);
    pending.insert(pending.end(), nodes_[current].children.begin(), nodes_[current].children.end());
  }
  touch();
}

void AppModel::stale_all(unsigned parts) {
  for (NodeRecord& node : nodes_) node.stale(parts);
  touch();
}

bool AppModel::apply(const Event& event) {
  const bool changed = apply_any(event);
  events_ += changed ? 1 : 0;
  return changed;
}

bool AppModel::apply_any(const Event& event) {
  if (event.interface == "Window") {
    // Windows come, go and move: ask for the list again, and for where things are.
    nodes_[root()].stale(kFreshChildren);
    const NodeIndex window = find(event.source);
    const bool moved = event.member == "Move" || event.member == "Resize" ||
                       event.member == "Restore" || event.member == "Maximize";
    if (window != kNoNode && moved) {
      stale_subtree(window, kFreshBounds);
    } else {
      touch();
    }
    return true;
  }
  const NodeIndex index = find(event.source);
  return index != kNoNode && apply_object(index, event);
}

bool AppModel::apply_object(NodeIndex index, const Event& event) {
  if (event.member == "ChildrenChanged") return apply_children(index, event);
  if (event.member == "StateChanged") return apply_state(index, event);
  if (event.member == "PropertyChange") return apply_property(index, event);
  struct Effect {
    const char* member;
    unsigned parts;
    bool below;
  };
  static constexpr Effect kEffects[] = {
      {"BoundsChanged", kFreshBounds, true},
      {"TextChanged", kFreshText | kFreshProps, false},  // a label's name is its text
      {"VisibleDataChanged", kFreshBounds | kFreshProps, true},
      {"SelectionChanged", kFreshProps | kFreshText, true},
      {"ActiveDescendantChanged", kFreshProps | kFreshChildren, true},
      {"ModelChanged", kFreshChildren, true},
      {"RowInserted", kFreshChildren, false},
      {"RowDeleted", kFreshChildren, false},
      {"RowReordered", kFreshChildren | kFreshBounds, true},
      {"ColumnInserted", kFreshChildren, false},
      {"ColumnDeleted", kFreshChildren, false},
      {"AttributesChanged", kFreshIdentifier, false},
      {"LoadComplete", kFreshChildren | kFreshBounds | kFreshProps, true},
      {"Reload", kFreshChildren | kFreshBounds | kFreshProps, true},
  };
  for (const Effect& effect : kEffects) {
    if (event.member != effect.member) continue;
    if ((effect.parts & kFreshChildren) != 0) nodes_[index].child_count = -1;
    if (effect.below) {
      stale_subtree(index, effect.parts);
    } else {
      nodes_[index].stale(effect.parts);
      touch();
    }
    return true;
  }
  return false;
}

bool AppModel::apply_children(NodeIndex index, const Event& event) {
  NodeRecord& node = nodes_[index];
  node.stale(kFreshChildren);
  node.child_count = -1;
  // What is added or removed pushes its siblings about.
  stale_subtree(index, kFreshBounds);
  if (event.detail.starts_with("remove") && event.object) {
    const NodeIndex child = find(*event.object);
    if (child != kNoNode && nodes_[child].parent == index) remove(child);
  }
  return true;
}

bool AppModel::apply_state(NodeIndex index, const Event& event) {
  const int bit = state_bit(event.detail);
  if (bit < 0) return false;
  NodeRecord& node = nodes_[index];
  const bool on = event.detail1 != 0;
  const auto state = static_cast<State>(bit);
  if (state == State::kDefunct && on) {
    remove(index);
    return true;
  }
  if (node.states.has(state) == on && node.is_fresh(kFreshProps)) return false;
  node.states.set(state, on);
  if (state == State::kShowing || state == State::kVisible) {
    // Descendants appear and vanish with their ancestor, often without events of their own.
    stale_subtree(index, kFreshBounds | kFreshProps);
  } else {
    touch();
  }
  return true;
}

bool AppModel::apply_property(NodeIndex index, const Event& event) {
  NodeRecord& node = nodes_[index];
  if (event.detail == "accessible-name" && event.text) {
    if (node.name == *event.text) return false;
    node.name = *event.text;
  } else if (event.detail == "accessible-description" && event.text) {
    if (node.description == *event.text) return false;
    node.description = *event.text;
  } else if (event.detail == "accessible-value") {
    node.stale(kContent);
    // A scroll bar that moves is the only word most toolkits say of scrolling: nothing under the
    // scrolled pane keeps its place or its SHOWING state.
    if (role_is(node.role, Role::kScrollBar)) {
      const NodeIndex pane = node.parent != kNoNode ? node.parent : index;
      stale_subtree(pane, kFreshBounds | kFreshProps);
    }
  } else if (event.detail == "accessible-parent") {
    if (node.parent != kNoNode) nodes_[node.parent].stale(kFreshChildren);
  } else {
    node.stale(kFreshProps);
  }
  touch();
  return true;
}

}  // namespace gantry::atspi
