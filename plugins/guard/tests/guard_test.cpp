// SPDX-License-Identifier: Apache-2.0
#include "guard.hpp"

#include <catch2/catch.hpp>

namespace gantry::guard {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Bench {
  explicit Bench(const Settings& settings = {}) { REQUIRE(guard.configure(settings).ok()); }

  GuardVerdict call(std::string tool, GuardKind kind = GuardKind::Read,
                    std::vector<std::string> needs = {}, std::string id = "1") {
    GuardAdmitRequest request;
    request.call = std::move(id);
    request.tool = std::move(tool);
    request.kind = kind;
    request.needs = std::move(needs);
    return guard.admit(request, {now, now});
  }
  void settle(GuardKind kind, bool ok = true, std::string id = "1") {
    GuardSettleRequest request;
    request.call = std::move(id);
    request.kind = kind;
    request.ok = ok;
    request.screenshots = kind == GuardKind::Picture && ok ? 1 : 0;
    (void)guard.settle(request, {now, now});
  }
  GuardAdmitRequest act(std::string token = {}) const {
    GuardAdmitRequest request;
    request.stage = GuardStage::Targets;
    request.tool = "click_element";
    request.kind = GuardKind::Act;
    request.session = "rest:127.0.0.1";
    request.arguments_digest = "sha256:1";
    request.confirm_token = std::move(token);
    request.targets = {button("Delete all")};
    return request;
  }
  static GuardedTarget button(std::string name) {
    return {"w:1",    "Files",         "root.1",         "Button[index=1]",
            "Button", std::move(name), {10, 10, 50, 20}, false};
  }
  std::string token() {
    const GuardAdmitRequest request = act();
    const auto promise = guard.propose(
        {request.tool, {}, request.session, request.targets, request.arguments_digest}, {now, now});
    REQUIRE(promise.ok());
    return promise->confirm_token;
  }
  GuardVerdict admit(const GuardAdmitRequest& request) { return guard.admit(request, {now, now}); }

