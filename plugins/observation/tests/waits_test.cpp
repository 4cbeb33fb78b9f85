// SPDX-License-Identifier: Apache-2.0
// Waits side by side: what they share, and how they end when nobody waits for them any more.
#include <catch2/catch.hpp>

#include "fake_desktop.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;

struct Caller final : Life {
  [[nodiscard]] bool given_up() const override { return gone; }
  bool gone = false;
};

/// Calls that go on side by side.
struct Calls : Bench {
  void begin(std::string tool, std::string arguments,
             std::shared_ptr<const Life> life = std::make_shared<const Life>()) {
    ObserverToolRequest request;
    request.tool = std::move(tool);
    request.arguments = Json(std::move(arguments));
    spawn(
        running, observer.run(make_body<ObserverToolRequest>(std::move(request)), std::move(life)),
        [this](ObserverToolResult result) { answers.push_back(std::move(result)); },
        [](const std::exception_ptr&) { FAIL("no task fails here"); });
  }
  /// Runs what is due without letting time pass.
  void settle() {
    const std::int64_t now = desktop.now_ns;
    while (desktop.has_timer_until(now)) desktop.run_next_timer();
  }

  std::vector<ObserverToolResult> answers;
  RunningTasks running;
};

constexpr const char* kForElement =
    R"({"any_of":[{"type":"element_appears","selector":"Nope"}],"poll_ms":5000,)"
    R"("timeout_ms":60000})";

TEST_CASE("what waits when the engine stops is told so, and nothing of it is left") {
  Calls bench;
  bench.begin("wait_for", kForElement);
  bench.begin("wait_idle", R"({"quiet_ms":5000,"timeout_ms":60000,"poll_ms":5000})");
  bench.begin("wait_for", R"({"any_of":[{"type":"window_appears","title_regex":"^Zzz$"}]})");
  REQUIRE(bench.running.size() == 3);
  REQUIRE(bench.answers.empty());
  const std::int64_t now = bench.desktop.now_ns;
  bench.observer.end();
  CHECK(bench.desktop.now_ns == now);  // no timer was needed: none runs at a stop
  CHECK(bench.running.size() == 0);
  REQUIRE(bench.answers.size() == 3);
  for (const ObserverToolResult& answer : bench.answers) {
    CHECK(answer.error_code == "Timeout");
    CHECK(answer.message.find("the observer is stopping") != std::string::npos);
  }
}

TEST_CASE("no wait begins once the engine stops") {
  Calls bench;
  bench.observer.end();
  bench.begin("wait_for", kForElement);
  CHECK(bench.running.size() == 0);
  REQUIRE(bench.answers.size() == 1);
  CHECK(bench.answers[0].error_code == "Timeout");
}

TEST_CASE("an act that waits for its turn when the engine stops is not done") {
  Calls bench;
  // The first one keeps its turn until the window has settled.
  bench.begin("click_at", R"({"x":5,"y":6})");
  bench.begin("click_at", R"({"x":7,"y":8})");
  REQUIRE(bench.observer.engine().lane.waiting() == 1);
  const std::size_t inputs = bench.desktop.pointer_requests.size();
  bench.observer.end();
  CHECK(bench.running.size() == 0);
  CHECK(bench.desktop.pointer_requests.size() == inputs);
  REQUIRE(bench.answers.size() == 2);
  CHECK(bench.answers[0].message == "the observer is stopping; nothing was done");
  CHECK(bench.answers[1].ok);
}

constexpr const char* kForOk = R"({"any_of":[{"type":"element_appears","selector":"Button"}],)"
                               R"("window_title":"Terminla","timeout_ms":1000})";

TEST_CASE("a wait at a window that never comes names those that are there, the nearest first") {
  Calls bench;
  bench.desktop.window_list->windows[0].title = "Terminal";
  bench.desktop.window_list->windows[1].title = "Agenda";
  tests::add_node(*bench.desktop.a11y_tree, 0, "Button", "Done", {0, 0, 10, 10});
  const ObserverToolResult answer = bench.run("wait_for", kForOk);
  CHECK(answer.error_code == "Timeout");
  CHECK(answer.message ==
        "wait_for timed out after 1000ms; no window has window_title 'Terminla'; 2 windows are "
        "open, list_windows names them");
  const std::string& text = answer.result.text;
  REQUIRE(text.find("did_you_mean") != std::string::npos);
  CHECK(text.find("Terminal") < text.find("Agenda"));
  const auto by_uid = bench.run("wait_for", R"({"any_of":[{"type":"tree_changes","since":"x"}],)"
                                            R"("window_uid":"t:gone","timeout_ms":100})");
  CHECK(by_uid.message.find("no window has window_uid 't:gone'") != std::string::npos);
  const auto appears = bench.run("wait_for", R"({"any_of":[{"type":"window_appears",)"
                                             R"("title_regex":"Agneda"}],"timeout_ms":100})");
  CHECK(appears.message == "wait_for timed out after 100ms");
  CHECK(appears.result.text.find("Agenda") < appears.result.text.find("Terminal"));
}

TEST_CASE("a wait at a window that is not there yet ends when it has opened") {
  Calls bench;
  tests::add_node(*bench.desktop.a11y_tree, 0, "Button", "Done", {0, 0, 10, 10});
  bench.begin("wait_for", kForOk);
  bench.settle();
  CHECK(bench.answers.empty());  // the focused window has such a button; it is not the one
  bench.desktop.window_list->windows[1].title = "A Terminla";
  while (bench.answers.empty()) bench.desktop.run_next_timer();
  CHECK(bench.answers[0].ok);
  CHECK(bench.answers[0].result.text.find("warning") == std::string::npos);
}

