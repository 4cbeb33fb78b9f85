// SPDX-License-Identifier: Apache-2.0
#include "diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "child_match.hpp"
#include "lines.hpp"
#include "node_json.hpp"

namespace gantry::observation {
namespace {

/// From this many operations on it is worth knowing whether the whole view would be shorter.
constexpr std::size_t kManyOperations = 64;

/// JSON of a member's value; nothing when node_json() leaves the member out.
using MemberJson = std::optional<std::string>;

std::string json_text(bool value) { return value ? "true" : "false"; }
std::string json_text(const std::string& value) { return json_string(value); }
std::string json_text(const Rect& value) { return rect_json(value).text; }
std::string json_text(std::size_t value) { return std::to_string(value); }
std::string json_text(double value) {
  std::string out;
  append_json_number(out, value);
  return out;
}

template <auto Field>
bool same(const Node& a, const Node& b) {
  return a.*Field == b.*Field;
}
template <auto Field>
MemberJson always(const Node& node) {
  return json_text(node.*Field);
}
template <auto Field>
MemberJson null_when_empty(const Node& node) {
  const auto& value = node.*Field;
  return value ? json_text(*value) : std::string("null");
}
template <auto Field>
MemberJson left_out_when_empty(const Node& node) {
  const auto& value = node.*Field;
  return value ? MemberJson(json_text(*value)) : std::nullopt;
}
MemberJson truncated_json(const Node& node) {
  return node.cut_children ? MemberJson("true") : std::nullopt;
}

struct Member {
  std::string_view name;
  bool (*same)(const Node&, const Node&);
  MemberJson (*json)(const Node&);
  /// Ids are positions: the custom form has paths instead.
  bool in_custom = true;
};

/// The first seven in the protocol's order, then what the protocol's own diff does not look at.
constexpr Member kMembers[] = {
    {"name", same<&Node::name>, always<&Node::name>},
    {"role", same<&Node::role>, always<&Node::role>},
    {"value", same<&Node::value>, null_when_empty<&Node::value>},
    {"enabled", same<&Node::enabled>, always<&Node::enabled>},
    {"keyboard_shortcut", same<&Node::keyboard_shortcut>,
     null_when_empty<&Node::keyboard_shortcut>},
    {"description", same<&Node::description>, null_when_empty<&Node::description>},
    {"bounds", same<&Node::bounds>, always<&Node::bounds>},
    {"focused", same<&Node::focused>, always<&Node::focused>},
    {"selected", same<&Node::selected>, left_out_when_empty<&Node::selected>},
    {"expanded", same<&Node::expanded>, left_out_when_empty<&Node::expanded>},
    {"value_now", same<&Node::value_now>, left_out_when_empty<&Node::value_now>},
    {"value_min", same<&Node::value_min>, left_out_when_empty<&Node::value_min>},
    {"value_max", same<&Node::value_max>, left_out_when_empty<&Node::value_max>},
    {"identifier", same<&Node::identifier>, left_out_when_empty<&Node::identifier>},
    {"truncated", same<&Node::cut_children>, truncated_json},
    {"child_count", same<&Node::cut_children>, left_out_when_empty<&Node::cut_children>},
    {"id", same<&Node::id>, always<&Node::id>, false},
};

enum class Form { Custom, JsonPatch, Lines };

/// Collects operations; `path_` is the place of the element that is looked at.
class Writer {
 public:
  Writer(Form form, const NodePrints& prints) : form_(form), prints_(prints) {}

  void compare(const Node& before, const Node& after) {
    add_member_changes(before, after);
    if (before.children.empty() && after.children.empty()) return;
    const ChildMatch match = match_children(before.children, after.children, prints_);
    if (form_ != Form::JsonPatch) {
      compare_children(before, after, match);
      add_removals(before, match);
      add_additions(after, match);
    } else {
      patch_order(match);
      add_additions(after, match);
      compare_children(before, after, match);
    }
  }

  std::vector<std::string> take() { return std::move(operations_); }

 private:
  [[nodiscard]] bool custom() const { return form_ == Form::Custom; }

  [[nodiscard]] std::string child_path(std::size_t index) const {
    if (!custom()) return path_ + "/children/" + std::to_string(index);
    return path_.empty() ? std::to_string(index) : path_ + '/' + std::to_string(index);
  }

  void add(const JsonObject& operation) { operations_.push_back(operation.text()); }
  void add_line(std::string_view sign, const std::string& line) {
    operations_.push_back(fmt::format("{} {}", sign, line));
  }

  void add_member_changes(const Node& before, const Node& after) {
    std::vector<const Member*> changed;
    for (const Member& member : kMembers) {
      if (member.same(before, after)) continue;
      if (form_ == Form::JsonPatch) {
        patch_member(member, before, after);
      } else if (member.in_custom) {
        changed.push_back(&member);
      }
    }
    if (changed.empty()) return;
    if (custom()) {
      add_replaced_fields(changed, after);
    } else {
      add_changed_line(changed, after);
    }
  }

  void add_replaced_fields(const std::vector<const Member*>& changed, const Node& after) {
    JsonObject fields;
    for (const Member* member : changed) {
      fields.add(member->name, RawJson{member->json(after).value_or("null")});
    }
    JsonObject operation;
    operation.add("op", "replace");
    operation.add("path", path_);
    operation.add("fields", fields);
    add(operation);
  }

