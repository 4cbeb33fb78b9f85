// SPDX-License-Identifier: Apache-2.0
// That nothing hidden leaves the engine: secrets are seeded at random and every tool is called.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "fake_desktop.hpp"
#include "guard_rules.hpp"
#include "ocr.hpp"
#include "paint_over.hpp"
#include "redaction.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;
using tests::has;
using tests::rules_with;

std::string random_secret(std::mt19937& random) {
  static constexpr char kLetters[] = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  std::string out = "zq";
  for (int i = 0; i < 10; ++i) out += kLetters[random() % (sizeof kLetters - 1)];
  return out;
}

/// A desktop full of secrets: in a window's title, in names, values, descriptions and identifiers
/// of elements that rules fit, and in password fields.
std::vector<std::string> seed(tests::FakeDesktop& desktop, std::mt19937& random) {
  std::vector<std::string> secrets;
  const auto fresh = [&] { return secrets.emplace_back(random_secret(random)); };
  WindowInfo vault = desktop.window_list->windows.front();
  vault.uid = "t:vault";
  vault.handle = "vault";
  vault.title = "Vault " + fresh();
  desktop.window_list->windows.push_back(vault);
  std::vector<A11yNode>& nodes = desktop.a11y_tree->nodes;
  for (int i = 0; i < 8; ++i) {
    A11yNode out;
    out.parent = 0;
    out.role = i % 2 == 0 ? "Edit" : "Document";
    out.password = random() % 3 == 0;
    out.name = out.password ? "Password" : "TOPSECRET " + fresh();
    out.value = fresh();
    if (!out.password) out.description = fresh();
    if (!out.password) out.identifier = fresh();
    out.bounds = Rect{5, 5 + i * 10, 100, 9};
    const auto at = static_cast<std::int32_t>(nodes.size());
    nodes.push_back(out);
    A11yNode inside;
    inside.parent = at;
    inside.role = "Text";
    inside.name = *out.value;  // toolkits show the text of a field as a child of it
    inside.bounds = out.bounds;
    nodes.push_back(inside);
    A11yNode label;
    label.parent = 0;
    label.role = "Label";
    label.name = "you typed " + *out.value;
    label.bounds = Rect{120, 5 + i * 10, 50, 9};
    nodes.push_back(label);
  }
  desktop.receipt->evidence = "the window is " + vault.title;
  desktop.activation = ActivateWindowResult{true, "test", vault.title + " is active"};
  return secrets;
}

const char* const kArguments[] = {
    R"({})",
    R"({"window_uid":"t:vault"})",
    R"({"window_uid":"t:a","format":"lines"})",
    R"({"window_uid":"t:vault","selector":"Edit"})",
    R"({"selector":"Edit[index=2]","value":"x","keys":"a","text":"x","option_index":0})",
    R"({"element_id":"root.2","value":"x","keys":"a","text":"x","option_name":"none"})",
    R"({"selector":"Nope","value":"x","option_index":1})",
    R"({"x":20,"y":8,"text":"x","keys":"a","hover_ms":0})",
    R"({"x":20,"y":8,"window_uid":"t:vault"})",
    R"({"from":{"selector":"Edit"},"to":{"selector":"Document"}})",
    (R"({"any_of":[{"type":"text_visible","regex":"TOPSECRET"},{"type":"element_appears",)"
     R"("selector":"Edit"}],"timeout_ms":100})"),
    (R"({"predicates":[{"kind":"text_visible","regex":"zq"},{"kind":"value_equals",)"
     R"("selector":"Edit","expected":"x"},{"kind":"element_exists","selector":"Edit"}]})"),
    R"({"action":"click_element","args":{"selector":"Edit"}})",
    R"({"name_regex":"zq","max_nodes":3})",
};

/// What an answer gives away of `secrets`.
std::string leak(const std::string& text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (text.find(secret) != std::string::npos) return secret;
  }
  return {};
}

TEST_CASE("no seeded secret survives in any answer of any tool") {
  for (const unsigned start : {1U, 2U, 3U}) {
    std::mt19937 random(start);
    Bench bench;
    const std::vector<std::string> secrets = seed(bench.desktop, random);
    GuardRules rules = rules_with({"TOPSECRET"});
    rules.window_title_patterns = {"^Vault"};
    rules.blur_screenshots = true;
    REQUIRE(bench.observer.engine().take_rules(rules).ok());
    std::size_t answers = 0;
    for (const Tool& tool : all_tools()) {
      if (tool.name.starts_with("trace_") || tool.name.starts_with("replay_")) continue;
      for (const char* arguments : kArguments) {
        for (const bool plain : {false, true}) {
          const ObserverToolResult result = bench.run(std::string(tool.name), arguments, plain);
          INFO(tool.name << ' ' << arguments << '\n' << result.result.text.substr(0, 2000));
          CHECK(leak(result.result.text, secrets).empty());
          CHECK(leak(result.message, secrets).empty());
          ++answers;
        }
      }
    }
    CHECK(answers > 1000);
    CHECK(bench.observer.engine().redaction.applied_count() > 0);
  }
}

