// SPDX-License-Identifier: Apache-2.0
// Reading AT-SPI's D-Bus bodies into plain values. Nothing here keeps a message.
#pragma once

#include "node.hpp"

#include <gantry/result.hpp>

#include <systemd/sd-bus.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gantry::atspi {

/// Body of Cache.GetItems: `a((so)(so)(so)iiassusau)`, or the pre-2015
/// `a((so)(so)(so)a(so)assusau)` that Qt 5 sends. Any other signature is an error that names it. At
/// most `max_items` are kept.
Result<std::vector<CacheItem>> decode_cache_items(sd_bus_message* message, std::size_t max_items);

/// Body of the Cache.AddAccessible signal: one such structure.
Result<CacheItem> decode_cache_item(sd_bus_message* message);

Result<std::vector<ObjectRef>> decode_refs(sd_bus_message* message);  ///< a(so)
Result<ObjectRef> decode_ref(sd_bus_message* message);                ///< (so)
/// `a(ua(so))` of GetRelationSet: the first object that labels this one, null when none does.
Result<ObjectRef> decode_label(sd_bus_message* message);
Result<StateSet> decode_states(sd_bus_message* message);                   ///< au
Result<std::uint32_t> decode_interfaces(sd_bus_message* message);          ///< as
Result<std::uint32_t> decode_u32(sd_bus_message* message);                 ///< u or i
Result<bool> decode_bool(sd_bus_message* message);                         ///< b
Result<std::string> decode_string(sd_bus_message* message);                ///< s
Result<std::vector<std::string>> decode_strings(sd_bus_message* message);  ///< as
Result<std::vector<ActionInfo>> decode_actions(sd_bus_message* message);   ///< a(sss)
/// `a{ss}`, the value of `key`, empty when absent.
Result<std::string> decode_attribute(sd_bus_message* message, std::string_view key);
/// (iiii) or iiii; sentinel and empty boxes give nullopt (see geometry.hpp).
Result<std::optional<Bounds>> decode_extents(sd_bus_message* message);

/// The same inside the variant that Properties.Get answers.
Result<std::string> decode_variant_string(sd_bus_message* message);
Result<int> decode_variant_int(sd_bus_message* message);        ///< i or u
Result<double> decode_variant_double(sd_bus_message* message);  ///< d, i or u
Result<bool> decode_variant_bool(sd_bus_message* message);

/// Properties.GetAll of the Accessible interface; unknown properties are skipped.
struct AccessibleProperties {
  std::string name;
  std::string description;
  std::string identifier;
  int child_count = 0;
};
Result<AccessibleProperties> decode_accessible_properties(sd_bus_message* message);

/// An org.a11y.atspi.Event.* signal: (s detail, i, i, v, …).
struct Event {
  ObjectRef source;
  std::string interface;  ///< "Object", "Window", "Document", "Focus"
  std::string member;     ///< "ChildrenChanged", "StateChanged", "PropertyChange", …
  std::string detail;     ///< "add", "focused", "accessible-name", …
  int detail1 = 0;
  int detail2 = 0;
  std::optional<std::string> text;  ///< the variant, when it is a string
  std::optional<ObjectRef> object;  ///< the variant, when it is an object
};
/// nullopt when the message is no accessibility event.
std::optional<Event> decode_event(sd_bus_message* message);

}  // namespace gantry::atspi
