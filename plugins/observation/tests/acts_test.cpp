// SPDX-License-Identifier: Apache-2.0
// Acts on elements against a fake desktop: what is done, in which order it is refused, and what is
// claimed afterwards.
#include <catch2/catch.hpp>

#include "fake_desktop.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;
using tests::has;

/// A form whose elements have references, as real adapters give them.
A11yTree form() {
  A11yTree tree;
  tree.pid = 42;
  const auto add = [&](int parent, std::string role, std::string name, Rect bounds) {
    tests::add_node(tree, parent, std::move(role), std::move(name), bounds);
    tree.nodes.back().native = "app:" + tree.nodes.back().name;
  };
  add(-1, "Window", "Main", {0, 0, 200, 100});
  add(0, "Button", "OK", {10, 10, 50, 20});
  add(0, "Edit", "Name", {10, 40, 100, 20});
  add(0, "CheckBox", "Agree", {10, 70, 100, 20});
  tree.nodes[1].actions = {"click"};
  tree.nodes[2].value = "Ann";
  tree.nodes[2].states = {"editable"};
  tree.nodes[3].actions = {"click"};
  tree.nodes[3].selected = false;
  return tree;
}

struct Form : Bench {
  Form() {
    desktop.a11y_tree = form();
    desktop.on_action = [this](const A11yActionRequest& request) { return act(request); };
  }

  A11yNode& node(const std::string& name) {
    for (A11yNode& candidate : desktop.a11y_tree->nodes) {
      if (candidate.name == name) return candidate;
    }
    throw std::runtime_error("no node " + name);
  }

  /// A toolkit that does what it is asked.
  Result<A11yActionResult> act(const A11yActionRequest& request) {
    A11yNode& target = node(request.native.substr(4));
    switch (request.verb) {
      case A11yVerb::Do:
        if (target.selected) target.selected = !*target.selected;
        break;
      case A11yVerb::Focus:
        for (A11yNode& other : desktop.a11y_tree->nodes) other.focused = false;
        target.focused = true;
        break;
      case A11yVerb::SetText: target.value = request.text; break;
      default: return Error{Code::Unimplemented, "no", {}};
    }
    return A11yActionResult{true, {}, "test"};
  }
};

TEST_CASE("a click takes the element's own action and confirms only what it read") {
  Form bench;
  SECTION("a box that was ticked") {
    const auto result = bench.run("click_element", R"({"selector":"CheckBox"})");
    CHECK(result.ok);
    CHECK(has(result, R"("effect":"confirmed")"));
    CHECK(has(result, R"("evidence":"selected: false -> true")"));
    CHECK(has(result, R"("route":"a11y:click")"));
    CHECK(has(result, R"("changed":false)"));
    CHECK(has(result, R"("state_changed":true)"));
    CHECK(bench.desktop.pointer_requests.empty());
  }
  SECTION("a button after which nothing is different") {
    const auto result = bench.run("click_element", R"({"selector":"Button[name=\"OK\"]"})");
    CHECK(result.ok);
    CHECK(has(result, R"("effect":"unverified")"));
  }
  SECTION("a button after which a window opened") {
    bench.desktop.on_action = [&](const A11yActionRequest&) -> Result<A11yActionResult> {
      WindowInfo dialog = bench.desktop.window_list->windows.back();
      dialog.uid = "t:new";
      dialog.title = "Sure?";
      bench.desktop.window_list->windows.push_back(dialog);
      return A11yActionResult{true, {}, "test"};
    };
    const auto result = bench.run("click_element", R"({"selector":"Button"})");
    CHECK(has(result, R"("new_dialogs":[{"title":"Sure?","window_uid":"t:new"}])"));
    CHECK(has(result, R"("effect":"confirmed")"));
  }
  SECTION("without such an action, or with another button, the pointer does it") {
    CHECK(bench.run("click_element", R"({"selector":"Edit"})").ok);
    CHECK(bench.run("right_click_element", R"({"selector":"Button"})").ok);
    REQUIRE(bench.desktop.pointer_requests.size() == 2);
    CHECK(bench.desktop.pointer_requests[0].x == 60);
    CHECK(bench.desktop.pointer_requests[0].y == 50);
    CHECK(bench.desktop.pointer_requests[1].button == "right");
  }
  SECTION("a toolkit that does not answer in time is not asked twice") {
    bench.desktop.on_action = [](const A11yActionRequest&) -> Result<A11yActionResult> {
      return Error{Code::DeadlineExceeded, "no answer", {}};
    };
    const auto result = bench.run("click_element", R"({"selector":"Button"})");
    CHECK(has(result, R"("effect":"unverified")"));
    CHECK(bench.desktop.action_requests.size() == 1);
    CHECK(bench.desktop.pointer_requests.empty());
  }
}