TEST_CASE("the test above can fail: without rules the secrets are there") {
  std::mt19937 random(1);
  Bench bench;
  const std::vector<std::string> secrets = seed(bench.desktop, random);
  CHECK_FALSE(leak(bench.run("get_window_structure").result.text, secrets).empty());
  CHECK_FALSE(leak(bench.run("list_windows").result.text, secrets).empty());
}

TEST_CASE("an answer with text from the screen says that it is not to be trusted") {
  std::mt19937 random(1);
  Bench bench;
  const std::vector<std::string> secrets = seed(bench.desktop, random);
  std::set<std::string_view> telling;
  for (const Tool& tool : all_tools()) {
    if (tool.name.starts_with("trace_") || tool.name.starts_with("replay_")) continue;
    for (const char* arguments : kArguments) {
      const ObserverToolResult result = bench.run(std::string(tool.name), arguments);
      if (leak(result.result.text, secrets).empty()) continue;
      telling.insert(tool.name);
      INFO(tool.name << ' ' << arguments << '\n' << result.result.text.substr(0, 2000));
      CHECK(has(result, R"("untrusted":true)"));
    }
  }
  for (const std::string_view name :
       {"click_at", "click_element", "type_text", "bring_to_foreground", "get_window_structure",
        "list_windows"}) {
    INFO(name);
    CHECK(telling.count(name) == 1);
  }
}

/// A toolkit that takes text for elements whose native reference is their position.
void take_text(tests::FakeDesktop& desktop) {
  std::vector<A11yNode>& nodes = desktop.a11y_tree->nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].native = std::to_string(i);
  desktop.on_action = [&desktop](const A11yActionRequest& request) -> Result<A11yActionResult> {
    if (request.verb != A11yVerb::SetText) return Error{Code::Unimplemented, "no", {}};
    desktop.a11y_tree->nodes[std::stoul(request.native)].value = request.text;
    return A11yActionResult{true, {}, "test"};
  };
}

bool says(const ObserverToolResult& result, std::string_view text) {
  return result.result.text.find(text) != std::string::npos;
}

TEST_CASE("evidence quotes no hidden title, also not of a window that an act has opened") {
  Bench bench;
  GuardRules rules = rules_with({});
  rules.window_title_patterns = {"^Vault", "^TAN$"};
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  std::string title = GENERATE(std::string("Vault of Ann"), std::string("TAN"));
  bench.desktop.on_input = [&] {
    WindowInfo opened = bench.desktop.window_list->windows.front();
    opened.uid = opened.handle = "new";
    opened.title = title;
    bench.desktop.window_list->windows.push_back(opened);
    bench.desktop.receipt->evidence = "it went to '" + title + "'";
    bench.desktop.activation =
        ActivateWindowResult{true, "test", "window '" + title + "' is active"};
  };
  const auto clicked = bench.run("click_at", R"({"x":20,"y":20})");
  CHECK(says(clicked, "new_dialogs\":[{\"title\":\"[REDACTED]\""));
  CHECK_FALSE(says(clicked, title));
  const auto raised = bench.run("bring_to_foreground", R"({"window_uid":"t:b"})");
  CHECK(says(raised, "window '[REDACTED]' is active"));
  bench.desktop.on_input = [] {};
  bench.desktop.window_list->windows.back().title = "Open";  // the adapter still has the old one
  CHECK_FALSE(says(bench.run("press_key", R"({"keys":"a"})"), "'" + title));
}

