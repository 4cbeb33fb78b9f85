// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "scenario.hpp"
#include "yaml_reader.hpp"

namespace gantry::mock {
namespace {

using Row = YamlReader::Row;

/// The tools that a reaction may wait for: what clients call, and the verbs behind the composites.
constexpr std::array<std::string_view, 24> kTools{"bring_to_foreground",
                                                  "clear_text",
                                                  "click_at",
                                                  "click_element",
                                                  "double_click_at",
                                                  "double_click_element",
                                                  "drag",
                                                  "focus_element",
                                                  "hover_at",
                                                  "hover_element",
                                                  "invoke_element",
                                                  "key_into_element",
                                                  "press_key",
                                                  "right_click_at",
                                                  "right_click_element",
                                                  "scroll",
                                                  "select_option",
                                                  "set_value",
                                                  "type_text",
                                                  "click_element_and_observe",
                                                  "type_and_observe",
                                                  "press_key_and_observe",
                                                  "type",
                                                  "key"};

/// Arguments of each predicate (observer contract 2.15), all of them optional but the first.
struct PredicateRow {
  std::string_view kind;
  std::array<std::string_view, 5> members;
};
constexpr std::array<PredicateRow, 9> kPredicates{{
    {"element_exists", {"selector", "window_uid"}},
    {"element_absent", {"selector", "window_uid"}},
    {"value_equals", {"selector", "expected", "window_uid"}},
    {"value_matches", {"selector", "regex", "window_uid"}},
    {"text_visible", {"regex", "mode", "window_uid"}},
    {"window_focused", {"title_regex"}},
    {"window_exists", {"title_regex", "window_uid"}},
    {"tree_hash_equals", {"expected_hash", "window_uid"}},
    {"screenshot_similar", {"reference_path", "min_ssim", "window_uid"}},
}};

class ScenarioReader {
 public:
  ScenarioReader(YamlReader& yaml, const ScenarioLimits& limits) : yaml_(yaml), limits_(limits) {}

  Scenario read(const YAML::Node& root) {
    std::string initial;
    const YAML::Node* initial_at = nullptr;
    YAML::Node initial_node;
    const YAML::Node* reactions_at = nullptr;
    YAML::Node reactions;
    std::string oracles = "{}";
    yaml_.map(
        root, "",
        {{"name", [&](const auto& n, const auto& p) { out_.name = yaml_.text(n, p); }},
         {"initial_state",
          [&](const auto& n, const auto& p) {
            initial = yaml_.text(n, p);
            initial_node = n;
            initial_at = &initial_node;
          }},
         {"show_focus", [&](const auto& n, const auto& p) { out_.show_focus = yaml_.flag(n, p); }},
         {"states", [&](const auto& n, const auto& p) { states(n, p); }, true},
         // Kept for later: they name states and ids.
         {"reactions",
          [&](const auto& n, const auto&) {
            reactions = n;
            reactions_at = &reactions;
          }},
         {"oracles", [&](const auto& n, const auto& p) { oracles = this->oracles(n, p); }}});
    out_.oracles = std::move(oracles);
    if (initial_at != nullptr) {
      const StateSpec* state = out_.find_state(initial);
      if (state == nullptr) unknown_state(*initial_at, "initial_state", initial);
      out_.initial = static_cast<std::size_t>(state - out_.states.data());
    }
    if (reactions_at != nullptr) {
      yaml_.list(*reactions_at, "reactions",
                 [&](const auto& n, const auto& p) { out_.reactions.push_back(reaction(n, p)); });
    }
    warn_about_ids();
    return std::move(out_);
  }

 private:
  [[noreturn]] void unknown_state(const YAML::Node& node, const std::string& path,
                                  const std::string& name) {
    std::vector<std::string_view> names;
    for (const StateSpec& state : out_.states) names.emplace_back(state.name);
    yaml_.refuse(node, path, fmt::format("there is no state '{}'", name), name,
                 fmt::format("{}", fmt::join(names, ", ")));
  }

