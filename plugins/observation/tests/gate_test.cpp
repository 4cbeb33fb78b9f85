// SPDX-License-Identifier: Apache-2.0
// The gate over the bus: what happens when the guard refuses, fails, or is not there.
#include <catch2/catch.hpp>
#include <gantry/testkit/fake_host.hpp>

#include <unistd.h>

#include <filesystem>

#include "bus_desktop.hpp"
#include "bus_gate.hpp"
#include "fake_desktop.hpp"
#include "guard_wire.hpp"

namespace gantry::observation {
namespace {

using tests::has;

struct Gated {
  explicit Gated(const Settings& settings = {})
      : gate(kit.host("observation")), observer(desktop, settings, "9.9.9", gate) {
    gate.attach(observer.engine());
    must(kit.host("kernel").bus().serve<KernelPlugins>(
        [this](const Nothing&) -> Result<PluginInfoList> { return plugins; }));
  }
  static void must(const Result<void>& result) { REQUIRE(result.ok()); }

  void serve_guard() {
    Bus& bus = kit.host("guard").bus();
    must(bus.serve<GuardGetRules>([this](const Nothing&) -> Result<GuardRules> {
      GuardRules rules;
      rules.reads_are_free = reads_are_free;
      rules.version = 1;
      rules.replacement = "[REDACTED]";
      rules.max_text = 1000;
      rules.element_name_patterns = {"^Name$"};
      return rules;
    }));
    must(bus.serve<GuardAdmit>([this](const GuardAdmitRequest& request) -> Result<GuardVerdict> {
      asked.push_back(request);
      if (request.vision) return vision_verdict;
      if (request.tool == denied_tool) {
        return GuardVerdict{false, "PermissionDenied", "not this tool", Json("{}")};
      }
      return verdict;
    }));
    must(bus.serve<GuardSettle>([this](const GuardSettleRequest& request) -> Result<GuardBudgets> {
      settled.push_back(request);
      return GuardBudgets();
    }));
  }

  void serve_proposals() {
    must(kit.host("guard").bus().serve<GuardPropose>(
        [](const GuardProposal&) -> Result<GuardPromise> {
          GuardPromise promise;
          promise.confirm_token = "ct:1";
          return promise;
        }));
  }

  ObserverToolResult run(std::string tool, std::string arguments = "{}") {
    ObserverToolRequest request;
    request.tool = std::move(tool);
    request.arguments = Json(std::move(arguments));
    request.caller = "rest:127.0.0.1:5";
    std::optional<ObserverToolResult> out;
    RunningTasks running;
    spawn(
        running, observer.run(make_body<ObserverToolRequest>(std::move(request))),
        [&](ObserverToolResult result) { out = std::move(result); }, [](const auto&) {});
    for (int turn = 0; turn < 100 && !out; ++turn) {
      kit.advance(std::chrono::seconds(1));
      if (!out) desktop.run_next_timer();
    }
    kit.pump();
    REQUIRE(out.has_value());
    return *out;
  }