  void add_changed_line(const std::vector<const Member*>& changed, const Node& after) {
    std::string names;
    for (const Member* member : changed) {
      if (!names.empty()) names += ", ";
      names += member->name;
    }
    add_line("~", fmt::format("{} ({})", element_line(after), names));
  }

  void patch_member(const Member& member, const Node& before, const Node& after) {
    const MemberJson old_json = member.json(before);
    const MemberJson new_json = member.json(after);
    if (old_json == new_json) return;
    JsonObject operation;
    operation.add("op", !old_json ? "add" : new_json ? "replace" : "remove");
    operation.add("path", path_ + '/' + std::string(member.name));
    if (new_json) operation.add("value", RawJson{*new_json});
    add(operation);
  }

  void compare_children(const Node& before, const Node& after, const ChildMatch& match) {
    for (std::size_t i = 0; i < before.children.size(); ++i) {
      const std::optional<std::size_t> partner = match.new_position[i];
      if (!partner) continue;
      if (form_ == Form::Lines && match.moved[i]) {
        add_line(">", fmt::format("{} -> {}", short_id(before.children[i].id),
                                  element_line(after.children[*partner])));
      } else if (custom() && match.moved[i]) {
        add_move(i, *partner);
      }
      const std::size_t length = path_.size();
      path_ = child_path(*partner);
      compare(before.children[i], after.children[*partner]);
      path_.resize(length);
    }
  }

  void add_move(std::size_t from, std::size_t to) {
    JsonObject operation;
    operation.add("op", "move");
    operation.add("from", child_path(from));
    operation.add(custom() ? "to" : "path", child_path(to));
    add(operation);
  }

  void add_removal(std::size_t index) {
    JsonObject operation;
    operation.add("op", "remove");
    operation.add("path", child_path(index));
    add(operation);
  }

  void add_removals(const Node& before, const ChildMatch& match) {
    for (std::size_t i = 0; i < match.new_position.size(); ++i) {
      if (match.new_position[i]) continue;
      if (custom()) {
        add_removal(i);
      } else {
        add_line("-", element_line(before.children[i]));
      }
    }
  }

  void add_additions(const Node& after, const ChildMatch& match) {
    for (std::size_t i = 0; i < match.known.size(); ++i) {
      if (match.known[i]) continue;
      if (form_ == Form::Lines) {
        add_subtree_lines(after.children[i]);
        continue;
      }
      JsonObject operation;
      operation.add("op", "add");
      operation.add("path", child_path(i));
      operation.add(custom() ? "node" : "value", RawJson{node_json(after.children[i])});
      add(operation);
    }
  }

  void add_subtree_lines(const Node& node) {
    add_line("+", element_line(node));
    walk(node, [&](const Node& below, int depth) {
      if (depth > 0 && has_line(below)) add_line("+", element_line(below));
    });
  }

  /// Removals from the end, so that each index is still valid, then moves one after the other until
  /// the children that stay are in their new order.
  void patch_order(const ChildMatch& match) {
    std::vector<std::size_t> current;  // old positions in the order of the moment
    for (std::size_t i = match.new_position.size(); i-- > 0;) {
      if (match.new_position[i]) {
        current.push_back(i);
      } else {
        add_removal(i);
      }
    }
    std::reverse(current.begin(), current.end());
    if (std::find(match.moved.begin(), match.moved.end(), true) == match.moved.end()) return;
    std::vector<std::size_t> wanted = current;
    std::sort(wanted.begin(), wanted.end(), [&](std::size_t a, std::size_t b) {
      return *match.new_position[a] < *match.new_position[b];
    });
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (!match.moved[wanted[k]]) continue;
      const auto place = std::find(current.begin(), current.end(), wanted[k]);
      const auto from = static_cast<std::size_t>(place - current.begin());
      current.erase(place);
      auto target = current.begin();
      if (k > 0) target = std::next(std::find(current.begin(), current.end(), wanted[k - 1]));
      const auto to = static_cast<std::size_t>(target - current.begin());
      current.insert(target, wanted[k]);
      if (from != to) add_move(from, to);
    }
  }

  Form form_;
  const NodePrints& prints_;
  std::string path_;
  std::vector<std::string> operations_;
};

std::vector<std::string> operations(const Node& before, const Node& after, Form form) {
  if (&before == &after) return {};
  NodePrints prints;
  add_prints(before, prints);
  add_prints(after, prints);
  Writer writer(form, prints);
  writer.compare(before, after);
  return writer.take();
}

TreeDiff replaced_document(std::string json) {
  JsonObject operation;
  operation.add("op", "replace");
  operation.add("path", "");
  operation.add("value", RawJson{std::move(json)});
  JsonArray changes;
  changes.add(operation);
  return {changes.done(), 1};
}

}  // namespace

TreeDiff diff_trees(const Node& before, const Node& after, DiffForm form) {
  const bool custom = form == DiffForm::Custom;
  const std::vector<std::string> all =
      operations(before, after, custom ? Form::Custom : Form::JsonPatch);
  JsonArray changes;
  for (const std::string& operation : all) changes.add_raw(operation);
  TreeDiff diff{changes.done(), all.size()};
  if (!custom && diff.count >= kManyOperations) {
    std::string whole = node_json(after);
    if (whole.size() < diff.changes.text.size()) return replaced_document(std::move(whole));
  }
  return diff;
}

std::vector<std::string> diff_lines(const Node& before, const Node& after) {
  return operations(before, after, Form::Lines);
}

}  // namespace gantry::observation