TEST_CASE("acts are refused in the published order") {
  Form bench;
  CHECK(bench.run("click_element", "{}").error_code == "BadRequest");
  CHECK(bench.run("click_element", R"({"window_uid":"t:x","selector":"Button"})").error_code ==
        "WindowGone");
  CHECK(bench.run("click_element", R"({"selector":"Nope"})").message ==
        "no element matches selector 'Nope'");
  bench.node("OK").enabled = false;
  bench.node("OK").bounds = Rect{};
  CHECK(bench.run("click_element", R"({"selector":"Button"})").error_code == "ElementDisabled");
  bench.node("OK").enabled = true;
  CHECK(bench.run("click_element", R"({"selector":"Button"})").error_code == "ElementOccluded");
  CHECK(bench.desktop.action_requests.empty() == false);  // it was asked to scroll there
  CHECK(bench.desktop.pointer_requests.empty());
}

TEST_CASE("what other windows cover is not clicked, what they half cover is clicked beside them") {
  Form bench;
  WindowInfo& other = bench.desktop.window_list->windows.front();
  other.frame = {0, 30, 60, 40};
  other.stacking = 5;
  SECTION("partly") {
    CHECK(bench.run("click_element", R"({"selector":"Edit"})").ok);
    REQUIRE(bench.desktop.pointer_requests.size() == 1);
    CHECK(*bench.desktop.pointer_requests[0].x >= 60);
  }
  SECTION("wholly") {
    other.frame = {0, 30, 200, 40};
    CHECK(bench.run("click_element", R"({"selector":"Edit"})").error_code == "ElementOccluded");
  }
  SECTION("by a menu of another program") {
    WindowInfo menu = other;
    menu.uid = "t:menu";
    menu.transient = true;
    menu.pid = 7;
    menu.frame = {0, 0, 200, 100};
    bench.desktop.popups = {menu};
    CHECK(bench.run("click_element", R"({"selector":"Edit"})").error_code == "ElementOccluded");
  }
}

TEST_CASE("a value is set, read back and only then confirmed") {
  Form bench;
  SECTION("by the toolkit") {
    const auto result = bench.run("set_value", R"({"selector":"Edit","value":"Bob"})");
    CHECK(has(result, R"("effect":"confirmed")"));
    CHECK(has(result, R"("changed":true)"));
    CHECK(bench.desktop.text_requests.empty());
  }
  SECTION("by keys, when the toolkit says yes and does nothing") {
    bench.desktop.on_action = [&](const A11yActionRequest& request) -> Result<A11yActionResult> {
      if (request.verb == A11yVerb::SetText) return A11yActionResult{true, {}, "test"};
      return bench.act(request);
    };
    bench.desktop.on_input = [&] { bench.node("Name").value = "Bob"; };
    const auto result = bench.run("set_value", R"({"selector":"Edit","value":"Bob"})");
    CHECK(has(result, R"("effect":"confirmed")"));
    REQUIRE(bench.desktop.key_requests.size() == 1);
    CHECK(bench.desktop.key_requests[0].keys == "ctrl+a");
    REQUIRE(bench.desktop.text_requests.size() == 1);
    CHECK(bench.desktop.text_requests[0].text == "Bob");
  }
  SECTION("nothing is typed when the element does not take the focus") {
    bench.desktop.on_action = [](const A11yActionRequest&) -> Result<A11yActionResult> {
      return Error{Code::Unimplemented, "no", {}};
    };
    const auto result = bench.run("set_value", R"({"selector":"Edit","value":"Bob"})");
    CHECK(result.error_code == "PatternUnsupported");
    CHECK(has(result, R"("effect":"refused")"));
    CHECK(has(result, R"("action":"set_value")"));
    CHECK(bench.desktop.text_requests.empty());
    CHECK(bench.desktop.key_requests.empty());
  }
  SECTION("a password is never read back") {
    bench.node("Name").password = true;
    bench.node("Name").role = "Password";
    bench.node("Name").value.reset();
    const auto result = bench.run("set_value", R"({"selector":"Password","value":"s3cret"})");
    CHECK(result.ok);
    CHECK(has(result, R"("effect":"unverified")"));
    CHECK_FALSE(has(result, "s3cret"));
  }
  SECTION("a box is ticked by a truth value") {
    CHECK(has(bench.run("set_value", R"({"selector":"CheckBox","value":true})"),
              R"("effect":"confirmed")"));
    CHECK(bench.node("Agree").selected == true);
    CHECK(has(bench.run("set_value", R"({"selector":"CheckBox","value":"true"})"),
              R"("effect":"no_op")"));
    CHECK(bench.node("Agree").selected == true);
  }
  SECTION("a value is required") {
    CHECK(bench.run("set_value", R"({"selector":"Edit"})").message == "value is required");
  }
}

