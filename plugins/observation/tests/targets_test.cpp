// SPDX-License-Identifier: Apache-2.0
// What the guard is asked about: everything that an act will reach, however it was named.
#include <catch2/catch.hpp>

#include <algorithm>

#include "fake_desktop.hpp"
#include "focus_walk.hpp"

namespace gantry::observation {
namespace {

using tests::add_node;

/// Refuses whatever is called "Delete", and remembers what it was asked about.
class StrictGate final : public Gate {
 public:
  Task<Outcome<bool>> admit(const ToolCall& call) override {
    if (call.tool.name == denied_tool) co_return failure(Fault::PermissionDenied, "not this tool");
    co_return true;
  }
  Task<Outcome<bool>> admit_vision(const ToolCall&) override { co_return true; }
  Task<Outcome<bool>> admit_targets(const ToolCall&, std::vector<GateTarget> targets) override {
    asked = targets;
    for (const GateTarget& target : targets) {
      const bool hit = target.name == "Delete" || target.window.title == "Other";
      if (hit) co_return failure(Fault::PermissionDenied, "no");
    }
    co_return true;
  }
  void settle(const Settlement&) override {}
  Task<Outcome<GuardPromise>> propose(const ToolCall&, std::vector<GateTarget>) override {
    co_return GuardPromise();
  }
  Task<Outcome<GuardStatusReport>> status() override { co_return GuardStatusReport(); }
  Task<Outcome<bool>> know_rules() override { co_return true; }
  [[nodiscard]] const GuardBudgets& budgets() const override { return budgets_; }

  std::vector<GateTarget> asked;
  std::string denied_tool;

 private:
  GuardBudgets budgets_;
};

struct Guarded {
  Guarded() : observer(desktop, Settings(), "9.9.9", gate) {
    GuardRules rules;
    rules.version = 1;
    rules.judges_targets = true;
    rules.max_text = 1000;
    REQUIRE(observer.engine().take_rules(rules).ok());
    A11yTree tree;
    tree.pid = 42;
    add_node(tree, -1, "Window", "Main", {0, 0, 200, 100});
    add_node(tree, 0, "Group", "Panel", {0, 0, 200, 40});
    add_node(tree, 1, "Button", "Delete", {80, 10, 40, 20});
    add_node(tree, 2, "Image", "", {85, 12, 10, 10});
    add_node(tree, 0, "Edit", "Name", {10, 50, 80, 20});
    add_node(tree, 0, "ComboBox", "Do", {100, 50, 80, 20});
    add_node(tree, 5, "ListItem", "Delete", {100, 70, 80, 10});
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      tree.nodes[i].native = "app:" + std::to_string(i);
    }
    tree.nodes[4].focused = true;
    desktop.a11y_tree = tree;
  }

  ObserverToolResult run(std::string tool, std::string arguments) {
    ObserverToolRequest request;
    request.tool = std::move(tool);
    request.arguments = Json(std::move(arguments));
    std::optional<ObserverToolResult> result;
    RunningTasks running;
    spawn(
        running, observer.run(make_body<ObserverToolRequest>(std::move(request))),
        [&](ObserverToolResult done) { result = std::move(done); },
        [](const std::exception_ptr& error) { std::rethrow_exception(error); });
    while (!result && desktop.run_next_timer()) {
    }
    return std::move(result).value();
  }
  /// The keyboard goes to this element with the next input.
  void move_focus_to(std::size_t index) {
    desktop.on_input = [this, index] {
      for (A11yNode& node : desktop.a11y_tree->nodes) node.focused = false;
      desktop.a11y_tree->nodes[index].focused = true;
    };
  }
  [[nodiscard]] std::size_t inputs() const {
    return desktop.pointer_requests.size() + desktop.key_requests.size() +
           desktop.text_requests.size();
  }