  Guard guard{0};
  std::int64_t now = 0;
};

TEST_CASE("deny wins, also over tools that need what is denied") {
  Settings settings;
  settings.actions.deny = {"click_element", "list_windows", "get_capabilities"};
  settings.actions.allow = {"click_element"};
  Bench bench(settings);
  CHECK(bench.call("click_element", GuardKind::Act).message ==
        "tool 'click_element' is in actions.deny");
  CHECK(bench.call("right_click_element", GuardKind::Act, {"click_element"}).code ==
        "PermissionDenied");
  CHECK(bench.call("set_value", GuardKind::Act).allowed);
  // Without these nobody could find out what is allowed.
  CHECK(bench.call("list_windows").allowed);
  CHECK(bench.call("get_capabilities", GuardKind::About).allowed);
}

TEST_CASE("a default of deny leaves the allow list") {
  Settings settings;
  settings.actions.deny_by_default = true;
  Bench none(settings);
  CHECK(none.call("find_element").message ==
        "actions.default is 'deny' and no allowlist matches 'find_element'");
  settings.actions.allow = {"find_element"};
  Bench bench(settings);
  CHECK(bench.call("find_element").allowed);
  CHECK(bench.call("get_screenshot").message == "tool 'get_screenshot' is not in actions.allow");
}

TEST_CASE("zero is a real limit, none is none") {
  Settings settings;
  Bench open(settings);
  CHECK(open.call("click_at", GuardKind::Act).allowed);
  CHECK_FALSE(open.guard.status({}).budgets.configured);
  settings.budgets.max_actions = 0;
  settings.budgets.max_screenshots = 0;
  Bench bench(settings);
  CHECK(bench.call("click_at", GuardKind::Act).message == "max_actions reached");
  CHECK(bench.call("get_screenshot", GuardKind::Picture).code == "BudgetExceeded");
  CHECK(bench.call("find_element").allowed);
  CHECK(bench.guard.status({}).budgets.configured);
}

TEST_CASE("what is only asked about holds no place") {
  Settings settings;
  settings.budgets.max_screenshots = 1;
  Bench bench(settings);
  CHECK(bench.call("get_screenshot", GuardKind::Picture, {}, "").allowed);
  CHECK(bench.call("get_screenshot", GuardKind::Picture, {}, "7").allowed);
  CHECK(bench.call("get_screenshot", GuardKind::Picture, {}, "").code == "BudgetExceeded");
}

TEST_CASE("acts that succeed are counted, and calls side by side cannot overdraw") {
  Settings settings;
  settings.budgets.max_actions = 2;
  Bench bench(settings);
  CHECK(bench.call("click_at", GuardKind::Act, {}, "1").allowed);
  CHECK(bench.call("click_at", GuardKind::Act, {}, "2").allowed);
  CHECK_FALSE(bench.call("click_at", GuardKind::Act, {}, "3").allowed);  // both may succeed
  bench.settle(GuardKind::Act, false, "1");
  CHECK(bench.call("click_at", GuardKind::Act, {}, "4").allowed);
  bench.settle(GuardKind::Act, true, "2");
  bench.settle(GuardKind::Act, true, "4");
  const GuardVerdict over = bench.call("click_at", GuardKind::Act, {}, "5");
  CHECK(over.code == "BudgetExceeded");
  CHECK(over.context.text == R"({"used":2})");
}

TEST_CASE("what is chosen inside of a confirmed target is confirmed with it") {
  Settings settings;
  settings.confirmation_required = {{"(?i)delete", "", ""}};
  settings.actions.deny_targets = {{"^Never$", "", ""}};
  Bench bench(settings);
  const auto with_option = [&](GuardAdmitRequest request, std::string option) {
    request.targets.push_back(Bench::button(std::move(option)));
    request.targets.back().part = true;
    return request;
  };
  GuardAdmitRequest request = bench.act();
  request.call = "6";
  request.targets = {Bench::button("Action")};
  CHECK(bench.admit(request).allowed);
  CHECK(bench.admit(with_option(request, "Keep")).allowed);
  CHECK(bench.admit(with_option(request, "Delete all")).code == "ConfirmationRequired");
  CHECK(bench.admit(with_option(request, "Never")).code == "PermissionDenied");

  // The token is for the list: what it opens up is not known when it is proposed.
  const auto promise = bench.guard.propose(
      {request.tool, {}, request.session, request.targets, request.arguments_digest}, {});
  request.confirm_token = promise->confirm_token;
  CHECK(bench.admit(with_option(request, "Delete all")).allowed);
  CHECK(bench.admit(with_option(request, "Delete all")).allowed);  // the same call goes on
  bench.settle(GuardKind::Act, true, request.call);
  CHECK(bench.admit(with_option(request, "Delete all")).code == "ConfirmationInvalid");

  // The list is confirmed itself, and the option right after it in the same call.
  GuardAdmitRequest both = bench.act(bench.token());
  both.call = "7";
  CHECK(bench.admit(both).allowed);
  CHECK(bench.admit(with_option(both, "Delete this")).allowed);
  both.targets = {Bench::button("Delete that")};
  CHECK_FALSE(bench.admit(both).allowed);
}

TEST_CASE("the rate is that of any 60 seconds") {
  Settings settings;
  settings.budgets.actions_per_minute = 1;
  Bench bench(settings);
  CHECK(bench.call("click_at", GuardKind::Act).allowed);
  bench.settle(GuardKind::Act);
  const GuardVerdict over = bench.call("click_at", GuardKind::Act);
  CHECK(over.code == "RateLimited");
  CHECK(over.context.text == R"({"window":1})");
  bench.now = 60 * kSecond;
  CHECK(bench.call("click_at", GuardKind::Act).allowed);
}

TEST_CASE("after the session only what tells of the daemon answers") {
  Settings settings;
  settings.budgets.max_session_seconds = 5;
  Bench bench(settings);
  CHECK(bench.call("find_element").allowed);
  bench.now = 5 * kSecond;
  CHECK(bench.call("find_element").message == "max_session_seconds reached");
  CHECK(bench.call("get_budget_status", GuardKind::About).allowed);
}

TEST_CASE("reads are free only while no rule, session limit or audit concerns them") {
  CHECK(Bench().guard.rules().reads_are_free);
  const auto concerned = [](auto change) {
    Settings settings;
    change(settings);
    return !Bench(settings).guard.rules().reads_are_free;
  };
  CHECK(concerned([](Settings& s) { s.actions.deny = {"observe_window"}; }));
  CHECK(concerned([](Settings& s) { s.actions.allow = {"click_element"}; }));
  CHECK(concerned([](Settings& s) { s.actions.deny_by_default = true; }));
  CHECK(concerned([](Settings& s) { s.budgets.max_session_seconds = 0; }));
  CHECK(concerned([](Settings& s) { s.audit.enabled = true; }));
}

TEST_CASE("limits may change while calls were counted") {
  Bench bench;
  CHECK(bench.call("click_at", GuardKind::Act).allowed);
  bench.settle(GuardKind::Act);
  Settings settings;
  settings.budgets.max_actions = 1;
  REQUIRE(bench.guard.configure(settings).ok());
  CHECK_FALSE(bench.call("click_at", GuardKind::Act).allowed);
}

Settings with_confirmation(TargetRule rule) {
  Settings settings;
  settings.confirmation_required = {std::move(rule)};
  return settings;
}

TEST_CASE("rules judge what was resolved, not how it was named") {
  Bench bench(with_confirmation({"(?i)delete", "", ""}));
  const GuardVerdict verdict = bench.admit(bench.act());  // named Button[index=1]
  CHECK(verdict.code == "ConfirmationRequired");
  CHECK(verdict.message.find("Delete all") == std::string::npos);
  GuardAdmitRequest other = bench.act();
  other.targets = {Bench::button("Open")};
  CHECK(bench.admit(other).allowed);
  other.targets.push_back(Bench::button("Delete all"));  // the other end of a drag
  CHECK_FALSE(bench.admit(other).allowed);
}

TEST_CASE("every pattern of a rule must fit") {
  Bench bench(with_confirmation({"(?i)delete", "button", "^Trash$"}));
  CHECK(bench.admit(bench.act()).allowed);
  GuardAdmitRequest request = bench.act();
  request.targets[0].window_title = "Trash";
  CHECK_FALSE(bench.admit(request).allowed);
  request.targets[0].role = "Text";
  CHECK(bench.admit(request).allowed);
}

TEST_CASE("a token is good once, for exactly what was proposed") {
  Bench bench(with_confirmation({"(?i)delete", "", ""}));
  const std::string token = bench.token();
  CHECK(token.size() == 19);
  CHECK(token.starts_with("ct:"));
  CHECK(bench.admit(bench.act(token)).allowed);
  CHECK(bench.admit(bench.act(token)).message == "confirm_token expired, unknown, or already used");

  struct Row {
    const char* what;
    void (*change)(GuardAdmitRequest&);
  };
  const Row rows[] = {
      {"tool", [](GuardAdmitRequest& r) { r.tool = "double_click_element"; }},
      {"session", [](GuardAdmitRequest& r) { r.session = "rest:10.0.0.1"; }},
      {"arguments", [](GuardAdmitRequest& r) { r.arguments_digest = "sha256:2"; }},
      {"window", [](GuardAdmitRequest& r) { r.targets[0].window_uid = "w:2"; }},
      {"name", [](GuardAdmitRequest& r) { r.targets[0].name = "Delete account"; }},
      {"element",
       [](GuardAdmitRequest& r) {
         r.targets[0].selector = "Button[index=2]";
         r.targets[0].element_id = "root.2";
       }},
      {"place", [](GuardAdmitRequest& r) { r.targets[0].bounds.x += 21; }},
      {"more targets", [](GuardAdmitRequest& r) { r.targets.push_back(r.targets[0]); }},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    GuardAdmitRequest changed = bench.act(bench.token());
    row.change(changed);
    CHECK(bench.admit(changed).code == "ConfirmationInvalid");
    // A mismatch burns the token: it cannot be tried on other things.
    CHECK(bench.admit(bench.act(changed.confirm_token)).code == "ConfirmationInvalid");
  }
}

TEST_CASE("small moves, the id for the selector, and looking afterwards keep the token good") {
  Bench bench(with_confirmation({"(?i)delete", "", ""}));
  GuardAdmitRequest moved = bench.act(bench.token());
  moved.targets[0].bounds.x += 20;
  CHECK(bench.admit(moved).allowed);
  GuardAdmitRequest by_id = bench.act(bench.token());
  by_id.targets[0].selector = "Window/Button[1]";
  CHECK(bench.admit(by_id).allowed);
  GuardAdmitRequest observing = bench.act(bench.token());
  observing.tool = "click_element_and_observe";
  CHECK(bench.admit(observing).allowed);
}

TEST_CASE("the time to live is honoured, and a dry run uses nothing up") {
  Settings settings = with_confirmation({"(?i)delete", "", ""});
  settings.confirmation.ttl = 2000;
  Bench bench(settings);
  const std::string token = bench.token();
  GuardAdmitRequest dry = bench.act(token);
  dry.dry_run = true;
  CHECK(bench.admit(dry).allowed);
  bench.now = 2 * kSecond;
  CHECK(bench.admit(bench.act(token)).code == "ConfirmationInvalid");
}

TEST_CASE("what must not be touched cannot be confirmed either") {
  Settings settings;
  settings.actions.deny_targets = {{"", "", "^Files$"}};
  Bench bench(settings);
  CHECK(bench.admit(bench.act()).code == "PermissionDenied");
  const GuardAdmitRequest request = bench.act();
  const auto promise =
      bench.guard.propose({request.tool, {}, request.session, request.targets, ""}, {});
  CHECK(promise.error().code == Code::PermissionDenied);
}

TEST_CASE("a wrong pattern is refused by name, and the rules before stay") {
  Bench bench(with_confirmation({"(?i)delete", "", ""}));
  struct Row {
    const char* key;
    void (*set)(Settings&);
  };
  const Row rows[] = {
      {"confirmation_required[0].name_regex",
       [](Settings& s) {
         s.confirmation_required = {{"(", "", ""}};
       }},
      {"confirmation_required[0] says nothing",
       [](Settings& s) {
         s.confirmation_required = {{"", "", ""}};
       }},
      {"actions.deny_targets[0].window_title_regex",
       [](Settings& s) {
         s.actions.deny_targets = {{"", "", "["}};
       }},
      {"redaction.element_name_patterns[1]",
       [](Settings& s) {
         s.redaction.element_name_patterns = {"a", "*"};
       }},
      {"redaction.window_title_patterns[0]",
       [](Settings& s) { s.redaction.window_title_patterns = {"*"}; }},
      {"redaction.ocr_text_patterns[0]",
       [](Settings& s) { s.redaction.ocr_text_patterns = {"(?<"}; }},
  };
  for (const Row& row : rows) {
    Settings settings;
    row.set(settings);
    const Result<void> refused = bench.guard.configure(settings);
    REQUIRE_FALSE(refused.ok());
    INFO(refused.error().message);
    CHECK(refused.error().message.starts_with(row.key));
  }
  CHECK_FALSE(bench.admit(bench.act()).allowed);
  CHECK(bench.guard.rules().version == 1);
}

}  // namespace
}  // namespace gantry::guard
