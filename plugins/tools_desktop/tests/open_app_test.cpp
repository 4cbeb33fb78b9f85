// SPDX-License-Identifier: Apache-2.0
// open_app and the clipboard: what this plugin does itself, with the guard's consent.
#include <catch2/catch.hpp>
#include <gantry/contracts/window.hpp>
#include <gantry/llm/json.hpp>

#include "world.hpp"

using namespace gantry;
using namespace gantry::desk::tests;
using namespace std::chrono_literals;

namespace {

AppInfo application(const std::string& id, const std::string& name, const std::string& program) {
  AppInfo out;
  out.id = id;
  out.name = out.plain_name = name;
  out.program = program;
  return out;
}

const FakeWindow kOld{"w:1", "Terminal", "xterm", 5, true};
const FakeWindow kPad{"w:2", "Untitled - Mousepad", "mousepad", 70, true};

/// A desktop with two applications, on which windows appear as the test says.
struct Apps : World {
  explicit Apps(const std::string& config = R"({"callers":["*"],"open_app":{"wait":3000}})")
      : World(config) {
    apps.apps = {application("org.xfce.mousepad", "Mousepad", "mousepad"),
                 application("xterm", "XTerm", "xterm")};
    observer = [this](const ObserverToolRequest& request) -> std::optional<std::string> {
      if (request.tool == "list_windows") return windows_answer(windows);
      return R"({"ok":true,"effect":"confirmed"})";
    };
  }
  std::vector<FakeWindow> windows{kOld};
  [[nodiscard]] std::string looked_for() const {
    std::string out;
    for (const ObserverToolRequest& request : requests) {
      if (request.tool != "list_windows") out += request.tool + ' ';
    }
    return out;
  }
};

}  // namespace

TEST_CASE("a window of the new process is what is waited for") {
  Apps world;
  world.begin("open_app", R"({"command":"mousepad"})");
  REQUIRE(world.launches.size() == 1);
  CHECK(world.launches.front().id == "org.xfce.mousepad");
  CHECK_FALSE(world.finished());
  world.windows.push_back(kPad);
  world.kit.advance(300ms);
  CHECK(has(world.text(), R"("application":"Mousepad")"));
  CHECK(has(world.text(), R"("effect":"confirmed","route":"launch:/usr/bin/mousepad")"));
  CHECK(has(world.text(), "of mousepad (process 70) opened"));
  CHECK(has(world.text(), R"("focused":true)"));
  CHECK(world.looked_for() == "wait_idle ");
}

TEST_CASE("it is awaited through the desktop's own news, without a poll") {
  Apps world;
  world.begin("open_app", R"({"command":"mousepad"})");
  world.windows.push_back(kPad);
  world.kit.host().bus().publish<WindowChanged>({WindowChange::Opened, "2", 1});
  world.kit.pump();
  CHECK(world.finished());
}

TEST_CASE("a window that does not take the keyboard is brought to the front") {
  Apps world;
  world.launch = [&](const LaunchAppRequest&) -> Result<LaunchedApp> {
    world.windows.push_back({"w:2", "Pad", "mousepad", 70, false});
    return LaunchedApp{70, "/usr/bin/mousepad", {}};
  };
  const ObserverAnswer before = world.observer;
  world.observer = [&](const ObserverToolRequest& request) {
    if (request.tool == "bring_to_foreground") world.windows.back().focused = true;
    return before(request);
  };
  (void)world.run("open_app", R"({"command":"mousepad"})");
  CHECK(world.looked_for() == "bring_to_foreground wait_idle ");
  CHECK(has(world.text(), R"("focused":true)"));
}

TEST_CASE("a splash that goes again is not the window that was waited for") {
  Apps world;
  world.begin("open_app", R"({"command":"mousepad"})");
  world.windows.push_back({"w:7", "Loading", "mousepad", 70, false});
  world.kit.advance(300ms);
  world.windows.pop_back();
  world.kit.advance(300ms);
  CHECK_FALSE(world.finished());
  world.windows.push_back(kPad);
  world.kit.advance(300ms);
  CHECK(has(world.text(), "window 'Untitled - Mousepad'"));
  CHECK_FALSE(has(world.text(), "Loading"));
}

TEST_CASE("without a window it says what it saw, and claims nothing") {
  Apps world;
  const auto result = world.run("open_app", R"({"command":"mousepad"})");
  REQUIRE(result);
  CHECK_FALSE(result->is_error);
  CHECK(has(world.text(), R"("effect":"unverified")"));
  CHECK(has(world.text(), "no window of it was seen yet"));
  world.launch = [&](const LaunchAppRequest&) -> Result<LaunchedApp> {
    world.windows.push_back({"w:9", "Mail", "mail", 9, false});
    return LaunchedApp{71, "/usr/bin/mousepad", {}};
  };
  (void)world.run("open_app", R"({"command":"mousepad","wait_seconds":1})");
  CHECK(has(world.text(), "meanwhile opened window 'Mail' of mail"));
}

