// SPDX-License-Identifier: Apache-2.0
// Reading scenario files, and playing them without the engine.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "mock_desktop.hpp"

namespace gantry::mock {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDoor = R"yaml(
name: door
initial_state: closed
states:
  closed:
    windows:
      - uid: mock:door
        title: Door
        bounds: {x: 100, y: 100, width: 400, height: 300}
        tree:
          role: Window
          name: on
          children:
            - {role: Edit, name: Code, id: code, value: 5, bounds: {x: 120, y: 140, width: 200, height: 24}}
            - {role: Edit, name: PIN, id: pin, value: "", secret: true, bounds: {x: 120, y: 180, width: 200, height: 24}}
            - {role: Button, name: Open, id: open, bounds: {x: 120, y: 220, width: 80, height: 24}}
            - {role: Button, name: Never, id: never, enabled: false, bounds: {x: 220, y: 220, width: 80, height: 24}}
  opened:
    windows:
      - {uid: mock:door, title: Door (open), tree: {role: Window, name: Inside}}
      - {uid: mock:hall, title: Hall, pid: 77}
reactions:
  - on: {tool: type_text, target_id: code, text_regex: "x(.*)"}
    set: [{id: code, value: "<{text}>"}]
  - match: {tool: set_value, target_id: pin, text_regex: ".+"}
    set: [{id: pin, value: "{text}"}]
  - true: {tool: click_element, target_name: Open}
    when: [{id: code, value: "<1234>"}, {id: pin, value_not_empty: true}]
    transition_to: opened
oracles:
  success: [{kind: window_exists, title_regex: Hall}]
)yaml";

Scenario scenario_of(const std::string& text) {
  auto parsed = parse_scenario(text, "door.yaml");
  if (const auto* problem = std::get_if<ScenarioProblem>(&parsed)) FAIL(problem->message());
  return std::move(std::get<Scenario>(parsed));
}

std::string refusal(const std::string& text) {
  auto parsed = parse_scenario(text, "s.yaml");
  const auto* problem = std::get_if<ScenarioProblem>(&parsed);
  return problem != nullptr ? problem->message() : "accepted";
}

struct Stage {
  std::vector<A11yChangedEvent> events;
  MockDesktop desktop{"cafe",
                      {[this](const A11yChangedEvent& e) { events.push_back(e); },
                       [](const WindowChangedEvent&) {}}};
  explicit Stage(Scenario scenario) { desktop.load(std::move(scenario)); }

  Result<A11yTree> tree_of(const std::string& handle) const {
    A11yTreeRequest request;
    request.handle = handle;
    return desktop.tree(request, 0);
  }
  A11yTree tree() const { return *tree_of("1000"); }
  Capture shot() const {
    CaptureRequest request;
    request.target = CaptureTarget::Window;
    request.handle = "1000";
    return *desktop.capture(request);
  }
  InputReceipt click(std::int32_t x, std::int32_t y) {
    PointerRequest request;
    request.x = x;
    request.y = y;
    return *desktop.pointer(request);
  }
  InputReceipt type(const std::string& text) { return *desktop.type({text}); }
  A11yActionResult act(const std::string& element, A11yVerb verb, const std::string& tool,
                       const std::string& text = {}) {
    A11yActionRequest request;
    request.native = "mock:mock:door#" + element;
    request.verb = verb;
    request.text = text;
    request.intent.tool = tool;
    return *desktop.action(request);
  }
};

TEST_CASE("a scenario is read as it is written") {
  const Scenario scenario = scenario_of(kDoor);
  CHECK(scenario.states.size() == 2);
  CHECK(scenario.reactions.size() == 3);
  const NodeSpec& root = scenario.states[0].windows[0].tree;
  CHECK(root.name == "on");  // YAML booleans and numbers are text where text is wanted
  CHECK(root.children[0].value == "5");
  CHECK(root.children[1].secret);
  CHECK(root.bounds == Rect{100, 100, 400, 300});
  CHECK(scenario.oracles ==
        R"({"failure":[],"success":[{"kind":"window_exists","title_regex":"Hall"}]})");
  CHECK(scenario.warnings.empty());
}

