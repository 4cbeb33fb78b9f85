// SPDX-License-Identifier: Apache-2.0
// Driven by the tables of the tools: every documented parameter is refused when its type is wrong,
// and changes what the tool answers or asks of the desktop when it is right. A new parameter
// without a row here fails.
#include <catch2/catch.hpp>
#include <gantry/codec.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/regex.hpp>
#include <map>
#include <optional>

#include "argument_check.hpp"
#include "fake_desktop.hpp"
#include "tool_schema.hpp"

namespace gantry::observation {
namespace {

namespace json = boost::json;
using tests::Bench;

/// What a call needs before a parameter can matter. Tools that are not named need nothing.
struct Base {
  std::string_view tool, arguments;
};
constexpr std::string_view kPoint = R"({"x":5,"y":6})";
constexpr std::string_view kButton = R"({"selector":"//Button"})";
constexpr Base kBases[] = {
    {"clear_text", R"({"selector":"//Edit"})"},
    {"click_at", kPoint},
    {"click_element", kButton},
    {"click_element_and_observe", kButton},
    {"double_click_at", kPoint},
    {"double_click_element", kButton},
    {"drag", R"({"from":{"x":1,"y":1},"to":{"x":5,"y":5}})"},
    {"find_element", kButton},
    {"focus_element", kButton},
    {"get_ocr", R"({"window_index":0})"},
    {"hover_at", kPoint},
    {"hover_element", kButton},
    {"invoke_element", kButton},
    {"key_into_element", R"({"selector":"//Edit","keys":"tab"})"},
    {"press_key", R"({"keys":"tab"})"},
    {"press_key_and_observe", R"({"keys":"tab"})"},
    {"propose_action", R"({"action":"click_element","args":{"selector":"//Button"}})"},
    {"right_click_at", kPoint},
    {"right_click_element", kButton},
    {"scroll", kPoint},
    {"select_option", R"({"selector":"//Edit","option_index":0})"},
    {"set_value", R"({"selector":"//Edit","value":"a"})"},
    {"type_and_observe", R"({"text":"a"})"},
    {"type_text", R"({"text":"a"})"},
    {"wait_for", R"({"any_of":[{"type":"text_visible","regex":"NEVER"}],"timeout_ms":1000})"},
};

/// A value that is not the default, in general or for one tool. `with` is laid over the base.
struct Change {
  std::string_view tool, parameter, value;
  std::string_view with = {};
};
constexpr Change kChanges[] = {
    {"", "window_uid", R"("t:b")"},
    {"", "window_index", "1"},
    {"", "window_title", R"("OTHER")"},
    {"", "dry_run", "true"},
    {"", "x", "7"},
    {"", "y", "8"},
    {"", "button", R"("right")"},
    {"", "double", "true"},
    {"", "clicks", "-2"},
    {"", "count", "2"},
    {"", "text", R"("b")"},
    {"", "keys", R"("ctrl+s")"},
    {"", "hover_ms", "900"},
    {"", "from", R"({"x":3,"y":3})"},
    {"", "to", R"({"x":9,"y":9})"},
    {"", "modifiers", R"(["ctrl"])"},
    {"", "duration_s", "1.5"},
    // elements
    {"", "selector", R"("//Edit[name=\"Name\"]")", R"({"selector":"//Window"})"},
    {"", "element_id", R"("root.0")", R"({"selector":null})"},
    {"", "tree_token", R"("tt:0000000000000000")", R"({"selector":null,"element_id":"root.0"})"},
    {"", "value", R"("b")"},
    {"", "clear_first", "false"},
    {"", "option_name", R"("x")", R"({"option_index":null})"},
    {"", "option_index", "0", R"({"option_index":null})"},
    // trees
    {"", "depth", "0"},
    {"", "scope", R"("root.1")"},
    {"", "roles", R"(["Button"])"},
    {"", "exclude_roles", R"("Button,Link")"},
    {"", "name_regex", R"("^N")"},
    {"", "visible_only", "true"},
    {"", "prune_empty", "true", R"({"roles":["Button"]})"},
    {"", "skeleton", "true", R"({"format":"lines"})"},
    {"", "max_text_len", "1"},
    {"", "max_nodes", "2"},
    {"", "page_cursor", R"("root.1")"},
    {"", "max_tokens", "3"},
    {"", "focus_element", R"("root.1")"},
    {"", "grid_width", "20"},
    {"", "grid_height", "10"},
    {"get_ocr", "window_title", R"("OTHER")", R"({"window_index":null,"window_title":"Main"})"},
    {"get_ocr", "languages", R"(["deu"])"},
    {"get_ocr", "min_confidence", "1"},
    {"get_ocr", "mode", R"("accurate")"},
    {"get_full_screenshot", "grid_width", "20", R"({"window_index":0})"},
    {"get_full_screenshot", "grid_height", "10", R"({"window_index":0})"},
    {"", "ocr", "true"},
    {"", "structured", "true"},
    {"", "since", R"("$token")"},
    {"", "format", R"("json-patch")", R"({"since":"$token"})"},
    {"snapshot_get", "max_bytes", "3", R"({"snapshot_id":"$snapshot"})"},
    {"snapshot_diff", "format", R"("json-patch")", R"({"a":"$snapshot","b":"$snapshot"})"},
    {"", "changed_only", "true"},
    {"", "max_bytes", "3", R"({"format":"lines"})"},
    // waiting
    {"", "any_of", R"([{"type":"text_visible","regex":"Ann"}])"},
    {"", "timeout_ms", "300"},
    {"wait_idle", "timeout_ms", "200"},
    {"", "poll_ms", "900"},
    {"wait_idle", "poll_ms", "700"},
    {"", "quiet_ms", "100"},
    {"", "wait_after_ms", "700"},
    // the rest
    {"", "snapshot_id", R"("$snapshot")"},
    {"", "a", R"("$snapshot")", R"({"b":"$snapshot"})"},
    {"bring_to_foreground", "dry_run", "true", R"({"window_index":0})"},
    {"", "b", R"("$snapshot")", R"({"a":"$snapshot"})"},
    {"", "predicate", R"([{"kind":"window_exists","title_regex":"Main"}])"},
    {"", "predicates", R"([{"kind":"window_exists","title_regex":"Main"}])"},
    {"", "path", R"("nowhere.yaml")"},
    {"", "action", R"("scroll")"},
    {"", "args", R"({"selector":"//Edit"})"},
    {"", "bbox", R"({"x":0,"y":0,"width":1,"height":1})"},
    {"", "padding_px", "3", R"({"bbox":{"x":1,"y":0,"width":1,"height":1}})"},
    {"", "max_width", "1"},
    {"", "max_edge", "1"},
    {"", "max_image_bytes", "1000"},
    {"", "image_format", R"("jpeg")"},
    {"", "replay_id", R"("rep:9")"},
    {"", "mode", R"("verify")"},
    {"", "on_divergence", R"("stop")"},
    // Acts at a point go to the screen; a window that is named must be there.
    {"click_at", "window_uid", R"("t:gone")"},
    {"click_at", "window_index", "9"},
    {"click_at", "window_title", R"("nowhere")"},
    {"right_click_at", "window_uid", R"("t:gone")"},
    {"right_click_at", "window_index", "9"},
    {"right_click_at", "window_title", R"("nowhere")"},
    {"double_click_at", "window_uid", R"("t:gone")"},
    {"double_click_at", "window_index", "9"},
    {"double_click_at", "window_title", R"("nowhere")"},
    {"hover_at", "window_uid", R"("t:gone")"},
    {"hover_at", "window_index", "9"},
    {"hover_at", "window_title", R"("nowhere")"},
    {"drag", "window_uid", R"("t:gone")"},
    {"drag", "window_index", "9"},
    {"drag", "window_title", R"("nowhere")"},
    // All windows of this desktop have the same tree.
    {"wait_for", "window_uid", R"("t:gone")"},
    {"wait_for", "window_index", "9"},
    {"wait_for", "window_title", R"("nowhere")"},
    {"wait_idle", "window_uid", R"("t:gone")"},
    {"wait_idle", "window_index", "9"},
    {"wait_idle", "window_title", R"("nowhere")"},
};

/// Parameters that are taken and change nothing here.
struct Exempt {
  std::string_view tool, parameter, why;
};
constexpr Exempt kExempt[] = {
    {"get_screen_description", "mode", "published as without effect"},
    {"wait_idle", "poll_ms", "how often it looks does not show in the answer"},
    {"trace_start", "label", "kept in the recording; tested with recordings"},
    {"replay_start", "mode", "needs a recording; tested with recordings"},
    {"replay_start", "on_divergence", "needs a recording; tested with recordings"},
    {"replay_start", "secrets", "needs a recording; tested with recordings"},
    {"", "confirm_token", "only a guard asks for it, and there is none here"},
};

std::string laid_over(std::string_view lower, std::string_view upper) {
  json::value out = json::parse(lower.empty() ? "{}" : json::string_view(lower));
  if (!upper.empty()) {
    const json::value over = json::parse(json::string_view(upper));
    for (const auto& [key, value] : over.as_object()) out.as_object()[key] = value;
  }
  return json::serialize(out);
}

std::string with_argument(const std::string& base, std::string_view name, std::string_view value) {
  json::value out = json::parse(base);
  out.as_object()[name] = json::parse(json::string_view(value));
  return json::serialize(out);
}

std::string base_of(std::string_view tool) {
  for (const Base& base : kBases) {
    if (base.tool == tool) return std::string(base.arguments);
  }
  return "{}";
}

const Change* change_of(std::string_view tool, std::string_view parameter) {
  const Change* general = nullptr;
  for (const Change& change : kChanges) {
    if (change.parameter != parameter) continue;
    if (change.tool == tool) return &change;
    if (change.tool.empty()) general = &change;
  }
  return general;
}

bool is_exempt(std::string_view tool, std::string_view parameter) {
  for (const Exempt& row : kExempt) {
    if (row.parameter == parameter && (row.tool.empty() || row.tool == tool)) return true;
  }
  return false;
}

template <class T>
void add_requests(std::string& out, const std::vector<T>& requests) {
  for (const T& request : requests) out += '\n' + to_json(request);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::string member_of(const std::string& answer, std::string_view name) {
  json::error_code broken;
  const json::value value = json::parse(answer, broken);
  const json::value* member = broken ? nullptr : value.as_object().if_contains(name);
  return member != nullptr ? std::string(member->as_string()) : std::string();
}

/// What each filter finds something to leave out of.
A11yTree tree_with_everything() {
  A11yTree tree;
  tree.pid = 42;
  const auto add = [&](int parent, std::string role, std::string name, Rect bounds) {
    tests::add_node(tree, parent, std::move(role), std::move(name), bounds);
  };
  add(-1, "Window", "Main", {0, 0, 200, 100});
  add(0, "Button", "OK", {10, 10, 50, 20});
  add(0, "Edit", "Name", {10, 40, 100, 20});
  add(0, "Pane", "", {10, 50, 10, 10});
  add(0, "Link", "Far away", {150, 80, 10, 10});
  add(3, "Label", "Inside", {10, 50, 10, 10});
  // More than the least budget of an answer in lines.
  for (int i = 0; i < 100; ++i) {
    add(0, "ListItem", "A rather long entry number " + std::to_string(i), {10, 30, 20, 5});
  }
  tree.nodes[2].value = "Ann";
  tree.nodes[2].focused = true;
  return tree;
}

/// All that can be seen of a call from outside: its answer, and what it asked of the desktop.
std::string seen(std::string_view tool, std::string arguments, bool looked_before) {
  Bench bench;
  MonitorInfo monitor;
  monitor.bounds = {0, 0, 60,
                    60};  // smaller than the windows, so that visible_only leaves some out
  bench.desktop.monitor_list = MonitorList{{monitor}};
  bench.desktop.a11y_tree = tree_with_everything();
  bench.desktop.with_ocr({{"read", 90, {0, 0, 1, 1}, 0}});
  if (looked_before) {
    const std::string looked = bench.run("get_window_structure").result.text;
    const std::string kept =
        find_tool("snapshot") != nullptr ? bench.run("snapshot").result.text : std::string();
    replace_all(arguments, "$token", member_of(looked, "tree_token"));
    replace_all(arguments, "$snapshot", member_of(kept, "snapshot_id"));
  }
  const ObserverToolResult result = bench.run(std::string(tool), arguments);
  // Random names differ between any two calls.
  std::string out =
      boost::regex_replace(result.result.text, boost::regex("(tt|snap|ct):[0-9a-f]{16}"), "$1");
  out += '\n' + std::to_string(bench.desktop.now_ns);
  add_requests(out, bench.desktop.pointer_requests);
  add_requests(out, bench.desktop.key_requests);
  add_requests(out, bench.desktop.text_requests);
  add_requests(out, bench.desktop.capture_requests);
  add_requests(out, bench.desktop.ocr_requests);
  add_requests(out, bench.desktop.action_requests);
  add_requests(out, bench.desktop.activate_requests);
  return out;
}

TEST_CASE("every documented parameter has an effect") {
  for (const Tool& tool : all_tools()) {
    const std::string base = base_of(tool.name);
    for (const Parameter& parameter : tool.parameters) {
      INFO(tool.name << '.' << parameter.name);
      if (is_exempt(tool.name, parameter.name)) continue;
      const Change* change = change_of(tool.name, parameter.name);
      if (change == nullptr) {
        FAIL_CHECK("no row says what this parameter changes");
        continue;
      }
      const std::string before = laid_over(base, change->with);
      const std::string after = with_argument(before, parameter.name, change->value);
      const bool looks_before = after.find('$') != std::string::npos;
      CHECK(seen(tool.name, before, looks_before) != seen(tool.name, after, looks_before));
    }
  }
}

std::vector<std::string> wrong_values(const Parameter& parameter) {
  const bool words = parameter.items.starts_with(R"({"type":"string")");
  std::vector<std::string> out;
  switch (parameter.type) {
    case ParameterType::Integer: out = {"\"abc\"", "[1]", "true", "1.5", "{}"}; break;
    case ParameterType::Number: out = {"\"abc\"", "[1]", "true", "{}"}; break;
    case ParameterType::Boolean: out = {"\"perhaps\"", "[true]", "{}"}; break;
    case ParameterType::String: out = {"[1]", "{\"a\":1}"}; break;
    case ParameterType::Object: out = {"\"abc\"", "3", "[1]"}; break;
    case ParameterType::Array: out = {"3", "{\"a\":1}", words ? "true" : "\"abc\""}; break;
    case ParameterType::Any: break;
  }
  if (!parameter.values.empty()) out.emplace_back("\"no such word\"");
  return out;
}

TEST_CASE("a value of the wrong type is refused by name, whatever the tool") {
  for (const Tool& tool : all_tools()) {
    const std::string base = base_of(tool.name);
    for (const Parameter& parameter : tool.parameters) {
      for (const std::string& value : wrong_values(parameter)) {
        INFO(tool.name << '.' << parameter.name << " = " << value);
        Bench bench;
        const auto result =
            bench.run(std::string(tool.name), with_argument(base, parameter.name, value));
        CHECK(result.error_code == "BadRequest");
        CHECK(result.message.starts_with(std::string(parameter.name) + " must be "));
        CHECK(bench.desktop.pointer_requests.empty());
        CHECK(bench.desktop.key_requests.empty());
        CHECK(bench.desktop.text_requests.empty());
      }
    }
  }
}

TEST_CASE("what a tool does not know is ignored, and the answer says so") {
  Bench bench;
  const auto told = [&](std::string_view tool, std::string_view arguments) {
    const json::value answer =
        json::parse(bench.run(std::string(tool), std::string(arguments)).result.text);
    const json::value* names = answer.as_object().if_contains("ignored_arguments");
    return names != nullptr ? json::serialize(*names) : std::string();
  };
  CHECK(told("list_windows", R"({"windw_index":1,"b":2})") == R"(["b","windw_index"])");
  CHECK(told("list_windows", R"({"_caller":"me","gone":null})").empty());
  CHECK(told("type_text", R"({"value":"x"})").empty());
  CHECK(told("get_window_structure", R"({"depth":1})").empty());
}

TEST_CASE("text stands for what queries cannot carry") {
  const auto given = [](std::string_view arguments) {
    Outcome<Arguments> parsed = Arguments::parse(arguments);
    REQUIRE(parsed.ok());
    return *parsed;
  };
  static constexpr Parameter kParameters[] = {
      {"box", ParameterType::Object, "A box."},
      {"list", ParameterType::Array, "Anything."},
      {"words", ParameterType::Array, "Words.", false, {}, R"({"type":"string"})"},
      {"flag", ParameterType::Boolean, "A flag."},
      {"count", ParameterType::Integer, "A count."},
  };
  Tool tool = *find_tool("list_windows");
  tool.parameters = kParameters;
  const auto checked = check_arguments(
      tool,
      given(R"({"box":"{\"x\":1}","list":"[1,2]","words":"a, b","flag":"yes","count":" 3"})"));
  REQUIRE(checked.ok());
  CHECK(checked->is_object("box"));
  CHECK(checked->elements("list").size() == 2);
  CHECK(checked->list("words") == std::vector<std::string>{"a", "b"});
  CHECK(check_arguments(tool, given(R"({"box":"","flag":"","count":""})")).ok());
  CHECK_FALSE(check_arguments(tool, given(R"({"box":"{\"x\":"})")).ok());
  CHECK_FALSE(check_arguments(tool, given(R"({"list":"a,b"})")).ok());
}

TEST_CASE("every tool is described by a schema that a model can be given") {
  const ObserverToolNames& names = described_tools();
  REQUIRE(names.described.size() == names.tools.size());
  for (std::size_t i = 0; i < names.tools.size(); ++i) {
    const ObserverToolDescription& tool = names.described[i];
    INFO(tool.name);
    CHECK(tool.name == names.tools[i]);
    CHECK_FALSE(tool.doc.empty());
    CHECK_FALSE(tool.kind.empty());
    const json::value schema = json::parse(tool.input_schema.text);
    CHECK(schema.at("type") == "object");
    const json::object& properties = schema.at("properties").as_object();
    for (const auto& [name, property] : properties) {
      INFO(name);
      CHECK_FALSE(property.at("description").as_string().empty());
    }
    for (const json::value& name : schema.at("required").as_array()) {
      CHECK(properties.contains(name.as_string()));
    }
  }
  const auto* click = find_tool("click_at");
  REQUIRE(click != nullptr);
  const json::value schema = json::parse(input_schema(*click));
  CHECK(schema.at("required") == json::array{"x", "y"});
  CHECK(schema.at("properties").at("button").at("enum") == json::array{"left", "right", "middle"});
}

}  // namespace
}  // namespace gantry::observation
