// SPDX-License-Identifier: Apache-2.0
// The cached objects of one application and how events change them. No D-Bus here: reads fill it,
// events make parts stale. Belongs to the bus thread.
#pragma once

#include "decode.hpp"
#include "node.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace gantry::atspi {

/// Names a node across a wait, during which events may remove nodes and reuse their slots.
struct NodeHandle {
  NodeIndex index = kNoNode;
  std::uint32_t serial = 0;
};

class AppModel {
 public:
  explicit AppModel(std::string bus_name);

  const std::string& bus_name() const { return bus_name_; }
  /// /org/a11y/atspi/accessible/root, node 0, always alive.
  static constexpr NodeIndex root() { return 0; }

  NodeRecord& at(NodeIndex index) { return nodes_[index]; }
  const NodeRecord& at(NodeIndex index) const { return nodes_[index]; }
  /// The node behind a handle taken before waiting; nullptr when it was removed meanwhile.
  NodeRecord* get(NodeHandle handle);
  NodeHandle handle(NodeIndex index) const { return {index, nodes_[index].serial}; }
  NodeIndex find(const ObjectRef& object) const;
  /// The node for `object`, made (knowing nothing) under `parent` if it is new.
  NodeIndex ensure(const ObjectRef& object, NodeIndex parent);
  std::size_t size() const { return by_object_.size(); }
  /// One past the largest index in use, for per-node side tables.
  std::size_t capacity() const { return nodes_.size(); }

  /// Takes over a whole Cache.GetItems answer.
  void load(const std::vector<CacheItem>& items);
  /// Drops what a complete Cache.GetItems answer no longer lists.
  void prune(const std::vector<CacheItem>& items);
  /// One object's cache entry (AddAccessible, or part of load).
  NodeIndex put(const CacheItem& item);
  /// The children as just read; children no longer listed lose their parent and are dropped.
  /// A child that another living node lists moves here: the toolkit's last word counts.
  void set_children(NodeIndex index, const std::vector<ObjectRef>& children);
  /// The object and everything below it.
  void remove(NodeIndex index);
  void clear();

  /// Marks what an event makes stale. True when the tree can look different because of it.
  bool apply(const Event& event);
  /// Makes `parts` stale for the node and everything below it.
  void stale_subtree(NodeIndex index, unsigned parts);
  void stale_all(unsigned parts);

  /// Grows by one with every change; equal numbers mean an equal tree.
  std::uint64_t sequence() const { return sequence_; }
  void touch() { ++sequence_; }
  /// How many events had an effect. Unchanged since a read began: the read is one consistent view.
  std::uint64_t events() const { return events_; }

 private:
  using Key = std::string;
  Key key(const ObjectRef& object) const;
  NodeIndex allocate(const ObjectRef& object);
  void replace_children(NodeIndex index, std::vector<NodeIndex> now);
  bool apply_any(const Event& event);
  bool apply_object(NodeIndex index, const Event& event);
  bool apply_children(NodeIndex index, const Event& event);
  bool apply_state(NodeIndex index, const Event& event);
  bool apply_property(NodeIndex index, const Event& event);

  std::string bus_name_;
  std::vector<NodeRecord> nodes_;
  std::vector<NodeIndex> free_;
  std::unordered_map<Key, NodeIndex> by_object_;
  std::uint64_t sequence_ = 1;
  std::uint64_t events_ = 0;
  std::uint32_t next_serial_ = 1;
};

}  // namespace gantry::atspi