TEST_CASE("what is wrong is refused with file, line and path") {
  const std::string head = "states:\n  a:\n    windows:\n";
  struct Case {
    std::string text, part;
  };
  const std::vector<Case> cases{
      {"states: [", "s.yaml:1: not valid YAML"},
      {"name: x", "s.yaml:1: the key 'states' is missing"},
      {"states: {}", "at least one state"},
      {"nmae: x\nstates: {a: {windows: []}}",
       "s.yaml:1: nmae: there is no key 'nmae' here; allowed: name"},
      {head + "      - {uid: 5, titel: x}", "s.yaml:4: states.a.windows[0].titel: there is no key"},
      {head + "      - {bounds: {x: 0, y: 0, width: 5}}", "the key 'height' is missing"},
      {head + "      - {bounds: {x: 0, y: 0, width: 0, height: 5}}", "must have an area"},
      {head + "      - {pid: many}", "states.a.windows[0].pid: must be an integer"},
      {head + "      - {uid: u}\n      - {uid: u}", "two windows of state 'a' have the uid 'u'"},
      {head + "      - tree: {id: i, children: [{id: i}]}", "the id 'i' is used twice"},
      {head + "      - tree: {secret: maybe}", "must be true or false, found 'maybe'"},
      {head + "      - tree: {children: {}}", "children: must be a list, found a map"},
      {head + "      - {}\n      - title: x\n        title: y", "appears twice"},
      {head + "      - {}\ninitial_state: b", "there is no state 'b'; allowed: a"},
      {head + "      - {}\nreactions: [{on: {tool: clik}}]", "no tool 'clik' acts"},
      {head + "      - {}\nreactions: [{set: []}]", "a reaction needs a trigger"},
      {head + "      - {}\nreactions: [{on: {}, match: {}}]", "one trigger"},
      {head + "      - {}\nreactions:\n  - on: {text_regex: '('}",
       "s.yaml:6: reactions[0].on.text_regex"},
      {head + "      - {}\nreactions: [{on: {}, transition_to: z}]", "there is no state 'z'"},
      {head + "      - {}\noracles: {success: [{kind: wins}]}", "there is no predicate 'wins'"},
      {head + "      - {}\noracles: {success: [{kind: window_exists, regex: x}]}",
       "oracles.success[0].regex: there is no key"},
      {head + "      - {title: \"a\x01\"}", "control character"},
      {"states: &a {b: *a}", "s.yaml"},
      {"- a", "must be a map, found a list"},
      {std::string(200, '['), "s.yaml"},
  };
  for (const Case& one : cases) {
    const std::string message = refusal(one.text);
    INFO(one.text << "\n" << message);
    CHECK(message.find(one.part) != std::string::npos);
  }
}

TEST_CASE("an id that is nowhere is told to the author") {
  const Scenario scenario = scenario_of(
      "states: {a: {windows: [{}]}}\nreactions: [{on: {target_id: x}, set: [{value: y}]}]\n");
  REQUIRE(scenario.warnings.size() == 2);
  CHECK(scenario.warnings[0] == "line 2: reactions[0].set[0]: an entry without id does nothing");
}

