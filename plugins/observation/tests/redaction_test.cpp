// SPDX-License-Identifier: Apache-2.0
// That nothing hidden leaves the engine: by rule, and by seeding secrets at random and calling
// every tool that there is.
#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "fake_desktop.hpp"
#include "image_scale.hpp"
#include "ocr.hpp"
#include "paint_over.hpp"
#include "redaction.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;
using tests::has;

GuardRules rules_with(std::vector<std::string> names) {
  GuardRules rules;
  rules.version = 1;
  rules.element_name_patterns = std::move(names);
  rules.replacement = "[REDACTED]";
  rules.max_text = 100'000;
  return rules;
}

Node node(std::string role, std::string name, std::optional<std::string> value = {}) {
  Node out;
  out.role = std::move(role);
  out.name = std::move(name);
  out.value = std::move(value);
  out.bounds = {10, 10, 20, 10};
  return out;
}

Node redacted(const GuardRules& rules, Node root, std::string_view title = "Main") {
  Redaction redaction;
  REQUIRE(redaction.set_rules(rules).ok());
  redaction.redact(root, title);
  return root;
}

TEST_CASE("an element that a rule fits keeps its role and loses its texts") {
  Node secret = node("Edit", "PIN", "1234");
  secret.description = "the PIN is 1234";
  secret.identifier = "pin-1234";
  secret.value_now = 1234;
  const Node out = redacted(rules_with({"^PIN$"}), secret);
  CHECK(out.role == "Edit");
  CHECK(out.name == "[REDACTED]");
  CHECK(out.value == "[REDACTED]");
  CHECK(out.description == "[REDACTED]");
  CHECK(out.identifier == "[REDACTED]");
  CHECK_FALSE(out.value_now.has_value());
  CHECK(out.true_name() == "PIN");  // for those who judge
}

TEST_CASE("characters that cannot be seen get nothing past a rule") {
  for (const char* name : {"P\u200BIN", "P\u202EIN\u00AD", "P\u001B[0mIN", "\uFEFFPIN\U000E0041"}) {
    INFO(name);
    CHECK(redacted(rules_with({"^PIN$"}), node("Edit", name, "1234")).value == "[REDACTED]");
  }
  CHECK(redacted(rules_with({"^PIN code$"}), node("Edit", "PIN\u00A0code", "1")).value ==
        "[REDACTED]");
  GuardRules rules = rules_with({});
  rules.ocr_text_patterns = {R"(\d{3}-\d{2}-\d{4})"};
  CHECK(redacted(rules, node("Text", "call 078-\u200B05-1120 now")).name == "call [REDACTED] now");
  // Where nothing is hidden the text stays as it is.
  const Node family = redacted(rules, node("Text", "\U0001F468\u200D\U0001F469"));
  CHECK(family.name == "\U0001F468\u200D\U0001F469");
}

TEST_CASE("what a hidden value repeats elsewhere goes too") {
  Node root = node("Window", "Form with s3cret");
  root.children = {node("Edit", "PIN", "s3cret"), node("Text", "You typed s3cret!")};
  root.children[0].children = {node("Text", "inner")};
  const Node out = redacted(rules_with({"^PIN$"}), root);
  CHECK(out.name == "Form with [REDACTED]");
  CHECK(out.children[0].children[0].name == "[REDACTED]");
  CHECK(out.children[1].name == "You typed [REDACTED]!");
  CHECK(out.children[1].hidden != nullptr);  // so that its pixels go as well
}

TEST_CASE("password fields are never read out, whatever the rules are") {
  Node root = node("Window", "Login");
  root.children = {node("Edit", "Password", "hunter2"), node("PasswordEdit", "PIN", "hunter3")};
  root.children[0].password = true;
  root.children[0].children = {node("Text", "hunter2")};
  GuardRules off;
  off.enabled = false;
  off.replacement = "[REDACTED]";
  off.max_text = 1000;
  const Node out = redacted(off, root);
  CHECK_FALSE(out.children[0].value.has_value());
  CHECK(out.children[0].name == "Password");
  CHECK(out.children[0].children[0].name == "[REDACTED]");
  CHECK_FALSE(out.children[1].value.has_value());
}

TEST_CASE("rules hide by role, by title and by what text says") {
  GuardRules roles = rules_with({});
  roles.element_role_patterns = {"^Secret"};
  CHECK(redacted(roles, node("SecretLabel", "x")).name == "[REDACTED]");
  CHECK(redacted(roles, node("Label", "x")).name == "x");
  GuardRules titles = rules_with({});
  titles.window_title_patterns = {"1Password"};
  Node root = node("Window", "anything");
  root.children = {node("Label", "entry")};
  CHECK(redacted(titles, root, "my 1Password").children[0].name == "[REDACTED]");
  CHECK(redacted(titles, root, "Main").children[0].name == "entry");
  GuardRules words = rules_with({});
  words.ocr_text_patterns = {R"(\d{3}-\d{2}-\d{4})"};
  CHECK(redacted(words, node("Label", "SSN 123-45-6789, again 123-45-6789")).name ==
        "SSN [REDACTED], again [REDACTED]");
}