  testkit::FakeHost kit;
  tests::FakeDesktop desktop;
  BusGate gate;
  Observer observer;
  PluginInfoList plugins;
  Result<GuardVerdict> verdict = GuardVerdict();
  GuardVerdict vision_verdict;
  bool reads_are_free = false;
  std::string denied_tool;
  std::vector<GuardAdmitRequest> asked;
  std::vector<GuardSettleRequest> settled;
};

constexpr const char* kClick = R"({"x":20,"y":50})";

TEST_CASE("without a guard the desktop can be read, and acts are refused with the cure") {
  Gated bench;
  CHECK(bench.run("list_windows").ok);
  const auto act = bench.run("click_at", kClick);
  CHECK(act.error_code == "PermissionDenied");
  CHECK(act.result.text.find(R"("plugin":"guard")") != std::string::npos);
  CHECK(act.result.text.find("enable the plugin guard") != std::string::npos);
  CHECK(bench.desktop.pointer_requests.empty());
  Settings open;
  open.require_guard = false;
  CHECK(Gated(open).run("click_at", kClick).ok);
}

TEST_CASE("a guard that is installed and does not run lets nothing through") {
  Gated bench;
  PluginInfo guard;
  guard.state = "failed";
  guard.provides = {std::string(GuardAdmit::kName)};
  bench.plugins = PluginInfoList{{guard}};
  CHECK(bench.run("list_windows").error_code == "PermissionDenied");
  CHECK(bench.run("get_window_structure").error_code == "PermissionDenied");
  CHECK(bench.run("click_at", kClick).error_code == "PermissionDenied");
  CHECK(bench.run("get_capabilities").ok);
}

TEST_CASE("the state of redaction is told from the guard's rules, however early it is asked for") {
  Gated bench;
  bench.serve_guard();
  const auto first = bench.run("get_redaction_status");
  CHECK(has(first, R"("active":true)"));
  CHECK(has(first, R"("patterns_count":1)"));

  Gated broken;
  PluginInfo guard;
  guard.state = "failed";
  guard.provides = {std::string(GuardAdmit::kName)};
  broken.plugins = PluginInfoList{{guard}};
  const auto told = broken.run("get_redaction_status");
  CHECK(told.ok);
  CHECK(has(told, R"("warning":"the guard could not be asked)"));
}

TEST_CASE("a recording takes only the pictures that its caller could take") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("gantry-gate-" + std::to_string(::getpid()));
  Settings settings;
  settings.tracing.dir = folder.string();
  const auto kinds_with = [&](const char* denied) {
    Gated bench(settings);
    bench.serve_guard();
    bench.denied_tool = denied;
    CHECK(bench.run("trace_start").ok);
    CHECK(bench.run("find_element", R"({"selector":"Window"})").ok);
    CHECK(bench.run("trace_stop").ok);
    std::vector<CaptureTarget> kinds;
    for (const CaptureRequest& request : bench.desktop.capture_requests) {
      kinds.push_back(request.target);
    }
    return kinds;
  };
  CHECK(kinds_with("") == std::vector<CaptureTarget>{CaptureTarget::Screen, CaptureTarget::Window});
  CHECK(kinds_with("get_full_screenshot") == std::vector<CaptureTarget>{CaptureTarget::Window});
  CHECK(kinds_with("get_screenshot") == std::vector<CaptureTarget>{CaptureTarget::Screen});
  std::filesystem::remove_all(folder);
}

TEST_CASE("an error of the guard is a refusal") {
  Gated bench;
  bench.serve_guard();
  bench.verdict = internal_error("broken");
  CHECK(bench.run("list_windows").ok);  // always allowed, once it is known what to hide
  CHECK(bench.run("get_window_structure").error_code == "PermissionDenied");
  CHECK(bench.run("click_at", kClick).error_code == "PermissionDenied");
  CHECK(bench.desktop.pointer_requests.empty());
}

TEST_CASE("an act is judged by name, then on what it was aimed at, unredacted") {
  Gated bench;
  bench.serve_guard();
  CHECK(bench.run("click_at", kClick).ok);
  REQUIRE(bench.asked.size() == 2);
  CHECK(bench.asked[0].stage == GuardStage::Call);
  CHECK(bench.asked[1].stage == GuardStage::Targets);
  REQUIRE(bench.asked[1].targets.size() == 1);
  CHECK(bench.asked[1].targets[0].name == "Name");  // clients see [REDACTED]
  CHECK(bench.asked[1].targets[0].role == "Edit");
  CHECK(bench.asked[1].session == "rest:127.0.0.1");
  REQUIRE(bench.settled.size() == 1);
  CHECK(bench.settled[0].ok);
  CHECK(bench.settled[0].call == bench.asked[0].call);
}

TEST_CASE("the guard gets names as people see them") {
  Gated bench;
  bench.serve_guard();
  bench.desktop.a11y_tree->nodes[2].name = "De\u200Blete\u202E";
  bench.desktop.window_list->windows.back().title = "M\u00ADain";
  CHECK(bench.run("click_at", kClick).ok);
  REQUIRE(bench.asked.size() == 2);
  CHECK(bench.asked[1].targets.front().name == "Delete");
  CHECK(bench.asked[1].targets.front().window_title == "Main");
}

TEST_CASE("reads that no rule concerns are not asked about, acts and pictures always are") {
  Gated bench;
  bench.reads_are_free = true;
  bench.serve_guard();
  CHECK(bench.run("get_window_structure").ok);
  CHECK(bench.asked.empty());
  CHECK(bench.settled.empty());
  CHECK(bench.run("click_at", kClick).ok);
  CHECK(bench.asked.size() == 2);
  (void)bench.run("get_screenshot");
  CHECK(bench.asked.size() == 3);
  CHECK(bench.settled.size() == 2);

  Gated strict;
  strict.serve_guard();
  CHECK(strict.run("get_window_structure").ok);
  CHECK(strict.asked.size() == 1);
  CHECK(strict.settled.size() == 1);
}

Settings with_vlm() {
  Settings settings;
  settings.vlm.enabled = true;
  return settings;
}

TEST_CASE(
    "a description asks before it shows a picture to a model, and is charged with its tokens") {
  Gated bench(with_vlm());
  bench.desktop.with_vision({"a form", "eye-1", false, 42});
  bench.reads_are_free = GENERATE(false, true);
  bench.serve_guard();
  CHECK(bench.run("get_screen_description").ok);
  REQUIRE_FALSE(bench.asked.empty());
  CHECK(bench.asked.back().vision);
  CHECK(bench.asked.back().tool == "get_screen_description");
  CHECK(bench.asked.back().call.empty());  // the call itself is settled, once
  REQUIRE(bench.settled.size() == 1);
  CHECK(bench.settled[0].vlm_tokens == 42);
  CHECK(bench.settled[0].ok);
  CHECK(bench.settled[0].screenshots == 0);
}

TEST_CASE("a budget of tokens that is used up costs a description its section only") {
  Gated bench(with_vlm());
  bench.desktop.with_vision({"a form", "eye-1", false, 42});
  bench.serve_guard();
  bench.vision_verdict = {false, "BudgetExceeded", "max_vlm_tokens reached", Json("{}")};
  const auto result = bench.run("get_screen_description");
  CHECK(result.ok);
  CHECK(tests::has(result, R"("vlm":"[Vision model failed: max_vlm_tokens reached]")"));
  CHECK(tests::has(result, R"("vlm_error_code":"BudgetExceeded")"));
  CHECK(tests::has(result, "Application : app"));
  CHECK(bench.desktop.describe_requests.empty());
  REQUIRE(bench.settled.size() == 1);
  CHECK(bench.settled[0].vlm_tokens == 0);
}

TEST_CASE("a description without a vision model asks for none") {
  Gated bench;
  bench.desktop.with_vision({"a form", "eye-1", false, 42});
  bench.serve_guard();
  CHECK(bench.run("get_screen_description").ok);
  CHECK(bench.asked.size() == 1);
  CHECK(bench.desktop.describe_requests.empty());
}

TEST_CASE("an act ends although its caller cannot end it") {
  testkit::FakeHost kit;
  std::optional<CallInfo> heard;
  REQUIRE(kit.host("input")
              .bus()
              .serve<TextInput>(
                  [&](const Ref<TextRequest>&, const CallInfo& info, Reply<TextInput> reply) {
                    heard = info;
                    reply(InputReceipt());
                  })
              .ok());
  BusDesktop desktop(kit.host("observation"));
  bool done = false;
  RunningTasks running;
  spawn(
      running, desktop.type(TextRequest()), [&](const Answer<InputReceipt>&) { done = true; },
      [](const auto&) {});
  kit.pump();
  REQUIRE(done);
  // A drag may take 30 s.
  const std::int64_t left = heard->deadline.at_ns - kit.host("input").monotonic_ns();
  CHECK(left > 31'000'000'000);
  CHECK(left <= 60'000'000'000);
}

TEST_CASE("refusals and names that are no tools are settled too") {
  Gated bench;
  bench.serve_guard();
  bench.verdict =
      GuardVerdict{false, "BudgetExceeded", "max_actions reached", Json("{\"used\":1}")};
  const auto refused = bench.run("click_at", kClick);
  CHECK(refused.error_code == "BudgetExceeded");
  CHECK(refused.result.text.find(R"("context":{"used":1})") != std::string::npos);
  (void)bench.run("no_such_tool");
  (void)bench.run("list_windows", "[broken");
  REQUIRE(bench.settled.size() == 3);
  CHECK(bench.settled[0].error_code == "BudgetExceeded");
  CHECK(bench.settled[1].kind == GuardKind::Unknown);
  CHECK(bench.settled[2].arguments.text == "{}");
}

TEST_CASE("the audit learns whether what was typed is a secret") {
  const auto secret = [](std::string_view tool, const char* arguments, bool password) {
    Gated bench;
    bench.serve_guard();
    bench.desktop.a11y_tree->nodes[2].name = "Field";
    bench.desktop.a11y_tree->nodes[2].password = password;
    (void)bench.run(std::string(tool), arguments);
    REQUIRE(bench.settled.size() == 1);
    return bench.settled[0].secret;
  };
  constexpr const char* kSet = R"({"selector":"Edit","value":"x"})";
  CHECK(secret("set_value", kSet, true));
  CHECK_FALSE(secret("set_value", kSet, false));
  CHECK(secret("press_key", R"({"keys":"a"})", true));
  CHECK_FALSE(secret("press_key", R"({"keys":"a"})", false));
  CHECK(secret("type_and_observe", R"({"text":"a"})", true));
  // Who knows where it would have gone?
  CHECK(secret("set_value", R"({"selector":"Nope","value":"x"})", false));
  CHECK_FALSE(secret("get_window_structure", "{}", true));
}

TEST_CASE("a value by which a password field was looked for is settled with no call") {
  const auto settled = [](std::string_view tool, const std::string& arguments, bool password) {
    Gated bench;
    bench.serve_guard();
    bench.desktop.a11y_tree->nodes[2].name = "Field";
    bench.desktop.a11y_tree->nodes[2].password = password;
    bench.desktop.a11y_tree->nodes[2].value = "s3";
    (void)bench.run(std::string(tool), arguments);
    REQUIRE(bench.settled.size() == 1);
    return bench.settled[0].arguments.text;
  };
  const std::string selector = R"("selector":"//Edit[value=\"s3\"]")";
  const std::string one = "{" + selector + "}";
  const std::string wait = R"({"timeout_ms":0,"any_of":[{"type":"element_appears",)" + selector +
                           R"(},{"type":"element_disappears",)" + selector + "}]}";
  const std::string judge = R"({"predicates":[{"kind":"element_absent",)" + selector + "}]}";
  for (const auto& [tool, arguments] : std::initializer_list<std::pair<const char*, std::string>>{
           {"find_element", one},
           {"click_element", one},
           {"get_ocr", one},
           {"click_element", R"({"element_id":"root.1",)" + selector + "}"},
           {"wait_for", wait},
           {"assert_state", judge}}) {
    INFO(tool << ' ' << arguments);
    const std::string secret = settled(tool, arguments, true);
    CHECK(secret.find("s3") == std::string::npos);
    CHECK(secret.find("<redacted>") != std::string::npos);
    const bool either = arguments.find("element_id") != std::string::npos;
    const std::string open = settled(tool, arguments, false);
    if (tool != std::string("get_ocr") && !either) CHECK(open.find("s3") != std::string::npos);
  }
  CHECK(settled("find_element", R"({"_note":"s3","selector":"Button"})", true).find("s3") ==
        std::string::npos);
}

TEST_CASE("a value that was asked of nothing, or could not be told, is settled with no call") {
  const auto settled = [](std::string_view tool, const std::string& arguments) {
    Gated bench;
    bench.serve_guard();
    bench.desktop.a11y_tree->nodes[2].name = "Field";
    bench.desktop.a11y_tree->nodes[2].value = std::string(40, 'a') + "!";
    (void)bench.run(std::string(tool), arguments);
    REQUIRE(bench.settled.size() == 1);
    return bench.settled[0].arguments.text;
  };
  const auto wait = [&](const std::string& selector) {
    return settled("wait_for", R"({"timeout_ms":400,"poll_ms":100,"any_of":[)"
                               R"({"type":"element_appears","selector":")" +
                                   selector + R"("}]})");
  };
  const auto judge = [&](const std::string& selector) {
    return settled("assert_state", R"({"predicates":[{"kind":"element_absent","selector":")" +
                                       selector + R"("}]})");
  };
  const std::string misspelt = R"(//Edit[name=\"Feild\"][value=\"s3cret\"])";
  for (const std::string& recorded : {wait(misspelt), judge(misspelt)}) {
    CHECK(recorded.find("s3cret") == std::string::npos);
    CHECK(recorded.find("Feild") != std::string::npos);
  }
  const std::string expensive = R"(//Edit[value~=\"(a+)+$\"])";
  for (const std::string& recorded : {wait(expensive), judge(expensive)}) {
    CHECK(recorded.find("(a+)+$") == std::string::npos);
  }
  const std::string other = R"(//Edit[name=\"Field\"][value=\"Ann\"])";
  for (const std::string& recorded : {wait(other), judge(other)}) {
    CHECK(recorded.find("Ann") != std::string::npos);
  }
}