TEST_CASE("reactions follow clicks and typing, and pixels follow the tree") {
  Stage stage(scenario_of(kDoor));
  const auto before = stage.shot();
  CHECK(stage.type("x1234").route == "mock");  // nothing has the focus
  CHECK(stage.click(150, 150).route == "mock");
  const InputReceipt typed = stage.type("x1234");
  CHECK(typed.route == "scenario");
  CHECK(typed.note.empty());
  CHECK(stage.tree().nodes[1].value == "<1234>");
  CHECK(stage.events.back().kind == "value");
  CHECK(stage.events.back().pid == 10'000);
  const auto after = stage.shot();
  CHECK(after.serial != before.serial);
  CHECK(after.image.pixels.text() != before.image.pixels.text());
  CHECK(stage.type("y").route == "mock");

  CHECK(stage.click(130, 230).route == "mock");  // the PIN is empty
  CHECK(stage.act("pin", A11yVerb::SetText, "set_value", "99").accepted);
  CHECK_FALSE(stage.tree().nodes[2].value);  // a secret is not told
  CHECK(stage.tree().nodes[2].password);
  CHECK(stage.click(130, 230).route == "scenario");
  CHECK(stage.desktop.report().state == "opened");
  CHECK(stage.desktop.windows().windows.back().title == "Door (open)");
}

TEST_CASE("a reaction that would set too long a value is refused and changes nothing") {
  std::string text = kDoor;
  const std::string one = R"(value: "<{text}>")";
  text.replace(text.find(one), one.size(), R"(value: "{text}{text}{text}{text}")");
  Stage stage(scenario_of(text));
  stage.desktop.limit_values(64);
  stage.desktop.load(scenario_of(text));
  stage.click(150, 150);
  CHECK(stage.type('x' + std::string(16, 'a')).route == "scenario");
  CHECK(stage.tree().nodes[1].value == std::string(64, 'a'));
  const std::uint64_t reactions = stage.desktop.report().reactions;

  const auto typed = stage.desktop.type({'x' + std::string(17, 'b')});
  REQUIRE_FALSE(typed.ok());
  CHECK(typed.error().code == Code::InvalidArgument);
  CHECK(typed.error().message.find("would set 'code' to more than the 64 bytes") !=
        std::string::npos);
  A11yActionRequest request;
  request.native = "mock:mock:door#code";
  request.verb = A11yVerb::SetText;
  request.text = 'x' + std::string(17, 'b');
  request.intent.tool = "set_value";
  CHECK_FALSE(stage.desktop.action(request).ok());
  CHECK(stage.tree().nodes[1].value == std::string(64, 'a'));
  CHECK(stage.desktop.report().reactions == reactions);
}

TEST_CASE("a click means the element that the intent names, else the one under the pointer") {
  Stage stage(scenario_of(kDoor));
  PointerRequest request;
  request.x = 5;
  request.y = 5;
  request.intent = {"click_element", "mock:mock:door#code"};
  REQUIRE(stage.desktop.pointer(request).ok());
  CHECK(stage.type("x1").route == "scenario");
  CHECK(stage.click(230, 230).route == "mock");  // disabled elements take no click
}

TEST_CASE("focus is no click, and shows unless the scenario hides it") {
  Stage stage(scenario_of(std::string(kDoor) + "show_focus: false\n"));
  stage.act("code", A11yVerb::SetText, "set_value", "x1234");
  stage.act("pin", A11yVerb::SetText, "set_value", "1");
  CHECK(stage.act("open", A11yVerb::Focus, "focus_element").accepted);
  CHECK(stage.desktop.report().state == "closed");
  CHECK_FALSE(stage.tree().nodes[3].focused);
  stage.desktop.load(scenario_of(kDoor));
  CHECK(stage.desktop.report().acts == 0);
  stage.act("open", A11yVerb::Focus, "focus_element");
  CHECK(stage.tree().nodes[3].focused);
  CHECK(stage.act("open", A11yVerb::Do, "invoke_element").evidence ==
        "nothing in the scenario reacts to it");  // what was typed is forgotten
}

TEST_CASE("elements and windows that are gone are not found") {
  Stage stage(scenario_of(kDoor));
  A11yActionRequest request;
  request.native = "mock:mock:door#nothing";
  CHECK(stage.desktop.action(request).error().code == Code::NotFound);
  CHECK(stage.tree_of("1007").error().code == Code::NotFound);
  request.native = "mock:mock:door#pin";
  request.verb = A11yVerb::GetText;
  CHECK(stage.desktop.action(request).error().code == Code::PermissionDenied);
}

TEST_CASE("raising a window puts it on top") {
  Stage stage(scenario_of(kDoor));
  stage.act("code", A11yVerb::SetText, "set_value", "x1234");
  stage.act("pin", A11yVerb::SetText, "set_value", "1");
  stage.act("open", A11yVerb::Do, "click_element");
  REQUIRE(stage.desktop.windows().windows.back().uid == "mock:door");
  CHECK(stage.desktop.activate({"1001", 1000})->active);
  CHECK(stage.desktop.windows().windows.back().uid == "mock:hall");
  CHECK(stage.desktop.windows().windows.back().pid == 77);
}

TEST_CASE("only files in the folders are read") {
  const fs::path folder =
      fs::temp_directory_path() / ("gantry-scenarios-" + std::to_string(::getpid()));
  fs::create_directories(folder / "in");
  std::ofstream(folder / "in" / "a.yaml") << kDoor;
  std::ofstream(folder / "out.yaml") << kDoor;
  fs::create_symlink(folder / "out.yaml", folder / "in" / "link.yaml");
  const std::vector<std::string> roots{(folder / "in").string()};
  const auto loads = [&](const std::string& path) {
    return std::holds_alternative<Scenario>(load_scenario_file(path, roots));
  };
  CHECK(loads("a.yaml"));
  CHECK(loads((folder / "in" / "a.yaml").string()));
  CHECK_FALSE(loads((folder / "out.yaml").string()));
  CHECK_FALSE(loads("../out.yaml"));
  CHECK_FALSE(loads("link.yaml"));
  CHECK_FALSE(loads("/etc/hostname"));
  CHECK_FALSE(loads("."));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace gantry::mock