TEST_CASE("a program that breaks is a failure with its status") {
  Apps world;
  world.begin("open_app", R"({"command":"mousepad"})");
  AppEndedEvent end;
  end.pid = 70;
  end.exit_code = 1;
  world.kit.host().bus().publish<AppEnded>(end);
  world.kit.pump();
  REQUIRE(world.finished());
  CHECK(world.finished()->is_error);
  CHECK(has(world.text(), "ended with status 1 before any window"));
  REQUIRE(world.settles.size() == 1);
  CHECK_FALSE(world.settles.front().ok);
}

TEST_CASE("a program that hands over to an instance is there when that is in front") {
  Apps world;
  world.windows = {{"w:2", "Notes", "mousepad", 40, true}};
  world.begin("open_app", R"({"command":"mousepad"})");
  CHECK_FALSE(world.finished());
  AppEndedEvent end;
  end.pid = 70;
  end.exit_code = 0;
  world.kit.host().bus().publish<AppEnded>(end);
  world.kit.pump();
  CHECK(has(world.text(), "was there already"));
  CHECK(has(world.text(), R"("effect":"confirmed")"));
}

TEST_CASE("what may be meant is named, and nothing is started") {
  Apps world;
  world.apps.apps.push_back(application("xterm-2", "XTerm two", "xterm2"));
  const auto result = world.run("open_app", R"({"command":"xter"})");
  REQUIRE(result);
  CHECK(result->is_error);
  CHECK(has(world.text(), "AmbiguousApp"));
  CHECK(has(world.text(), "XTerm (xterm), XTerm two (xterm-2)"));
  (void)world.run("open_app", R"({"command":"mousepad /etc/passwd"})");
  CHECK(has(world.text(), "AppNotFound"));
  CHECK(has(world.text(), "without arguments"));
  CHECK(world.launches.empty());
  CHECK(world.admits.empty());
}

TEST_CASE("executables that no entry names are started only where that is allowed") {
  Apps world;
  world.apps.program_path = "/usr/bin/xeyes";
  world.begin("open_app", R"({"command":"xeyes"})");
  REQUIRE(world.launches.size() == 1);
  CHECK(world.launches.front().program == "xeyes");
  REQUIRE(world.admits.size() == 2);
  CHECK(world.admits[1].targets.at(0).element_id == "program:xeyes");
  world.give_up();
  Apps strict(R"({"callers":["*"],"open_app":{"programs":false}})");
  strict.apps.program_path = "/usr/bin/xeyes";
  (void)strict.run("open_app", R"({"command":"xeyes"})");
  CHECK(has(strict.text(), "AppNotFound"));
}

TEST_CASE("the guard is asked by name and about the application, and is told what came of it") {
  Apps world;
  world.launch = [&](const LaunchAppRequest&) -> Result<LaunchedApp> {
    world.windows.push_back(kPad);
    return LaunchedApp{70, "/usr/bin/mousepad", {}};
  };
  (void)world.run("open_app", R"({"command":"mousepad"})");
  REQUIRE(world.admits.size() == 2);
  CHECK(world.admits[0].stage == GuardStage::Call);
  CHECK(world.admits[0].tool == "open_app");
  CHECK(world.admits[0].kind == GuardKind::Act);
  CHECK(world.admits[0].caller == "test:1");
  CHECK(world.admits[1].stage == GuardStage::Targets);
  CHECK(world.admits[1].targets.at(0).role == "Application");
  CHECK(world.admits[1].targets.at(0).name == "Mousepad");
  CHECK(world.admits[1].targets.at(0).element_id == "org.xfce.mousepad");
  REQUIRE(world.settles.size() == 1);
  CHECK(world.settles[0].call == world.admits[0].call);
  CHECK(world.settles[0].ok);
  CHECK(has(world.settles[0].arguments.text, "org.xfce.mousepad"));
}

TEST_CASE("what the guard forbids does not happen, at either stage") {
  for (const GuardStage stage : {GuardStage::Call, GuardStage::Targets}) {
    Apps world;
    world.guard = [stage](const GuardAdmitRequest& request) {
      GuardVerdict verdict;
      if (request.stage == stage) verdict = {false, "PermissionDenied", "it is denied", Json("{}")};
      return verdict;
    };
    const auto result = world.run("open_app", R"({"command":"mousepad"})");
    REQUIRE(result);
    CHECK(result->is_error);
    CHECK(has(world.text(), R"("code":"PermissionDenied","message":"it is denied")"));
    CHECK(world.launches.empty());
    CHECK(world.requests.empty());
    REQUIRE(world.settles.size() == 1);
    CHECK(world.settles[0].error_code == "PermissionDenied");
  }
}