TEST_CASE("rules that are switched off hide nothing") {
  GuardRules off = rules_with({"PIN"});
  off.enabled = false;
  CHECK(redacted(off, node("Edit", "PIN", "1")).value == "1");
}

TEST_CASE("a pattern that cannot be judged hides") {
  Node hard = node("Label", std::string(40, 'a') + "!");
  CHECK(redacted(rules_with({"^(a+)+$"}), hard).name == "[REDACTED]");
}

TEST_CASE("the hash of what is hidden changes with it and cannot be guessed") {
  const GuardRules rules = rules_with({"^PIN$"});
  Redaction one;
  Redaction other;
  REQUIRE(one.set_rules(rules).ok());
  REQUIRE(other.set_rules(rules).ok());
  const auto hash = [](Redaction& redaction, const char* value) {
    Node root = node("Edit", "PIN", value);
    redaction.redact(root, "");
    return tree_hash(root);
  };
  CHECK(hash(one, "1234") == hash(one, "1234"));
  CHECK(hash(one, "1234") != hash(one, "1235"));
  CHECK(hash(one, "1234") != hash(other, "1234"));
}

TEST_CASE("screen text cannot act on a terminal, turn itself around or hide words") {
  CHECK(strip_terminal_controls("a\x1b[31mb") == "ab");
  CHECK(strip_terminal_controls("a\u202Eb\u2066c\u2069") == "abc");
  CHECK(strip_terminal_controls("a\U000E0041\U000E007Fb") == "ab");
  CHECK(strip_terminal_controls("Grüße “quoted” – 😀 \u200Fעברית") ==
        "Grüße “quoted” – 😀 \u200Fעברית");
  CHECK(strip_terminal_controls("cut \xE2") == "cut \xE2");
}

TEST_CASE("texts are cut at the length of the rules") {
  GuardRules rules = rules_with({});
  rules.max_text = 5;
  CHECK(redacted(rules, node("Label", "123456789")).name == "12345…");
}

TEST_CASE("painting over leaves nothing of an area, at any scale") {
  Capture capture;
  capture.image = {4, 2, 16, PixelFormat::Bgrx8, Buffer::of(std::vector<std::uint8_t>(32, 7))};
  capture.area = {100, 50, 8, 4};  // two screen pixels a pixel
  const Rect areas[] = {{103, 50, 2, 2}, {0, 0, 10, 10}};
  const Image out = paint_over(capture, areas);
  const std::uint8_t* pixels = out.pixels.data();
  CHECK(pixels[0] == 7);
  CHECK(pixels[4] != 7);  // column 1
  CHECK(pixels[8] != 7);  // column 2: half of it was named
  CHECK(pixels[12] == 7);
  CHECK(pixels[20] == 7);  // the second row
  CHECK(capture.image.pixels.data()[4] == 7);
}

TEST_CASE("a part of a picture is the pixels of that place, at its scale") {
  std::vector<std::uint8_t> pixels;
  for (std::uint8_t i = 0; i < 16; ++i) pixels.insert(pixels.end(), 4, i);
  Capture capture;
  capture.image = {4, 4, 16, PixelFormat::Bgrx8, Buffer::of(std::move(pixels))};
  capture.area = {100, 50, 8, 8};
  const Image part = part_of(capture, {102, 54, 4, 2});
  CHECK(part.width == 2);
  CHECK(part.height == 1);
  CHECK(part.pixels.data()[0] == 9);  // row 2, column 1
  CHECK(part.pixels.data()[4] == 10);
  CHECK(part_of(capture, {0, 0, 5, 5}).width == 4);
  CHECK(shrink(capture.image, 2).pixels.data()[0] == 2);  // the mean of 0, 1, 4 and 5
}

// ---- the whole engine ---------------------------------------------------------------------------

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

TEST_CASE("what a hidden element was seen to hold is in no record, however it is written") {
  Redaction redaction;
  REQUIRE(redaction.set_rules(rules_with({"^PIN$"})).ok());
  Node root = node("Window", "Main");
  root.children = {node("Edit", "Password", "pa.ss\"w0rd"), node("Edit", "PIN", "4711"),
                   node("Edit", "Name", "Barbara")};
  root.children[0].password = true;
  CHECK_FALSE(Redaction().cleans_records());
  redaction.redact(root, "Main");
  CHECK(redaction.cleans_records());
  CHECK(redaction.recorded("is pa.ss\"w0rd.") == "is [REDACTED].");
  CHECK(redaction.recorded(R"(Edit[value="pa.ss\"w0rd"])") == "[REDACTED]");  // as a selector
  CHECK(redaction.recorded(R"(^pa\.ss"w0rd$)") == "[REDACTED]");              // as a pattern
  CHECK(redaction.recorded("pa.s\u200bs\"w0rd") == "[REDACTED]");
  // A word that short may be a part of others.
  CHECK(redaction.recorded(R"(Edit[value="4711"])") == R"(Edit[value="[REDACTED]"])");
  CHECK(redaction.recorded("4711") == "[REDACTED]");
  CHECK(redaction.recorded("order 47110") == "order 47110");
  CHECK(redaction.recorded("Barbara") == "Barbara");
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