  tests::FakeDesktop desktop;
  StrictGate gate;
  Observer observer;
};

constexpr const char* kDenied = "PermissionDenied";

TEST_CASE("what is drawn inside a button is the button, however it is named") {
  Guarded bench;
  CHECK(bench.run("click_at", R"({"x":90,"y":15})").error_code == kDenied);
  REQUIRE(bench.gate.asked.size() == 2);
  CHECK(bench.gate.asked[0].role == "Image");
  CHECK(bench.gate.asked[1].role == "Button");
  CHECK(bench.run("click_element", R"({"selector":"//Image"})").error_code == kDenied);
  CHECK(bench.inputs() == 0);
}

TEST_CASE("a click on a panel is judged by what lies in its middle") {
  Guarded bench;
  CHECK(bench.run("click_element", R"({"selector":"//Group"})").error_code == kDenied);
  CHECK(bench.run("right_click_element", R"({"selector":"//Group"})").error_code == kDenied);
  CHECK(bench.inputs() == 0);
  bench.desktop.a11y_tree->nodes[2].bounds = Rect{0, 0, 20, 20};  // not in the middle any more
  CHECK(bench.run("click_element", R"({"selector":"//Group"})").ok);
  CHECK(bench.inputs() == 1);
}

TEST_CASE("what is scrolled into view is judged where it ends up") {
  Guarded bench;
  A11yTree& tree = *bench.desktop.a11y_tree;
  add_node(tree, 0, "Image", "Far", {0, 0, 0, 0});
  tree.nodes.back().native = "app:far";
  bench.desktop.on_action = [&](const A11yActionRequest&) -> Result<A11yActionResult> {
    bench.desktop.a11y_tree->nodes.back().bounds = Rect{80, 10, 40, 20};
    std::swap(bench.desktop.a11y_tree->nodes[2].bounds, bench.desktop.a11y_tree->nodes[3].bounds);
    add_node(*bench.desktop.a11y_tree, 0, "Button", "Delete", {80, 10, 40, 20});
    bench.desktop.a11y_tree->nodes.back().native = "app:new";
    return A11yActionResult{true, {}, "test"};
  };
  CHECK(bench.run("click_element", R"({"selector":"//Image[name=\"Far\"]"})").error_code ==
        kDenied);
  CHECK(bench.inputs() == 0);
}

TEST_CASE("both ends of a drag are judged by the windows that they lie in") {
  Guarded bench;
  CHECK(bench.run("drag", R"({"from":{"x":510,"y":10},"to":{"x":20,"y":60}})").error_code ==
        kDenied);
  CHECK(bench.run("drag", R"({"from":{"x":20,"y":60},"to":{"x":510,"y":10}})").error_code ==
        kDenied);
  CHECK(bench.run("drag", R"({"from":{"x":20,"y":60},"to":{"x":90,"y":15}})").error_code ==
        kDenied);
  CHECK(bench.inputs() == 0);
  CHECK(bench.run("drag", R"({"from":{"x":20,"y":60},"to":{"x":30,"y":60}})").ok);
}

TEST_CASE("an option is judged as well as the list") {
  Guarded bench;
  CHECK(bench.run("select_option", R"({"selector":"//ComboBox","option_name":"Delete"})")
            .error_code == kDenied);
  REQUIRE(bench.gate.asked.size() == 2);
  CHECK(bench.gate.asked[0].name == "Do");
  CHECK(bench.gate.asked[1].part);
  // At most the list was opened.
  const auto& clicks = bench.desktop.pointer_requests;
  CHECK(std::none_of(clicks.begin(), clicks.end(),
                     [](const PointerRequest& click) { return click.y.value_or(0) > 70; }));
}

TEST_CASE("keys that follow one another are judged by what has the focus then") {
  Guarded bench;
  bench.move_focus_to(2);
  const auto result = bench.run("press_key", R"({"keys":"tab space"})");
  CHECK(result.error_code == kDenied);
  CHECK(result.message.find("1 of 2 parts had been sent") != std::string::npos);
  REQUIRE(bench.desktop.key_requests.size() == 1);
  CHECK(bench.desktop.key_requests[0].keys == "tab");

  Guarded typing;
  typing.move_focus_to(2);
  CHECK(typing.run("type_text", R"({"text":"x\t\ny"})").error_code == kDenied);
  REQUIRE(typing.desktop.text_requests.size() == 1);
  CHECK(typing.desktop.text_requests[0].text == "x\t");

  Guarded staying;
  CHECK(staying.run("press_key", R"({"keys":"ctrl+a  delete"})").ok);
  CHECK(staying.desktop.key_requests.size() == 2);
}

TEST_CASE("without rules about elements an input goes out as a whole") {
  Guarded bench;
  GuardRules rules = bench.observer.engine().redaction.rules();
  rules.judges_targets = false;
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  CHECK(bench.run("press_key", R"({"keys":"tab space"})").ok);
  REQUIRE(bench.desktop.key_requests.size() == 1);
  CHECK(bench.desktop.key_requests[0].keys == "tab space");
}

TEST_CASE("an application that does not answer cannot be judged") {
  Guarded bench;
  bench.desktop.a11y_tree = Error{Code::DeadlineExceeded, "no answer", {}};
  CHECK(bench.run("click_at", R"({"x":90,"y":15})").error_code == "Timeout");
  CHECK(bench.run("type_text", R"({"text":"x"})").error_code == "Timeout");
  CHECK(bench.inputs() == 0);
  // One that has no tree at all has no elements either.
  bench.desktop.a11y_tree = not_found("nobody has this window");
  CHECK(bench.run("click_at", R"({"x":90,"y":15})").ok);
}

TEST_CASE("where elements are missing, only controls are acted on") {
  Guarded bench;
  A11yTree& tree = *bench.desktop.a11y_tree;
  tree.truncated = true;
  const auto denied = [&](const char* tool, const char* arguments) {
    const auto result = bench.run(tool, arguments);
    return result.error_code == kDenied &&
           result.message.find("more elements than were read") != std::string::npos;
  };
  // On the panel, where the button that was cut may be.
  CHECK(denied("click_at", R"({"x":20,"y":15})"));
  CHECK(denied("scroll", R"({"x":20,"y":15})"));
  tree.nodes[2].bounds = Rect{0, 0, 20, 20};
  CHECK(denied("click_element", R"({"selector":"//Group"})"));
  CHECK(denied("drag", R"({"from":{"x":20,"y":60},"to":{"x":150,"y":30}})"));
  // Something else that was cut may have the keyboard.
  tree.nodes[4].focused = false;
  CHECK(denied("type_text", R"({"text":"x"})"));
  CHECK(bench.inputs() == 0);

  CHECK(bench.run("click_at", R"({"x":20,"y":60})").ok);
  tree.nodes[4].focused = true;
  CHECK(bench.run("type_text", R"({"text":"x"})").ok);
  GuardRules rules = bench.observer.engine().redaction.rules();
  rules.judges_targets = false;
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  CHECK(bench.run("click_at", R"({"x":20,"y":15})").ok);
}

TEST_CASE("a value that is set by a click needs the permission to click") {
  Guarded bench;
  A11yTree& tree = *bench.desktop.a11y_tree;
  add_node(tree, 0, "CheckBox", "Agree", {10, 80, 60, 15});
  tree.nodes.back().selected = false;
  bench.gate.denied_tool = "click_element";
  CHECK(bench.run("set_value", R"({"selector":"//CheckBox","value":"true"})").error_code ==
        kDenied);
  CHECK(bench.run("set_value", R"({"selector":"//ComboBox","value":"Save"})").error_code ==
        kDenied);
  CHECK(bench.inputs() == 0);
  bench.gate.denied_tool.clear();
  (void)bench.run("set_value", R"({"selector":"//CheckBox","value":"true"})");
  CHECK(bench.inputs() == 1);
}

TEST_CASE("texts are cut where they may move the focus") {
  CHECK(pieces_of("a\tb\nc", nullptr).parts == std::vector<std::string>{"a\t", "b\n", "c"});
  Node document;
  document.role = "Document";
  CHECK(pieces_of("a\tb\nc", &document).parts == std::vector<std::string>{"a\t", "b\nc"});
  CHECK(pieces_of("", nullptr).parts.empty());
  CHECK(chords_of(" ctrl+a  tab ").parts == std::vector<std::string>{"ctrl+a", "tab"});
  CHECK(chords_of(" ").whole == " ");
}

}  // namespace
}  // namespace gantry::observation