  void states(const YAML::Node& node, const std::string& path) {
    yaml_.entries(node, path, [&](const std::string& name, const YAML::Node& n, const auto& p) {
      StateSpec state;
      state.name = name;
      ids_.clear();
      yaml_.map(n, p,
                {{"windows",
                  [&](const auto& list, const auto& lp) {
                    yaml_.list(list, lp, [&](const auto& w, const auto& wp) {
                      state.windows.push_back(window(w, wp, state));
                    });
                  },
                  true}});
      all_ids_.insert(ids_.begin(), ids_.end());
      out_.states.push_back(std::move(state));
    });
    if (out_.states.empty()) yaml_.refuse(node, path, "a scenario needs at least one state");
  }

  WindowSpec window(const YAML::Node& node, const std::string& path, const StateSpec& state) {
    WindowSpec window;
    const std::size_t index = state.windows.size();
    window.uid = index == 0 ? "mock:" + state.name : fmt::format("mock:{}:{}", state.name, index);
    window.pid = static_cast<std::int64_t>(10'000 + index);
    YAML::Node tree;
    bool has_tree = false;
    yaml_.map(node, path,
              {{"uid", [&](const auto& n, const auto& p) { window.uid = non_empty(n, p); }},
               {"title", [&](const auto& n, const auto& p) { window.title = yaml_.text(n, p); }},
               {"process",
                [&](const auto& n, const auto& p) {
                  const std::string text = yaml_.text(n, p);
                  if (!text.empty()) window.process = text;
                }},
               {"pid",
                [&](const auto& n, const auto& p) {
                  const std::int64_t pid = yaml_.integer(n, p, 0, 4'194'304);
                  if (pid != 0) window.pid = pid;
                }},
               {"bounds", [&](const auto& n, const auto& p) { window.bounds = rect(n, p); }},
               {"tree", [&](const auto& n, const auto&) { tree = n, has_tree = true; }}});
    if (window.bounds.empty()) yaml_.refuse(node, path + ".bounds", "a window must have an area");
    for (const WindowSpec& other : state.windows) {
      if (other.uid == window.uid) {
        yaml_.refuse(
            node, path + ".uid",
            fmt::format("two windows of state '{}' have the uid '{}'", state.name, window.uid),
            window.uid);
      }
    }
    if (has_tree) {
      window.tree = element(tree, path + ".tree", window.bounds);
    } else {
      window.tree.role = "Window";  // as the published program shows it
      window.tree.name = "(empty)";
      window.tree.bounds = {0, 0, 800, 600};
    }
    return window;
  }

  NodeSpec element(const YAML::Node& node, const std::string& path, const Rect& around) {
    NodeSpec out;
    out.bounds = around;
    YAML::Node children;
    bool has_children = false;
    yaml_.map(
        node, path,
        {{"role", [&](const auto& n, const auto& p) { out.role = non_empty(n, p); }},
         {"name", [&](const auto& n, const auto& p) { out.name = yaml_.text(n, p); }},
         {"value",
          [&](const auto& n, const auto& p) {
            if (!n.IsNull()) out.value = yaml_.text(n, p);
          }},
         {"id", [&](const auto& n, const auto& p) { out.id = unique_id(n, p); }},
         {"bounds", [&](const auto& n, const auto& p) { out.bounds = rect(n, p); }},
         {"enabled", [&](const auto& n, const auto& p) { out.enabled = yaml_.flag(n, p); }},
         {"secret", [&](const auto& n, const auto& p) { out.secret = yaml_.flag(n, p); }},
         {"selected", [&](const auto& n, const auto& p) { out.selected = yaml_.flag(n, p); }},
         {"expanded", [&](const auto& n, const auto& p) { out.expanded = yaml_.flag(n, p); }},
         {"description", [&](const auto& n, const auto& p) { out.description = yaml_.text(n, p); }},
         {"keyboard_shortcut",
          [&](const auto& n, const auto& p) { out.keyboard_shortcut = yaml_.text(n, p); }},
         {"children", [&](const auto& n, const auto&) { children = n, has_children = true; }}});
    if (has_children) {
      yaml_.list(children, path + ".children", [&](const auto& n, const auto& p) {
        out.children.push_back(element(n, p, around));
      });
    }
    return out;
  }

  std::string non_empty(const YAML::Node& node, const std::string& path) {
    std::string text = yaml_.text(node, path);
    if (text.empty()) yaml_.refuse(node, path, "must not be empty");
    return text;
  }

  std::string unique_id(const YAML::Node& node, const std::string& path) {
    std::string id = non_empty(node, path);
    if (!ids_.insert(id).second) {
      yaml_.refuse(node, path, fmt::format("the id '{}' is used twice in this state", id), id);
    }
    return id;
  }

  Rect rect(const YAML::Node& node, const std::string& path) {
    Rect out;
    const auto number = [&](std::int32_t& member, std::int32_t least) {
      return [this, &member, least](const YAML::Node& n, const std::string& p) {
        member = static_cast<std::int32_t>(yaml_.integer(n, p, least, limits_.pixels));
      };
    };
    yaml_.map(node, path,
              {{"x", number(out.x, -limits_.pixels), true},
               {"y", number(out.y, -limits_.pixels), true},
               {"width", number(out.width, 0), true},
               {"height", number(out.height, 0), true}});
    return out;
  }

  Reaction reaction(const YAML::Node& node, const std::string& path) {
    Reaction out;
    out.line = node.Mark().line + 1;
    int triggers = 0;
    const auto on = [&](const auto& n, const auto& p) {
      if (++triggers > 1) yaml_.refuse(n, p, "a reaction has one trigger, `on` or `match`");
      out.on = trigger(n, p);
    };
    yaml_.map(node, path,
              {{"on", on},
               {"true", on},  // YAML 1.1 reads the bare word `on` as a boolean
               {"match", on},
               {"when",
                [&](const auto& n, const auto& p) {
                  yaml_.list(n, p, [&](const auto& c, const auto& cp) { condition(c, cp, out); });
                }},
               {"set",
                [&](const auto& n, const auto& p) {
                  yaml_.list(n, p, [&](const auto& a, const auto& ap) { assignment(a, ap, out); });
                }},
               {"transition_to", [&](const auto& n, const auto& p) {
                  out.transition_to = yaml_.text(n, p);
                  if (out_.find_state(out.transition_to) == nullptr) {
                    unknown_state(n, p, out.transition_to);
                  }
                }}});
    if (triggers == 0) {
      yaml_.refuse(node, path, "a reaction needs a trigger: on: {tool: …, target_id: …}");
    }
    return out;
  }

  Trigger trigger(const YAML::Node& node, const std::string& path) {
    Trigger out;
    yaml_.map(
        node, path,
        {{"tool",
          [&](const auto& n, const auto& p) {
            out.tool = yaml_.text(n, p);
            if (std::find(kTools.begin(), kTools.end(), out.tool) == kTools.end()) {
              yaml_.refuse(n, p, fmt::format("no tool '{}' acts on a desktop", out.tool), out.tool,
                           fmt::format("{}", fmt::join(kTools, ", ")));
            }
          }},
         {"target_id",
          [&](const auto& n, const auto& p) {
            out.target_id = non_empty(n, p);
            used_ids_.push_back({out.target_id, p, n.Mark().line + 1});
          }},
         {"target_name", [&](const auto& n, const auto& p) { out.target_name = non_empty(n, p); }},
         {"text_regex", [&](const auto& n, const auto& p) {
            const std::string expression = yaml_.text(n, p);
            Result<Regex> regex = Regex::compile(expression);
            if (!regex.ok()) {
              yaml_.refuse(n, p,
                           fmt::format("'{}' is not a regular expression: {}", expression,
                                       regex.error().message),
                           expression);
            }
            out.text_regex = std::move(*regex);
          }}});
    return out;
  }

  void condition(const YAML::Node& node, const std::string& path, Reaction& reaction) {
    Condition out;
    yaml_.map(node, path,
              {{"id", [&](const auto& n, const auto& p) { out.id = non_empty(n, p); }},
               {"value", [&](const auto& n, const auto& p) { out.value = yaml_.text(n, p); }},
               {"value_not_empty",
                [&](const auto& n, const auto& p) { out.value_not_empty = yaml_.flag(n, p); }}});
    if (out.id.empty()) return ignore_without_id(node, path);
    used_ids_.push_back({out.id, path, node.Mark().line + 1});
    reaction.when.push_back(std::move(out));
  }

  void assignment(const YAML::Node& node, const std::string& path, Reaction& reaction) {
    Assignment out;
    yaml_.map(
        node, path,
        {{"id", [&](const auto& n, const auto& p) { out.id = non_empty(n, p); }},
         {"value", [&](const auto& n, const auto& p) { out.value = yaml_.text(n, p); }, true}});
    if (out.id.empty()) return ignore_without_id(node, path);
    all_ids_.insert(out.id);  // an id that no element has is a variable
    reaction.set.push_back(std::move(out));
  }

  /// As published: such an entry does nothing. Only the author should hear of it.
  void ignore_without_id(const YAML::Node& node, const std::string& path) {
    out_.warnings.push_back(
        fmt::format("line {}: {}: an entry without id does nothing", node.Mark().line + 1, path));
  }

  std::string oracles(const YAML::Node& node, const std::string& path) {
    std::string success = "[]";
    std::string failure = "[]";
    const auto predicates = [&](std::string& to) {
      return [this, &to](const YAML::Node& n, const std::string& p) {
        yaml_.list(n, p, [this](const auto& one, const auto& op) { predicate(one, op); });
        to = n.IsNull() ? "[]" : yaml_.json(n);
      };
    };
    yaml_.map(node, path, {{"success", predicates(success)}, {"failure", predicates(failure)}});
    return R"({"failure":)" + failure + R"(,"success":)" + success + "}";
  }

  void predicate(const YAML::Node& node, const std::string& path) {
    std::string kind;
    yaml_.entries(node, path, [&](const std::string& name, const YAML::Node& n, const auto& p) {
      if (name == "kind") kind = yaml_.text(n, p);
    });
    const auto* const row = std::find_if(kPredicates.begin(), kPredicates.end(),
                                         [&](const PredicateRow& r) { return r.kind == kind; });
    if (row == kPredicates.end()) {
      std::vector<std::string_view> kinds;
      for (const PredicateRow& r : kPredicates) kinds.push_back(r.kind);
      yaml_.refuse(node, path + ".kind", fmt::format("there is no predicate '{}'", kind), kind,
                   fmt::format("{}", fmt::join(kinds, ", ")));
    }
    std::vector<Row> rows{{"kind", [](const auto&, const auto&) {}}};
    for (const std::string_view member : row->members) {
      if (member.empty()) continue;
      rows.push_back({member, [&, member](const YAML::Node& n, const std::string& p) {
                        if (!n.IsScalar() && !n.IsNull()) yaml_.refuse_type(n, p, "a scalar");
                        if (member.ends_with("regex")) check_regex(n, p);
                      }});
    }
    yaml_.map(node, path, rows);
  }

  void check_regex(const YAML::Node& node, const std::string& path) {
    const std::string expression = yaml_.text(node, path);
    const Result<Regex> regex = Regex::compile(expression);
    if (!regex.ok()) {
      yaml_.refuse(
          node, path,
          fmt::format("'{}' is not a regular expression: {}", expression, regex.error().message),
          expression);
    }
  }

  void warn_about_ids() {
    for (const UsedId& used : used_ids_) {
      if (all_ids_.contains(used.id)) continue;
      out_.warnings.push_back(
          fmt::format("line {}: {}: no element has the id '{}', and nothing sets it", used.line,
                      used.path, used.id));
    }
  }

  struct UsedId {
    std::string id, path;
    int line;
  };

  YamlReader& yaml_;
  const ScenarioLimits& limits_;
  Scenario out_;
  std::set<std::string> ids_;      ///< Of the state that is being read.
  std::set<std::string> all_ids_;  ///< Of all states, and what reactions set.
  std::vector<UsedId> used_ids_;
};

}  // namespace

const StateSpec* Scenario::find_state(std::string_view state) const {
  const auto found = std::find_if(states.begin(), states.end(),
                                  [&](const StateSpec& entry) { return entry.name == state; });
  return found != states.end() ? &*found : nullptr;
}

std::string ScenarioProblem::message() const {
  std::string out = file;
  if (line > 0) out += fmt::format(":{}", line);
  out += ": ";
  if (!path.empty()) out += path + ": ";
  out += what;
  if (!allowed.empty()) out += fmt::format("; allowed: {}", allowed);
  return out;
}

std::variant<Scenario, ScenarioProblem> parse_scenario(std::string_view text,
                                                       const std::string& file,
                                                       const ScenarioLimits& limits) {
  return read_yaml<Scenario>(text, file, limits, [&](YamlReader& yaml, const YAML::Node& root) {
    Scenario scenario = ScenarioReader(yaml, limits).read(root);
    scenario.path = file;
    return scenario;
  });
}

}  // namespace gantry::mock