TEST_CASE("a proposal says that its target is a password field, whatever it is called") {
  const auto proposed = [](std::string_view action, const char* args, bool password) {
    Gated bench;
    bench.serve_guard();
    bench.serve_proposals();
    bench.desktop.a11y_tree->nodes[2].name = "Field";
    bench.desktop.a11y_tree->nodes[2].password = password;
    const auto result = bench.run("propose_action", R"({"action":")" + std::string(action) +
                                                        R"(","args":)" + std::string(args) + "}");
    INFO(result.result.text);
    CHECK(result.ok);
    return has(result, R"("secret":true)");
  };
  constexpr const char* kSet = R"({"selector":"Edit","value":"x"})";
  constexpr const char* kKeys = R"({"selector":"Edit","keys":"a"})";
  CHECK(proposed("set_value", kSet, true));
  CHECK(proposed("key_into_element", kKeys, true));
  CHECK(proposed("press_key", R"({"keys":"a"})", true));  // it has the focus
  CHECK_FALSE(proposed("set_value", kSet, false));
  CHECK_FALSE(proposed("key_into_element", kKeys, false));
}

TEST_CASE("the audit gets no text of a replay's secrets, nor of what is no tool") {
  Gated bench;
  bench.serve_guard();
  (void)bench.run("replay_start", R"({"path":"p","secrets":{"1":"hunter2"},"secerts":"hunter2"})");
  (void)bench.run("set_valeu", R"({"selector":"Edit","valeu":"hunter2"})");
  REQUIRE(bench.settled.size() == 2);
  CHECK(bench.settled[0].secret);  // the guard leaves out `secrets` by its name
  CHECK(bench.settled[0].arguments.text.find(R"("<ignored>":1)") != std::string::npos);
  CHECK(bench.settled[1].secret);
  CHECK(bench.settled[1].arguments.text.find("hunter2") == std::string::npos);
}