TEST_CASE("a dry run checks everything and does nothing") {
  Form bench;
  const auto result = bench.run("click_element", R"({"selector":"CheckBox","dry_run":true})");
  CHECK(has(result, R"("dry_run":true)"));
  CHECK(has(result, R"("effect":"no_op")"));
  CHECK(bench.node("Agree").selected == false);
  CHECK(
      bench.run("drag", R"({"from":{"x":1,"y":2},"to":{"selector":"Button"},"dry_run":true})").ok);
  CHECK(bench.desktop.pointer_requests.empty());
}

TEST_CASE("an id means the element that the client saw under it") {
  Form bench;
  CHECK(bench.run("get_window_structure").ok);  // root.0 is OK
  auto& nodes = bench.desktop.a11y_tree->nodes;
  SECTION("an element that moved is found again by its reference") {
    std::swap(nodes[1], nodes[3]);
    bench.observer.engine().trees.forget_all();
    const auto result = bench.run("click_element", R"({"element_id":"root.0"})");
    CHECK(has(result, R"("element_id":"root.2")"));
    CHECK(bench.desktop.action_requests.back().native == "app:OK");
  }
  SECTION("one that was made anew is matched when there is only one like it, and it is said") {
    nodes[1].native = "app:other";
    bench.desktop.on_action = nullptr;
    const auto result = bench.run("click_element", R"({"element_id":"root.0"})");
    CHECK(has(result, R"("rematched":"path")"));
  }
  SECTION("several like it are a refusal with candidates") {
    A11yNode twin = nodes[1];
    nodes[1].native = "app:a";
    twin.native = "app:b";
    nodes.push_back(twin);
    const auto result = bench.run("click_element", R"({"element_id":"root.0"})");
    CHECK(result.error_code == "ElementNotFound");
    CHECK(has(result, R"("candidates":[{)"));
    CHECK(bench.desktop.pointer_requests.empty());
  }
  SECTION("one that is gone is not replaced by what has its place now") {
    nodes.erase(nodes.begin() + 1);
    const auto result = bench.run("click_element", R"({"element_id":"root.0"})");
    CHECK(result.error_code == "ElementNotFound");
  }
  SECTION("a token that nobody was given has expired") {
    CHECK(bench.run("click_element", R"({"element_id":"root.0","tree_token":"tt:1"})").error_code ==
          "SnapshotExpired");
  }
}

TEST_CASE("a call that was given up while it waited for its turn does nothing") {
  struct Gone final : Life {
    [[nodiscard]] bool given_up() const override { return true; }
  };
  Form bench;
  ObserverToolRequest request;
  request.tool = "click_element";
  request.arguments = Json(R"({"selector":"Button"})");
  ObserverToolResult result;
  RunningTasks running;
  spawn(
      running,
      bench.observer.run(make_body<ObserverToolRequest>(std::move(request)),
                         std::make_shared<Gone>()),
      [&](ObserverToolResult done) { result = std::move(done); }, [](const std::exception_ptr&) {});
  CHECK(result.error_code == "Timeout");
  CHECK(bench.desktop.action_requests.empty());
}

TEST_CASE("turns go round the callers, and each caller keeps its order") {
  tests::FakeDesktop desktop;
  InputLane lane(desktop);
  const Life life;
  std::string order;
  std::vector<InputLane::Turn> held;
  RunningTasks running;
  const auto enter = [&](const std::string& caller, char mark) {
    spawn(
        running, lane.enter(caller, life),
        [&order, &held, mark](Outcome<InputLane::Turn> turn) {
          order += mark;
          held.push_back(std::move(*turn));
        },
        [](const std::exception_ptr&) {});
  };
  const std::string one = "one";
  const std::string two = "two";
  enter(one, 'a');
  enter(one, 'b');
  enter(one, 'c');
  enter(two, 'x');
  enter(two, 'y');
  CHECK(order == "a");
  CHECK(lane.waiting() == 4);
  while (!held.empty()) {
    held.erase(held.begin());
    while (desktop.run_next_timer()) {
    }
  }
  CHECK(order == "abxcy");
  CHECK(lane.waiting() == 0);
}