TEST_CASE("what is gone with a window that never was is said to be so") {
  Calls bench;
  const auto gone = bench.run("wait_for", R"({"any_of":[{"type":"element_disappears",)"
                                          R"("selector":"Button"}],"window_uid":"t:gone"})");
  CHECK(gone.ok);
  CHECK(gone.result.text.find("no window has window_uid 't:gone'") != std::string::npos);
}

TEST_CASE("a window that was there and has closed is not said to have never been") {
  Calls bench;
  bench.begin("wait_for", R"({"any_of":[{"type":"element_appears","selector":"Nope"}],)"
                          R"("window_index":1,"timeout_ms":1000})");
  bench.settle();
  bench.desktop.window_list->windows.pop_back();
  while (bench.answers.empty()) bench.desktop.run_next_timer();
  CHECK(bench.answers[0].message == "wait_for timed out after 1000ms");
}

TEST_CASE("what still waits when the tasks go is destroyed with all that it holds") {
  const auto life = std::make_shared<const Life>();
  {
    Calls bench;
    bench.begin("wait_for", kForElement, life);
    CHECK(life.use_count() > 1);
  }
  CHECK(life.use_count() == 1);
}

TEST_CASE("a wait whose caller has gone ends before its next look") {
  Calls bench;
  const auto caller = std::make_shared<Caller>();
  const auto other = std::make_shared<Caller>();
  bench.begin("wait_for", kForElement, caller);
  bench.begin("wait_for", kForElement, other);
  caller->gone = true;
  bench.observer.give_up(*caller);
  bench.settle();
  REQUIRE(bench.answers.size() == 1);
  CHECK(bench.answers[0].error_code == "Timeout");
  CHECK(bench.running.size() == 1);
}

TEST_CASE("waits on the same window share one look at each change") {
  Calls bench;
  constexpr int kMany = 300;
  for (int i = 0; i < kMany; ++i) {
    bench.begin("wait_for",
                R"({"any_of":[{"type":"element_appears","selector":"Button[name=\"Done\"]"}],)"
                R"("poll_ms":50000,"timeout_ms":60000})");
  }
  const auto change = [&] {
    bench.desktop.now_ns += 20'000'000;
    bench.observer.engine().pulse.tree_changed(42);
    bench.desktop.now_ns += 1'000;
    bench.settle();
  };
  const int reads = bench.desktop.tree_reads;
  change();
  CHECK(bench.desktop.tree_reads == reads + 1);
  CHECK(bench.answers.empty());
  tests::add_node(*bench.desktop.a11y_tree, 0, "Button", "Done", {0, 0, 10, 10});
  change();
  CHECK(bench.desktop.tree_reads == reads + 2);
  REQUIRE(bench.answers.size() == kMany);
  for (const ObserverToolResult& answer : bench.answers) CHECK(answer.ok);
}

TEST_CASE("waits that hear nothing share their looks too") {
  Calls bench;
  for (int i = 0; i < 100; ++i) {
    bench.begin("wait_for", R"({"any_of":[{"type":"element_appears","selector":"Nope"}],)"
                            R"("poll_ms":200,"timeout_ms":60000})");
    bench.desktop.now_ns += 1'234'567;
  }
  const int reads = bench.desktop.tree_reads;
  const std::int64_t end = bench.desktop.now_ns + 1'000'000'000;
  while (bench.desktop.has_timer_until(end)) bench.desktop.run_next_timer();
  CHECK(bench.desktop.tree_reads - reads >= 5);   // each looked at least every 200 ms
  CHECK(bench.desktop.tree_reads - reads <= 21);  // in steps of 50 ms
  CHECK(bench.answers.empty());
}

TEST_CASE("a look that shows nothing new is the look before") {
  Bench bench;
  Engine& engine = bench.observer.engine();
  const WindowInfo window = bench.desktop.window_list->windows.back();
  const Life life;
  const auto look = [&] {
    RunningTasks running;
    std::shared_ptr<const Tree> out;
    spawn(
        running, engine.looks.tree(window, ++bench.desktop.now_ns, life),
        [&](Outcome<TreeCapture> capture) { out = capture->tree; },
        [](const std::exception_ptr&) {});
    return out;
  };
  const auto first = look();
  REQUIRE(first != nullptr);
  CHECK(look() == first);
  bench.desktop.a11y_tree->nodes[1].selected = true;  // not part of the hash
  const auto second = look();
  CHECK(second != first);
  CHECK(second->hash == first->hash);
  CHECK(bench.desktop.tree_reads == 3);
}

TEST_CASE("a tree that was asked for under other rules is not shown") {
  Bench bench;
  bench.desktop.a11y_tree->sequence = 7;
  CHECK(bench.run("get_window_structure").ok);
  bool changed = false;
  bench.desktop.on_tree = [&] {
    if (std::exchange(changed, true)) return;
    GuardRules rules;
    rules.version = 1;
    rules.element_name_patterns = {"^OK$"};
    rules.replacement = "[REDACTED]";
    rules.max_text = 1000;
    REQUIRE(bench.observer.engine().take_rules(rules).ok());
  };
  bench.observer.engine().trees.forget_all();
  const auto result = bench.run("get_window_structure");
  CHECK(result.result.text.find("[REDACTED]") != std::string::npos);
  CHECK(result.result.text.find(R"("name":"OK")") == std::string::npos);
}

}  // namespace
}  // namespace gantry::observation
