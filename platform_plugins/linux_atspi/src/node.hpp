// SPDX-License-Identifier: Apache-2.0
// What is known of one accessible object. Plain data, owned by an AppModel.
#pragma once

#include "states.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::atspi {

/// Physical screen pixels.
struct Bounds {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

struct ActionInfo {
  std::string name;  ///< "click", "press", "menu"
  std::string description;
  std::string key_binding;  ///< the toolkit's own text, e.g. "F;<Alt>F;<Primary>N"
};

struct RangeInfo {
  double now = 0;
  double min = 0;
  double max = 0;
};

/// The AT-SPI interfaces the adapter uses, one bit each.
enum Interface : std::uint32_t {
  kHasAccessible = 1U << 0U,
  kHasAction = 1U << 1U,
  kHasApplication = 1U << 2U,
  kHasCollection = 1U << 3U,
  kHasComponent = 1U << 4U,
  kHasDocument = 1U << 5U,
  kHasEditableText = 1U << 6U,
  kHasSelection = 1U << 7U,
  kHasTable = 1U << 8U,
  kHasText = 1U << 9U,
  kHasValue = 1U << 10U,
};

/// Bit of "org.a11y.atspi.Action" and the like; 0 for an interface the adapter does not use.
std::uint32_t interface_bit(std::string_view name);

/// An object's address on the accessibility bus.
struct ObjectRef {
  std::string bus;  ///< unique name, ":1.42"
  std::string path;
  bool null() const { return path.empty() || path == "/org/a11y/atspi/null"; }
  /// "busname:path", the form that leaves the adapter and comes back in actions.
  std::string native() const { return bus + ":" + path; }
  /// Parses native(); nullopt unless both parts are well formed.
  static std::optional<ObjectRef> parse(std::string_view native);
  friend bool operator==(const ObjectRef&, const ObjectRef&) = default;
};

/// One entry of org.a11y.atspi.Cache (GetItems, AddAccessible), both generations of the format.
struct CacheItem {
  ObjectRef object;
  ObjectRef parent;
  int index = -1;               ///< position in the parent; -1 when the toolkit does not say
  int child_count = -1;         ///< -1: not in the cache (MANAGES_DESCENDANTS), ask the object
  bool lists_children = false;  ///< pre-2015 format: `children` is the truth
  std::vector<ObjectRef> children;
  std::uint32_t interfaces = 0;
  std::string name;
  std::uint32_t role = 0;
  std::string description;
  StateSet states;
};

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = std::numeric_limits<NodeIndex>::max();

/// Which parts of a NodeRecord are current; events clear bits, reads set them.
enum Fresh : std::uint16_t {
  kFreshProps = 1U << 0U,  ///< role, name, description, interfaces, states
  kFreshChildren = 1U << 1U,
  kFreshBounds = 1U << 2U,
  kFreshText = 1U << 3U,
  kFreshRange = 1U << 4U,
  kFreshActions = 1U << 5U,
  kFreshIdentifier = 1U << 6U,
  kFreshInterfaces = 1U << 7U,
  kFreshLabel = 1U << 8U,
  kFreshAll = (1U << 9U) - 1U,
};

struct NodeRecord {
  ObjectRef object;
  std::uint32_t serial = 0;  ///< tells a reused slot from the node that a pending answer is for
  NodeIndex parent = kNoNode;
  std::vector<NodeIndex> children;
  std::uint16_t fresh = 0;
  bool alive = false;
  bool children_cut = false;  ///< more children exist than were read
  bool drawn = false;         ///< on screen, as last judged by mark_drawn()
  bool text_cut = false;      ///< the text was longer than the cap
  ObjectRef chosen;           ///< the option that a combo box shows; null: none, or not known
  ObjectRef label;            ///< the text beside a field without a name; null: none, or not known

  std::uint32_t role = 0;
  std::uint32_t interfaces = 0;
  int child_count = -1;
  StateSet states;
  std::string role_name;  ///< only for EXTENDED roles; else the table's
  std::string name;
  std::string description;
  std::optional<Bounds> bounds;  ///< as the toolkit reports them, screen coordinates
  std::string text;
  std::optional<RangeInfo> range;
  std::vector<ActionInfo> actions;
  std::string identifier;
  std::optional<Bounds> window_bounds;  ///< frames: where the window was at the last read
  std::chrono::steady_clock::time_point moved_at{};  ///< frames: when that was last seen to change

  bool has(Interface interface) const { return (interfaces & interface) != 0; }
  bool is_fresh(unsigned parts) const { return (fresh & parts) == parts; }
  void mark(unsigned parts) { fresh = static_cast<std::uint16_t>(fresh | parts); }
  void stale(unsigned parts) { fresh = static_cast<std::uint16_t>(fresh & ~parts); }
};

}  // namespace gantry::atspi