TEST_CASE("waits end when it is true, and exactly at their time when it is not") {
  Form bench;
  SECTION("true at once") {
    const auto result =
        bench.run("wait_for", R"({"any_of":[{"type":"element_appears","selector":"Nope"},)"
                              R"({"type":"text_visible","regex":"Agr.e"}]})");
    CHECK(has(result, R"("matched_index":1)"));
    CHECK(has(result, R"("matched_detail":{"element_id":"root.2"})"));
    CHECK(has(result, R"("polls":1)"));
  }
  SECTION("never") {
    const auto result = bench.run("wait_for", R"({"any_of":[{"type":"window_appears",)"
                                              R"("title_regex":"^Zzz$"}],"timeout_ms":120,)"
                                              R"("poll_ms":50})");
    CHECK(result.error_code == "Timeout");
    CHECK(result.message == "wait_for timed out after 120ms");
    CHECK(has(result, R"("polls":4)"));
    CHECK(has(result, R"("matched_index":null)"));
  }
  SECTION("the focus is compared with what it was") {
    int looks = 0;
    bench.desktop.on_tree = [&] {
      if (++looks == 3) bench.node("Name").focused = true;
    };
    const auto result = bench.run("wait_for", R"({"any_of":[{"type":"focused_changes"}]})");
    CHECK(has(result, R"("polls":3)"));
    CHECK(has(result, R"("element_id":"root.1")"));
  }
  SECTION("what cannot be read is said") {
    const auto result =
        bench.run("wait_for", R"({"any_of":[{"type":"text_visible","regex":"["}],"timeout_ms":0})");
    CHECK(result.error_code == "Timeout");
    CHECK(has(result, "condition 0 can never be met: "));
  }
  SECTION("a quiet window") {
    const auto result = bench.run("wait_idle", R"({"quiet_ms":200})");
    CHECK(has(result, R"("elapsed_ms":200)"));
    CHECK(bench.run("wait_idle", R"({"quiet_ms":900,"timeout_ms":100})").error_code == "Timeout");
  }
  CHECK(bench.run("wait_for", "{}").error_code == "BadRequest");
}

TEST_CASE("a wait for what there is not is refused before it waits") {
  Form bench;
  struct Wrong {
    const char* condition;
    const char* said;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {R"({"type":"what"})", "any_of[1] has the unknown type 'what'; there are element_appears, "},
      {R"({"selector":"Edit"})", "any_of[1] has no type; there are element_appears, "},
      {R"({"type":null,"selector":"Edit"})", "any_of[1] has no type; "},
      {R"("text_visible")", "any_of[1] must be an object with a type, found '\"text_visible\"'"},
      {R"({"type":"text_visible","regexp":"Nope"})",
       "any_of[1] has the unknown member 'regexp'; text_visible needs regex"},
      {R"({"type":"text_visible"})", "any_of[1] lacks something: text_visible needs regex"},
      {R"({"type":"window_appears","title":"Nope"})",
       "any_of[1] has the unknown member 'title'; window_appears takes title_regex"},
      {R"({"type":"element_disappears"})",
       "any_of[1] lacks something: element_disappears needs selector or element_id"},
      {R"({"type":"tree_changes","window_uid":"x"})",
       "any_of[1] has the unknown member 'window_uid'; tree_changes needs since"},
      {R"({"type":"focused_changes","since":"x"})",
       "any_of[1] has the unknown member 'since'; focused_changes takes nothing else"},
      {R"({"type":"element_appears","selector":"Edit["})",
       "any_of[1]: selector parse error: column 6: expected "},
      {R"({"type":"element_disappears","selector":"//Button[name=\"OK]","element_id":"root"})",
       "any_of[1]: selector parse error: column "},
  }));
  INFO(wrong.condition);
  const std::int64_t began = bench.desktop.now_ns;
  const auto result =
      bench.run("wait_for", std::string(R"({"any_of":[{"type":"text_visible","regex":"Nope"},)") +
                                wrong.condition + R"(],"timeout_ms":60000})");
  CHECK(result.error_code == "BadRequest");
  CHECK(result.message.starts_with(wrong.said));
  CHECK(bench.desktop.now_ns == began);
  CHECK(bench.desktop.tree_reads == 0);
}

