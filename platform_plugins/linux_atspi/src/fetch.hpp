// SPDX-License-Identifier: Apache-2.0
// Pipelined reads that fill an AppModel. Every function works on one application, sends all its
// calls before collecting, and reports how far it came. Bus thread only.
#pragma once

#include "app.hpp"
#include "assemble.hpp"
#include "bus.hpp"
#include "config.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gantry::atspi {

/// What stopped a read early; after kNone, worst first.
enum class Stop { kNone, kHung, kGone, kDeadline, kBudget };

struct FetchLimits {
  TimePoint deadline;
  std::size_t max_nodes = 20000;
};

class Fetch {
 public:
  Fetch(std::shared_ptr<Bus> bus, const AtspiConfig& config)
      : bus_(std::move(bus)), config_(config) {}

  /// Toolkit name and version, application name. A silent application answers kHung.
  Task<Stop> identify(App& app);
  /// Cache.GetItems with back-off while the bridge still answers UnknownMethod. kNone also when the
  /// toolkit has no cache: the walk then does the work.
  Task<Stop> load_cache(App& app, TimePoint registered_at, TimePoint deadline);
  /// For lazy caches (GTK 4): one GetItems makes every known object current; objects it does not
  /// know yet are made known by asking for them (structure only), and read by a second GetItems.
  Task<Stop> reload_lazy(App& app, NodeIndex frame, FetchLimits limits);
  /// Children and properties of the application root: its windows.
  Task<Stop> frames(App& app, TimePoint deadline);
  /// Makes children and properties of `start` and everything below it current, level by level.
  /// Levels that are current cost no call.
  Task<Stop> repair(App& app, NodeIndex start, FetchLimits limits);
  /// Boxes of exactly these nodes.
  Task<Stop> bounds(App& app, std::vector<NodeIndex> nodes, TimePoint deadline);
  /// Boxes, text, ranges, actions, labels and identifiers of `order` that are missing and worth
  /// reading.
  Task<Stop> details(App& app, Order order, TimePoint deadline);
  /// True when the boxes of a few spread nodes are still what is cached.
  Task<bool> bounds_unmoved(App& app, std::vector<NodeIndex> sample, TimePoint deadline);

 private:
  BatchLimits limits(TimePoint deadline) const;
  Stop stop_of(App& app, const BatchOutcome& outcome) const;
  Task<Stop> get_items(App& app, TimePoint deadline, CallFailure& failure);
  Task<Stop> discover(App& app, NodeIndex start, FetchLimits limits, bool& found_new);
  void want_props(App& app, NodeIndex index, std::vector<Call>& calls);
  void want_children(App& app, NodeIndex index, std::size_t cap, std::vector<Call>& calls);
  Task<Stop> read_level(App& app, std::vector<NodeIndex> level, TimePoint deadline);
  void want_interfaces(App& app, NodeIndex index, std::vector<Call>& calls);
  void want_count(App& app, NodeIndex index, std::vector<Call>& calls);
  void want_bounds(App& app, NodeIndex index, std::vector<Call>& calls);
  void want_actions(App& app, NodeIndex index, std::vector<Call>& calls);
  void want_range(App& app, NodeIndex index, std::vector<Call>& calls);
  void want_identifier(App& app, NodeIndex index, std::vector<Call>& calls);
  void want_label(App& app, NodeIndex index, std::vector<Call>& calls);
  Task<Stop> name_actions(App& app, std::vector<NodeIndex> nodes, TimePoint deadline);
  Task<Stop> read_texts(App& app, std::vector<NodeIndex> nodes, TimePoint deadline);
  Task<Stop> read_choices(App& app, std::vector<NodeIndex> nodes, TimePoint deadline);

  std::shared_ptr<Bus> bus_;
  const AtspiConfig& config_;
};

/// Judges for every node of `order` (pre-order, `parents` as in Order) whether it is on screen: by
/// its states, or for toolkits that do not set SHOWING by VISIBLE down from the frame and, once the
/// boxes are read, by lying within the frame.
void mark_drawn(App& app, const std::vector<NodeIndex>& order, const std::vector<int>& parents);

/// What of a node is worth reading and not current; 0 for most.
unsigned missing_parts(const App& app, const NodeRecord& node);

/// True when the content of the node's Text interface is its value and may be read.
bool reads_text(const NodeRecord& node);

/// True when the name of the node's selected child is its value: a combo box that cannot be edited.
bool reads_choice(const NodeRecord& node);

}  // namespace gantry::atspi