TEST_CASE("whoever looks for a hidden name is told how such elements are named, and no more") {
  Bench bench;
  CHECK_FALSE(has(bench.run("find_element", R"({"selector":"//Edit[name=\"Nobody\"]"})"), "hint"));
  REQUIRE(bench.observer.engine().take_rules(rules_with({"^Name$"})).ok());
  const auto right = bench.run("find_element", R"({"selector":"//Edit[name=\"Name\"]"})");
  CHECK(right.error_code == "ElementNotFound");
  CHECK(has(right, R"("hint":"rules hide the names of 1 elements here)"));
  const auto wrong =
      bench.run("set_value", R"({"selector":"//Edit[name=\"Nobody\"]","value":"x"})");
  CHECK(has(wrong, R"("hint":"rules hide the names of 1 elements here)"));
  CHECK(bench.run("focus_element", R"({"selector":"//Edit"})").ok);
}

TEST_CASE("the value of a hidden field is confirmed without being told") {
  Bench bench;
  take_text(bench.desktop);
  REQUIRE(bench.observer.engine().take_rules(rules_with({"^Name$"})).ok());
  const auto set = bench.run("set_value", R"({"selector":"Edit","value":"Barbara"})");
  CHECK(says(set, R"("effect":"confirmed")"));
  CHECK_FALSE(says(set, "Barbara"));
  CHECK(bench.desktop.a11y_tree->nodes[2].value == "Barbara");
}

TEST_CASE("a recognised word that was typed in secret is not told") {
  Redaction redaction;
  redaction.remember("correct-horse");
  std::vector<OcrWord> words(3);
  words[0].text = "note:";
  words[1].text = "correct-horse";
  words[2].text = "battery";
  redact_words(words, redaction, "Main");
  CHECK(words[0].text == "note:");
  CHECK(words[1].text == "[REDACTED]");
  // What was never typed through here is known to nobody, so it cannot be told from other words.
  CHECK(words[2].text == "battery");
}

TEST_CASE("what was typed into a password field is not shown elsewhere either") {
  Bench bench;
  tests::add_node(*bench.desktop.a11y_tree, 0, "Label", "", {120, 40, 60, 20});
  take_text(bench.desktop);
  bench.desktop.a11y_tree->nodes[2].password = true;
  CHECK(bench.run("set_value", R"({"selector":"Edit","value":"correct-horse"})").ok);
  bench.desktop.a11y_tree->nodes[2].value.reset();  // adapters do not read it
  bench.desktop.a11y_tree->nodes[3].name = "wrong password: correct-horse";
  bench.observer.engine().trees.forget_all();
  const auto structure = bench.run("get_window_structure");
  CHECK(says(structure, "wrong password: [REDACTED]"));
  CHECK_FALSE(says(structure, "correct-horse"));
  // A word that short may well be a label or a user name.
  CHECK(bench.run("set_value", R"({"selector":"Edit","value":"admin"})").ok);
  bench.desktop.a11y_tree->nodes[2].value.reset();
  bench.desktop.a11y_tree->nodes[3].name = "admin";
  bench.observer.engine().trees.forget_all();
  CHECK(says(bench.run("get_window_structure"), R"("name":"admin")"));
  CHECK(bench.observer.engine().shield.recorded("admin, correct-horse") ==
        "[REDACTED], [REDACTED]");
}

TEST_CASE("typing repeats the text in its answer unless it went into something secret") {
  Bench bench;
  CHECK(says(bench.run("type_text", R"({"text":"hello"})"), R"("value":"hello")"));
  bench.desktop.a11y_tree->nodes[2].password = true;
  bench.observer.engine().trees.forget_all();
  const auto typed = bench.run("type_text", R"({"text":"s3cret"})");
  CHECK(typed.ok);
  CHECK_FALSE(says(typed, "s3cret"));
  REQUIRE(bench.desktop.text_requests.size() == 2);
  CHECK(bench.desktop.text_requests[1].text == "s3cret");
}

TEST_CASE("what was seen under old rules is not shown under new ones") {
  std::mt19937 random(1);
  Bench bench;
  const std::vector<std::string> secrets = seed(bench.desktop, random);
  const std::string snapshot = bench.run("snapshot").result.text;
  const std::size_t at = snapshot.find("snap:");
  REQUIRE(at != std::string::npos);
  GuardRules rules = rules_with({"TOPSECRET"});
  rules.window_title_patterns = {"^Vault"};
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  const std::string old =
      bench.run("snapshot_get", R"({"snapshot_id":")" + snapshot.substr(at, 21) + "\"}")
          .result.text;
  CHECK(leak(old, secrets).empty());
}

TEST_CASE("pixels of password fields are painted over, of hidden elements when asked") {
  Bench bench;
  bench.desktop.window_list->windows.erase(bench.desktop.window_list->windows.begin());
  bench.desktop.a11y_tree->nodes[2].name = "PIN";
  bench.desktop.picture->image = {200, 100, 800, PixelFormat::Bgrx8,
                                  Buffer::of(std::vector<std::uint8_t>(80'000, 7))};
  bench.desktop.picture->area = {0, 0, 200, 100};
  const auto pixel = [&](int x, int y) {
    CaptureRequest request;
    Task<Answer<Capture>> task = bench.observer.engine().desktop.capture(request);
    std::uint8_t value = 0;
    RunningTasks running;
    spawn(
        running, std::move(task),
        [&](const Answer<Capture>& answer) {
          REQUIRE(answer.ok());
          value = (*answer)->image.pixels.data()[y * 800 + x * 4];
        },
        [](const std::exception_ptr&) {});
    return value;
  };
  GuardRules rules = rules_with({"^PIN$"});
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  CHECK(pixel(50, 50) == 7);
  rules.version = 2;
  rules.blur_screenshots = true;
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  CHECK(pixel(50, 50) != 7);
  CHECK(pixel(20, 20) == 7);  // the button beside it
  rules.version = 3;
  rules.enabled = false;
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  CHECK(pixel(50, 50) == 7);
  bench.desktop.a11y_tree->nodes[2].password = true;
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  CHECK(pixel(50, 50) != 7);
}

}  // namespace
}  // namespace gantry::observation