TEST_CASE("a wait takes what the protocol leaves open, and private marks") {
  Form bench;
  const auto open =
      GENERATE(as<std::string>(), R"({"type":"window_appears"})", R"({"type":"window_disappears"})",
               R"({"type":"text_visible","regex":"Agr.e","_why":"x"})");
  INFO(open);
  CHECK(bench.run("wait_for", R"({"any_of":[)" + open + "]}").ok);
}

TEST_CASE("what is hidden is neither read back nor written back") {
  Form bench;
  GuardRules rules;
  rules.version = 1;
  rules.element_name_patterns = {"^Name$"};
  rules.replacement = "[REDACTED]";
  rules.max_text = 1000;
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  const auto result =
      bench.run("set_value", R"({"selector":"Edit","value":"x","clear_first":false})");
  CHECK(result.ok);
  CHECK(has(result, R"("effect":"unverified")"));
  for (const TextRequest& request : bench.desktop.text_requests) CHECK(request.text == "x");
  const auto all = bench.run("set_value", R"({"selector":"Edit","value":"Bob"})");
  CHECK(all.ok);
  CHECK(bench.node("Name").value == "Bob");
}

TEST_CASE("a hidden field that takes nothing does not tell whether a guess was right") {
  Form bench;
  GuardRules rules;
  rules.version = 1;
  rules.element_name_patterns = {"^Name$"};
  rules.replacement = "[REDACTED]";
  rules.max_text = 1000;
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  bench.desktop.on_action = [&](const A11yActionRequest& request) -> Result<A11yActionResult> {
    if (request.verb != A11yVerb::SetText) return bench.act(request);
    return A11yActionResult{true, {}, "read-only"};  // as some toolkits answer, and do nothing
  };
  const auto guess = [&](const std::string& value) {
    std::string text =
        bench.run("set_value", R"({"selector":"Edit","value":")" + value + "\"}").result.text;
    // Numbers of steps and times say nothing about the field.
    for (const char* counted : {"step_id\":", "duration_ms\":"}) {
      for (std::size_t at = 0; (at = text.find(counted, at)) != std::string::npos;) {
        at += std::string_view(counted).size();
        text.erase(at, text.find_first_not_of("0123456789", at) - at);
      }
    }
    return text;
  };
  CHECK(guess("Ann") == guess("Bob"));
  CHECK(bench.node("Name").value == "Ann");
}

TEST_CASE("typed text is confirmed only when all of it can be seen") {
  Form bench;
  bench.node("Name").focused = true;
  bench.desktop.on_input = [&] { bench.node("Name").value = "Ann ab"; };
  const auto part = bench.run("type_text", R"({"text":" abcdef"})");
  CHECK(has(part, R"("effect":"unverified")"));
  CHECK(has(part, "does not show all of the text"));
  bench.desktop.on_input = [&] { bench.node("Name").value = "Ann abcdef"; };
  CHECK(has(bench.run("type_text", R"({"text":"cdef\n"})"), R"("effect":"confirmed")"));
}

TEST_CASE("a wait cannot keep everybody else from their turn") {
  Form bench;
  for (A11yNode& node : bench.desktop.a11y_tree->nodes) node.name = std::string(40, 'a') + "b";
  SECTION("a regular expression without end is tried once, not at every look") {
    const auto result = bench.run(
        "wait_for", R"({"any_of":[{"type":"text_visible","regex":"(a|aa)+[X-Y]"},)"
                    R"({"type":"element_appears","selector":"*[name~=\"(a|aa)+[X-Y]\"]"}],)"
                    R"("timeout_ms":100})");
    CHECK(result.error_code == "Timeout");
    CHECK(has(result, "condition 0 was given up"));
    CHECK(has(result, "condition 1 was given up"));
  }
  SECTION("a search that gave up does not say that something is gone") {
    const auto result =
        bench.run("wait_for", R"({"any_of":[{"type":"element_disappears","selector":)"
                              R"("*[name~=\"(a|aa)+[X-Y]|a+b\"]"}],"timeout_ms":100})");
    CHECK(result.error_code == "Timeout");
  }
  SECTION("too many conditions") {
    std::string many;
    for (int i = 0; i < 101; ++i) many += R"({"type":"text_visible","regex":"x"},)";
    many.pop_back();
    CHECK(bench.run("wait_for", R"({"any_of":[)" + many + "]}").error_code == "BadRequest");
  }
}

}  // namespace
}  // namespace gantry::observation