TEST_CASE("a tool that does what a denied one does is denied with it") {
  const auto covers = [](const char* denied, const char* other) {
    const std::vector<std::string> needs = needed_tools(*find_tool(other));
    return std::find(needs.begin(), needs.end(), denied) != needs.end();
  };
  for (const char* other : {"invoke_element", "click_at", "double_click_at", "right_click_element",
                            "select_option", "click_element_and_observe", "drag"}) {
    INFO(other);
    CHECK(covers("click_element", other));
  }
  CHECK(covers("invoke_element", "click_element"));
  CHECK(covers("invoke_element", "drag"));
  CHECK(covers("click_at", "drag"));
  CHECK(covers("invoke_element", "click_element_and_observe"));
  CHECK(covers("set_value", "type_and_observe"));
  CHECK(covers("type_text", "set_value"));
  CHECK(covers("press_key", "key_into_element"));
  CHECK(covers("hover_element", "hover_at"));
  // Whoever may not use coordinates may still name elements, and is judged on them.
  CHECK_FALSE(covers("click_at", "click_element"));
  CHECK_FALSE(covers("press_key", "type_text"));
  for (const Tool& tool : all_tools())
    CHECK_FALSE(covers(std::string(tool.name).c_str(), std::string(tool.name).c_str()));
}

TEST_CASE("what a tool needs, and what binds a confirmation") {
  const Tool* composite = find_tool("click_element_and_observe");
  REQUIRE(composite != nullptr);
  CHECK(needed_tools(*composite) ==
        std::vector<std::string>{"click_element", "observe_window", "invoke_element"});
  CHECK(session_of("rest:127.0.0.1:33141") == "rest:127.0.0.1");
  CHECK(session_of("rest:[::1]:33141") == "rest:[::1]");
  CHECK(session_of("mcp") == "mcp");
  const auto digest = [](const char* json) { return arguments_digest(*Arguments::parse(json)); };
  CHECK(digest(R"({"value":"x","selector":"a"})") ==
        digest(R"({"element_id":"b","value":"x","confirm_token":"c","dry_run":true})"));
  CHECK(digest(R"({"value":"x"})") != digest(R"({"value":"y"})"));
  CHECK(digest(R"({"count":1})") != digest(R"({"count":2})"));
}

}  // namespace
}  // namespace gantry::observation
