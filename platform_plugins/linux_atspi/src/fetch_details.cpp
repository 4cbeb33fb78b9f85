// SPDX-License-Identifier: Apache-2.0
// The parts that GetItems does not carry, read only for nodes where they are worth a call.
#include "decode.hpp"
#include "fetch.hpp"
#include "fetch_call.hpp"
#include "geometry.hpp"
#include "roles.hpp"

#include <algorithm>
#include <string_view>

namespace gantry::atspi {
namespace {

constexpr std::uint32_t kScreenCoordinates = 0;

bool is_menu_entry(const NodeRecord& node) {
  const std::string_view role = role_info(node.role).observer;
  return role == "MenuItem" || role == "CheckMenuItem" || role == "RadioMenuItem";
}

/// What a person would look for by the text beside it. Secret fields count: a label is no secret.
bool is_nameless_field(const NodeRecord& node) {
  const unsigned traits = role_info(node.role).traits;
  const bool control = (traits & kHoldsRange) != 0 && (traits & kActs) != 0;
  const bool field = role_is(node.role, Role::kComboBox) || role_is(node.role, Role::kText) ||
                     role_is(node.role, Role::kEntry) || (traits & kSecret) != 0 || control;
  return field && node.name.empty();
}

}  // namespace

bool reads_text(const NodeRecord& node) {
  const unsigned traits = role_info(node.role).traits;
  if (!node.has(kHasText) || (traits & kSecret) != 0) return false;
  // A combo box that cannot be edited says its choice in its name or its selected child.
  if (role_is(node.role, Role::kComboBox)) return node.states.has(State::kEditable);
  return (traits & kHoldsText) != 0 || node.states.has(State::kEditable);
}

bool reads_choice(const NodeRecord& node) {
  return role_is(node.role, Role::kComboBox) && node.has(kHasSelection) && !reads_text(node);
}

unsigned missing_parts(const App& app, const NodeRecord& node) {
  const bool showing = node.drawn;
  const unsigned traits = role_info(node.role).traits;
  unsigned parts = 0;
  if (showing && node.has(kHasComponent)) parts |= kFreshBounds;
  if (showing && (reads_text(node) || reads_choice(node))) parts |= kFreshText;
  if (showing && (traits & kHoldsRange) != 0 && node.has(kHasValue)) parts |= kFreshRange;
  // Closed menus are worth it too: their key bindings spare the agent the way through the menu.
  // Chromium gives every text run an Action interface; only what is made to be used is asked.
  const bool usable = (traits & kActs) != 0 || node.states.has(State::kFocusable);
  if (node.has(kHasAction) && ((showing && usable) || is_menu_entry(node))) parts |= kFreshActions;
  if (showing && usable && app.traits().identifier != ToolkitTraits::Identifier::kNone) {
    parts |= kFreshIdentifier;
  }
  if (showing && app.traits().label_relations && is_nameless_field(node)) parts |= kFreshLabel;
  return parts & ~static_cast<unsigned>(node.fresh);
}

void Fetch::want_bounds(App& app, NodeIndex index, std::vector<Call>& calls) {
  NodeRecord& node = app.model.at(index);
  node.mark(kFreshBounds);
  Call call = method(node.object, kComponent, "GetExtents",
                     into(app, index, kFreshBounds, decode_extents,
                          [](NodeRecord& n, std::optional<Bounds> box) { n.bounds = box; }));
  call.fill = [](sd_bus_message* m) { return sd_bus_message_append(m, "u", kScreenCoordinates); };
  calls.push_back(std::move(call));
}

void Fetch::want_range(App& app, NodeIndex index, std::vector<Call>& calls) {
  NodeRecord& node = app.model.at(index);
  node.mark(kFreshRange);
  node.range = RangeInfo{};
  const auto field = [&](const char* name, double RangeInfo::*member) {
    calls.push_back(property_call(
        node.object.bus, node.object.path, kValue, name,
        into(app, index, kFreshRange, decode_variant_double, [member](NodeRecord& n, double value) {
          if (!n.range) n.range.emplace();
          (*n.range).*member = value;
        })));
  };
  field("CurrentValue", &RangeInfo::now);
  field("MinimumValue", &RangeInfo::min);
  field("MaximumValue", &RangeInfo::max);
}

void Fetch::want_actions(App& app, NodeIndex index, std::vector<Call>& calls) {
  NodeRecord& node = app.model.at(index);
  node.mark(kFreshActions);
  calls.push_back(method(node.object, kAction, "GetActions",
                         into(app, index, kFreshActions, decode_actions,
                              [](NodeRecord& n, std::vector<ActionInfo> actions) {
                                n.actions = std::move(actions);
                              })));
}

void Fetch::want_identifier(App& app, NodeIndex index, std::vector<Call>& calls) {
  NodeRecord& node = app.model.at(index);
  node.mark(kFreshIdentifier);
  const auto store = [](NodeRecord& n, std::string id) { n.identifier = std::move(id); };
  if (app.traits().identifier == ToolkitTraits::Identifier::kProperty) {
    calls.push_back(
        property_call(node.object.bus, node.object.path, kAccessible, "AccessibleId",
                      into(app, index, kFreshIdentifier, decode_variant_string, store)));
    return;
  }
  const auto id_attribute = [](sd_bus_message* m) { return decode_attribute(m, "id"); };
  calls.push_back(method(node.object, kAccessible, "GetAttributes",
                         into(app, index, kFreshIdentifier, id_attribute, store)));
}

void Fetch::want_label(App& app, NodeIndex index, std::vector<Call>& calls) {
  NodeRecord& node = app.model.at(index);
  node.mark(kFreshLabel);
  calls.push_back(method(node.object, kAccessible, "GetRelationSet",
                         into(app, index, kFreshLabel, decode_label,
                              [](NodeRecord& n, ObjectRef label) { n.label = std::move(label); })));
}

Task<Stop> Fetch::bounds(App& app, std::vector<NodeIndex> nodes, TimePoint deadline) {
  std::vector<Call> calls;
  calls.reserve(nodes.size());
  for (const NodeIndex index : nodes) {
    const NodeRecord& node = app.model.at(index);
    if (node.alive && node.has(kHasComponent)) want_bounds(app, index, calls);
  }
  const BatchOutcome outcome = co_await bus_->run(std::move(calls), limits(deadline));
  co_return stop_of(app, outcome);
}

void mark_drawn(App& app, const std::vector<NodeIndex>& order, const std::vector<int>& parents) {
  const bool by_state = app.traits().showing_state;
  std::optional<Bounds> frame;
  for (std::size_t i = 0; i < order.size(); ++i) {
    NodeRecord& node = app.model.at(order[i]);
    if (by_state) {
      node.drawn = node.states.showing();
      continue;
    }
    const bool above =
        parents[i] < 0 || app.model.at(order[static_cast<std::size_t>(parents[i])]).drawn;
    node.drawn = above && node.states.has(State::kVisible);
    if (!node.is_fresh(kFreshBounds) || !node.has(kHasComponent)) continue;
    if (i == 0) frame = node.bounds;
    node.drawn = node.drawn && node.bounds && (!frame || overlap(*node.bounds, *frame) > 0);
  }
}

Task<Stop> Fetch::details(App& app, Order order, TimePoint deadline) {
  // Boxes before the rest, and in the order of worth, so that a deadline costs identifiers first.
  struct Part {
    unsigned bit;
    void (Fetch::*want)(App&, NodeIndex, std::vector<Call>&);
  };
  static constexpr Part kParts[] = {{kFreshRange, &Fetch::want_range},
                                    {kFreshLabel, &Fetch::want_label},
                                    {kFreshActions, &Fetch::want_actions},
                                    {kFreshIdentifier, &Fetch::want_identifier}};
  mark_drawn(app, order.nodes, order.parents);
  std::vector<Call> calls;
  for (const NodeIndex index : order.nodes) {
    // What a hidden object could do is of no use, and a page has thousands of those.
    const NodeRecord& node = app.model.at(index);
    const bool wanted = node.drawn || is_menu_entry(node);
    if (node.alive && wanted && !node.is_fresh(kFreshInterfaces))
      want_interfaces(app, index, calls);
  }
  if (!calls.empty()) {
    const Stop known = stop_of(app, co_await bus_->run(std::move(calls), limits(deadline)));
    if (known != Stop::kNone) co_return known;
    calls = {};
  }
  for (const NodeIndex index : order.nodes) {
    const NodeRecord& node = app.model.at(index);
    if (node.alive && (missing_parts(app, node) & kFreshBounds) != 0)
      want_bounds(app, index, calls);
  }
  if (!app.traits().showing_state) {
    // What is drawn is known only now; asking hidden pages for details would be wasted.
    const Stop stop = stop_of(app, co_await bus_->run(std::move(calls), limits(deadline)));
    if (stop != Stop::kNone) co_return stop;
    calls = {};
    mark_drawn(app, order.nodes, order.parents);
  }
  std::vector<NodeIndex> texts;
  std::vector<NodeIndex> choices;
  for (const NodeIndex index : order.nodes) {
    const NodeRecord& node = app.model.at(index);
    if (!node.alive || (missing_parts(app, node) & kFreshText) == 0) continue;
    (reads_choice(node) ? choices : texts).push_back(index);
  }
  for (const Part& part : kParts) {
    for (const NodeIndex index : order.nodes) {
      const NodeRecord& node = app.model.at(index);
      if (node.alive && (missing_parts(app, node) & part.bit) != 0)
        (this->*part.want)(app, index, calls);
    }
  }
  Stop stop = stop_of(app, co_await bus_->run(std::move(calls), limits(deadline)));
  if (stop == Stop::kNone) stop = co_await name_actions(app, std::move(order.nodes), deadline);
  if (stop == Stop::kNone && !texts.empty()) {
    stop = co_await read_texts(app, std::move(texts), deadline);
  }
  if (stop == Stop::kNone && !choices.empty()) {
    stop = co_await read_choices(app, std::move(choices), deadline);
  }
  co_return stop;
}

Task<Stop> Fetch::name_actions(App& app, std::vector<NodeIndex> nodes, TimePoint deadline) {
  // GetActions carries localized names, which Chromium leaves empty; the real ones cost a call
  // each.
  std::vector<Call> calls;
  for (const NodeIndex index : nodes) {
    const NodeRecord& node = app.model.at(index);
    if (!node.alive || !node.is_fresh(kFreshActions)) continue;
    for (std::size_t i = 0; i < node.actions.size(); ++i) {
      if (!node.actions[i].name.empty()) continue;
      Call call = method(
          node.object, kAction, "GetName",
          into(app, index, kFreshActions, decode_string, [i](NodeRecord& n, std::string name) {
            if (i < n.actions.size()) n.actions[i].name = std::move(name);
          }));
      call.fill = [i](sd_bus_message* m) {
        return sd_bus_message_append(m, "i", static_cast<std::int32_t>(i));
      };
      calls.push_back(std::move(call));
    }
  }
  co_return stop_of(app, co_await bus_->run(std::move(calls), limits(deadline)));
}

Task<Stop> Fetch::read_texts(App& app, std::vector<NodeIndex> nodes, TimePoint deadline) {
  // The length first: not every toolkit clamps an end offset beyond the text.
  struct Wanted {
    NodeHandle node;
    int count = 0;
  };
  std::vector<Wanted> wanted;
  for (const NodeIndex index : nodes) {
    if (app.model.at(index).alive) wanted.push_back({app.model.handle(index), 0});
  }
  std::vector<Call> calls;
  for (Wanted& want : wanted) {
    NodeRecord& node = app.model.at(want.node.index);
    node.mark(kFreshText);
    calls.push_back(property_call(node.object.bus, node.object.path, kText, "CharacterCount",
                                  into(app, want.node.index, kFreshText, decode_variant_int,
                                       [&want](NodeRecord&, int count) { want.count = count; })));
  }
  const BatchOutcome counted = co_await bus_->run(std::move(calls), limits(deadline));
  if (const Stop stop = stop_of(app, counted); stop != Stop::kNone) co_return stop;
  calls = {};
  const auto cap = static_cast<int>(config_.max_text);
  for (const Wanted& want : wanted) {
    NodeRecord* node = app.model.get(want.node);
    if (node == nullptr) continue;
    node->text_cut = want.count > cap;
    if (want.count <= 0) {
      node->text.clear();
      continue;
    }
    const int end = std::min(want.count, cap);
    Call call = method(node->object, kText, "GetText",
                       into(app, want.node.index, kFreshText, decode_string,
                            [](NodeRecord& n, std::string text) { n.text = std::move(text); }));
    call.fill = [end](sd_bus_message* m) { return sd_bus_message_append(m, "ii", 0, end); };
    calls.push_back(std::move(call));
  }
  const BatchOutcome outcome = co_await bus_->run(std::move(calls), limits(deadline));
  co_return stop_of(app, outcome);
}

Task<Stop> Fetch::read_choices(App& app, std::vector<NodeIndex> nodes, TimePoint deadline) {
  // The states of the options do not say it: GTK 3 calls the one under the pointer selected. Its
  // options also keep their old names in the cache until somebody opens the list.
  std::vector<NodeHandle> boxes;
  for (const NodeIndex index : nodes) {
    if (app.model.at(index).alive) boxes.push_back(app.model.handle(index));
  }
  std::vector<Call> calls;
  for (const NodeHandle& box : boxes) {
    NodeRecord& node = app.model.at(box.index);
    node.mark(kFreshText);
    node.chosen = {};
    node.text.clear();
    node.text_cut = false;
    Call call = method(node.object, kSelection, "GetSelectedChild",
                       into(app, box.index, kFreshText, decode_ref,
                            [](NodeRecord& n, ObjectRef child) { n.chosen = std::move(child); }));
    call.fill = [](sd_bus_message* m) { return sd_bus_message_append(m, "i", 0); };
    calls.push_back(std::move(call));
  }
  const BatchOutcome chosen = co_await bus_->run(std::move(calls), limits(deadline));
  if (const Stop stop = stop_of(app, chosen); stop != Stop::kNone) co_return stop;
  calls = {};
  for (const NodeHandle& box : boxes) {
    const NodeRecord* node = app.model.get(box);
    if (node == nullptr || node->chosen.null()) continue;
    calls.push_back(
        property_call(node->chosen.bus, node->chosen.path, kAccessible, "Name",
                      into(app, box.index, kFreshText, decode_variant_string,
                           [](NodeRecord& n, std::string name) { n.text = std::move(name); })));
  }
  const BatchOutcome named = co_await bus_->run(std::move(calls), limits(deadline));
  co_return stop_of(app, named);
}

Task<bool> Fetch::bounds_unmoved(App& app, std::vector<NodeIndex> sample, TimePoint deadline) {
  std::vector<Call> calls;
  bool unmoved = true;
  for (const NodeIndex index : sample) {
    const NodeRecord& node = app.model.at(index);
    if (!node.alive || !node.has(kHasComponent)) continue;
    Call call = method(node.object, kComponent, "GetExtents",
                       [&unmoved, cached = node.bounds](const CallResult& answer) {
                         if (answer.failure != CallFailure::kNone) {
                           unmoved = false;
                           return;
                         }
                         auto box = decode_extents(answer.reply);
                         unmoved = unmoved && box.ok() && *box == cached;
                       });
    call.fill = [](sd_bus_message* m) { return sd_bus_message_append(m, "u", kScreenCoordinates); };
    calls.push_back(std::move(call));
  }
  const BatchOutcome outcome = co_await bus_->run(std::move(calls), limits(deadline));
  co_return unmoved&& outcome.complete();
}

}  // namespace gantry::atspi