TEST_CASE("a confirmation is asked of the user and bound to the application") {
  Apps world;
  world.guard = [](const GuardAdmitRequest& request) {
    GuardVerdict verdict;
    const bool targets = request.stage == GuardStage::Targets;
    if (targets && request.confirm_token.empty()) {
      verdict = {false, "ConfirmationRequired", "it needs a confirmation", Json("{}")};
    }
    return verdict;
  };
  (void)world.run("open_app", R"({"command":"mousepad"})");
  CHECK(has(world.text(), "ConfirmationDeclined"));
  world.client.elicit_form = true;
  world.admits.clear();
  world.begin("open_app", R"({"command":"mousepad"})");
  REQUIRE(world.stream->all().size() == 1);
  const Ask ask = world.stream->all().front().asks.at(0);
  CHECK(has(ask.message, "open_app on Application 'Mousepad'"));
  (void)world.stream->stream().send(
      {ask.id, Json(R"({"action":"accept","content":{"allow":true}})"), {}});
  world.kit.pump();
  CHECK(world.launches.size() == 1);
  REQUIRE(world.admits.size() == 3);
  CHECK(world.admits[2].confirm_token == "ct:0123456789abcdef");
  CHECK(world.admits[2].arguments_digest == world.admits[1].arguments_digest);
  world.give_up();
}

TEST_CASE("giving up while the window is awaited ends the wait, and the guard hears of it") {
  Apps world;
  world.begin("open_app", R"({"command":"mousepad"})");
  world.give_up();
  world.kit.pump();
  const std::size_t asked = world.requests.size();
  world.kit.advance(10s);
  CHECK(world.requests.size() == asked);
  CHECK(world.settles.size() == 1);
}

TEST_CASE("the clipboard is read without what the guard hides, and cut at its limit") {
  World world(R"({"callers":["*"],"clipboard":{"max_bytes":1000}})");
  world.clipboard = ClipboardContent{"my card is 4111-1111", {}};
  (void)world.run("read_clipboard", "{}");
  CHECK(world.text() == R"({"ok":true,"action":"read_clipboard","text":"my card is 4111-1111"})");
  world.rules.ocr_text_patterns = {R"(\d{4}-\d{4})"};
  world.rules.replacement = "[HIDDEN]";
  (void)world.run("read_clipboard", "{}");
  CHECK(has(world.text(), "my card is [HIDDEN]"));
  std::string umlauts;
  for (int i = 0; i < 600; ++i) umlauts += "\xC3\xBC";
  world.clipboard = ClipboardContent{"x" + umlauts, {}};
  (void)world.run("read_clipboard", "{}");
  CHECK(has(world.text(), R"("truncated":true,"bytes":1201)"));
  CHECK(llm::parse_or_null(world.text()).at("text").as_string().size() == 999);
  world.clipboard = not_found("it is empty");
  (void)world.run("read_clipboard", "{}");
  CHECK(has(world.text(), "it is empty"));
  REQUIRE(world.admits.size() == 4);
  CHECK(world.admits[0].kind == GuardKind::Read);
  CHECK(world.settles.size() == 4);
}

TEST_CASE("nobody reads the clipboard while the guard is away, unless there is none") {
  World world;
  world.guard_away = true;
  PluginInfo guard;
  guard.name = "guard";
  guard.state = "failed";
  guard.provides = {"gantry.guard.admit/1"};
  SECTION("there is one") {
    world.plugins.plugins = {guard};
    (void)world.run("read_clipboard", "{}");
    CHECK(has(world.text(), "PermissionDenied"));
    CHECK(has(world.text(), "the guard could not be asked"));
    CHECK_FALSE(has(world.text(), "copied"));
  }
  SECTION("it goes between two questions") {
    world.plugins.plugins = {guard};
    world.guard_away = false;
    world.guard = [&](const auto&) {
      world.guard_away = true;
      return GuardVerdict{};
    };
    (void)world.run("read_clipboard", "{}");
    CHECK(has(world.text(), "PermissionDenied"));
    CHECK_FALSE(has(world.text(), "copied"));
  }
  SECTION("none is switched on") {
    guard.state = "disabled";
    world.plugins.plugins = {guard};
    (void)world.run("read_clipboard", "{}");
    CHECK(has(world.text(), "copied"));
  }
}

TEST_CASE("the clipboard is written with the guard's leave and read back") {
  World world;
  (void)world.run("write_clipboard", R"({"text":"new"})");
  CHECK(has(world.text(), R"("effect":"confirmed")"));
  CHECK(world.clipboard->text == "new");
  CHECK(world.admits.size() == 2);
  world.guard = [](const GuardAdmitRequest&) {
    return GuardVerdict{false, "PermissionDenied", "no", Json("{}")};
  };
  (void)world.run("write_clipboard", R"({"text":"other"})");
  CHECK(world.finished()->is_error);
  CHECK(world.clipboard->text == "new");
  world.requests.clear();
  (void)world.run("keyboard_control", R"({"action":"paste","text":"other"})");
  CHECK(world.finished()->is_error);
  CHECK(world.requests.empty());
}
