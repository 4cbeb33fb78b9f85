// SPDX-License-Identifier: Apache-2.0
// Elements that are only seen: texts that were read and controls that were found, joined with what
// the tree says; and read words over a sketch.
#include "fuse.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "fake_desktop.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;
using tests::has;

VisualElement control(std::string role, Rect bbox, double confidence = 0.8) {
  VisualElement out;
  out.bbox = bbox;
  out.kind = "control";
  out.role = std::move(role);
  out.confidence = confidence;
  return out;
}

SeenLine line(std::string text, Rect bounds, double confidence = 90) {
  return {std::move(text), confidence, bounds};
}

Node leaf(std::string role, std::string name, Rect bounds) {
  Node out;
  out.role = std::move(role);
  out.name = std::move(name);
  out.bounds = bounds;
  return out;
}

Node window_with(std::vector<Node> children) {
  Node out = leaf("Window", "Main", {0, 0, 400, 300});
  out.children = std::move(children);
  return out;
}

/// The elements as "Role name=value source", one a line.
std::string told(const std::vector<Node>& nodes) {
  std::string out;
  for (const Node& node : nodes) {
    out += node.role + ' ' + node.name + (node.value ? '=' + *node.value : "") + ' ' + node.source +
           '\n';
  }
  return out;
}

TEST_CASE("a text on a control names it, in a field it is the value, else it stands alone") {
  Node root = window_with({});
  const std::vector<VisualElement> controls{control("Button", {10, 100, 80, 24}),
                                            control("Edit", {100, 40, 150, 24})};
  const std::vector<SeenLine> lines{line("Pay now", {20, 104, 50, 14}, 96),
                                    line("Ann", {106, 44, 30, 14}),
                                    line("Thank you", {10, 200, 70, 14}, 84)};
  const std::vector<Node> seen = seen_elements(root, controls, lines);
  CHECK(told(seen) == "Edit =Ann vision\nButton Pay now vision\nText Thank you ocr\n");
  CHECK(seen[1].confidence == 0.8);
  CHECK(seen[2].confidence == 0.84);
  CHECK(seen[2].bounds == Rect{10, 200, 70, 14});
}

TEST_CASE("fields and check boxes without a text of their own are named by the text beside them") {
  Node root = window_with({});
  const std::vector<VisualElement> controls{control("Edit", {100, 40, 150, 24}),
                                            control("CheckBox", {10, 80, 16, 16}),
                                            control("Button", {10, 120, 80, 24})};
  const std::vector<SeenLine> lines{line("E-mail", {40, 44, 50, 14}),
                                    line("Remember me", {32, 81, 90, 14}),
                                    line("too far away", {200, 123, 90, 14})};
  const std::vector<Node> seen = seen_elements(root, controls, lines);
  const auto named = [&](std::string_view role) {
    return std::find_if(seen.begin(), seen.end(), [&](const Node& n) { return n.role == role; })
        ->name;
  };
  CHECK(named("Edit") == "E-mail");
  CHECK(named("CheckBox") == "Remember me");
  CHECK(named("Button").empty());  // buttons carry their names
}

TEST_CASE("what the tree has is not there twice, and regions are no elements") {
  Node root = window_with({leaf("Button", "OK", {10, 10, 50, 20})});
  VisualElement region = control("", {0, 0, 400, 300});
  region.kind = "region";
  VisualElement icon = control("", {300, 10, 16, 16});
  icon.kind = "icon";
  const std::vector<Node> seen = seen_elements(
      root, {control("Button", {12, 11, 49, 20}), region, icon}, {line("OK", {20, 12, 20, 14})});
  CHECK(told(seen) == "Image  vision\n");
  CHECK_FALSE(root.children[0].ocr_text);
}

TEST_CASE("an element that reads differently from what the tree says keeps both") {
  Node closed = leaf("Button", "", {200, 10, 50, 20});
  closed.visible = false;
  Node root = window_with({leaf("Button", "Save", {10, 10, 60, 20}),
                           leaf("Button", "Cancel", {100, 10, 60, 20}), closed});
  const std::vector<Node> seen =
      seen_elements(root, {},
                    {line("Delete", {15, 12, 40, 14}), line("Cancel...", {105, 12, 40, 14}),
                     line("behind", {205, 12, 40, 14})});
  CHECK(root.children[0].name == "Save");
  CHECK(root.children[0].ocr_text == "Delete");
  CHECK_FALSE(root.children[1].ocr_text);
  CHECK(told(seen) == "Text behind ocr\n");  // what is not showing carries nothing
}

TEST_CASE("a text on a canvas is an element, and one in a hidden field is nothing") {
  Node password = leaf("Edit", "PIN", {10, 250, 100, 24});
  password.password = true;
  Node root = window_with({leaf("Canvas", "", {0, 0, 400, 200}), password});
  const std::vector<Node> seen =
      seen_elements(root, {}, {line("Level 3", {50, 50, 60, 14}), line("1234", {15, 254, 30, 14})});
  CHECK(told(seen) == "Text Level 3 ocr\n");
  CHECK_FALSE(root.children[0].ocr_text);
  CHECK_FALSE(root.children[1].ocr_text);
}

TEST_CASE("ids of what is seen stay while text and kind do") {
  Node root = window_with({});
  const auto ids = [&](const std::vector<SeenLine>& lines) {
    std::vector<std::string> out;
    for (const Node& node : seen_elements(root, {}, lines)) out.push_back(node.id);
    return out;
  };
  const auto one = ids({line("A", {10, 10, 9, 9}), line("B", {10, 40, 9, 9})});
  const auto moved = ids({line("B", {70, 90, 9, 9}), line("A", {60, 10, 9, 9})});
  REQUIRE(one.size() == 2);
  CHECK(one == moved);
  CHECK(one[0].starts_with("seen."));
  CHECK(one[0] != one[1]);
  const auto twins = ids({line("A", {10, 10, 9, 9}), line("A", {10, 40, 9, 9})});
  CHECK(twins[0] == one[0]);
  CHECK(twins[1] == one[0] + ".1");
}

Settings fusing(const char* how) {
  Settings settings;
  settings.tree.fuse = how;
  return settings;
}

/// A window whose tree says little, with a button and a text in its pixels.
struct Sparse : Bench {
  explicit Sparse(const Settings& settings = fusing("sparse")) : Bench(settings) {
    desktop.window_list->windows.erase(desktop.window_list->windows.begin());
    desktop.picture->image = {200, 100, 800, PixelFormat::Bgrx8,
                              Buffer::of(std::vector<std::uint8_t>(80'000, 7))};
    desktop.picture->area = {0, 0, 200, 100};
    desktop.with_ocr({{"Pay", 96, {130, 60, 20, 10}, 0},
                      {"now", 94, {153, 60, 22, 10}, 0},
                      {"Total:", 90, {10, 80, 30, 10}, 1}});
    desktop.controls = VisionDetectResult{{control("Button", {125, 55, 60, 20})}, false, "test"};
  }
};

TEST_CASE("elements that are seen are found, described and clicked as others are") {
  Sparse bench;
  const auto structure = bench.run("get_window_structure");
  CHECK(has(structure, R"("source":"vision")"));
  CHECK(has(structure, R"("source":"ocr")"));
  CHECK(has(structure, R"("confidence":0.8)"));
  CHECK(has(structure, R"("name":"OK")"));  // what the tree says stays
  const auto found = bench.run("find_element", R"x({"selector":"Button[name=\"Pay now\"]"})x");
  REQUIRE(found.ok);
  CHECK(has(found, R"("element_id":"seen.)"));
  CHECK(has(found, R"("bounds":{"height":20,"width":60,"x":125,"y":55})"));
  CHECK(has(bench.run("get_screen_sketch"), R"(Button \"Pay now\")"));
  CHECK(bench
            .run("wait_for",
                 R"({"any_of":[{"type":"text_visible","regex":"^Total"}],"timeout_ms":100})")
            .ok);
  const auto clicked = bench.run("click_element", R"x({"selector":"Button[name=\"Pay now\"]"})x");
  REQUIRE(clicked.ok);
  REQUIRE(bench.desktop.pointer_requests.size() == 1);
  CHECK(bench.desktop.pointer_requests[0].x == 155);
  CHECK(bench.desktop.pointer_requests[0].y == 65);
  CHECK(bench.desktop.action_requests.empty());  // there is no application to ask
}

TEST_CASE("a window without a tree becomes one of what is seen") {
  Sparse bench;
  bench.desktop.a11y_tree = not_found("no accessible application owns window a");
  const auto structure = bench.run("get_window_structure");
  REQUIRE(structure.ok);
  CHECK(has(structure, R"("name":"Pay now")"));
  CHECK(has(structure, R"("role":"Window")"));
  bench.desktop.words = unavailable("no language data");
  bench.observer.engine().trees.forget_all();
  CHECK(bench.run("get_window_structure").error_code == "PlatformUnsupported");
}

TEST_CASE("a tree is fused where it is asked for and where it says little") {
  const auto reads = [](const Settings& settings, int extra) {
    Sparse bench(settings);
    for (int i = 0; i < extra; ++i) {
      tests::add_node(*bench.desktop.a11y_tree, 0, "Label", "Label " + std::to_string(i),
                      {10, 70, 5, 5});
    }
    const auto structure = bench.run("get_window_structure");
    CHECK(structure.ok);
    CHECK(has(structure, "Pay now") == !bench.desktop.ocr_requests.empty());
    return bench.desktop.ocr_requests.size();
  };
  CHECK(reads(fusing("off"), 0) == 0);
  CHECK(reads(fusing("sparse"), 0) == 1);
  CHECK(reads(fusing("sparse"), 10) == 0);
  CHECK(reads(fusing("always"), 10) == 1);
  Settings unread = fusing("always");
  unread.ocr.enabled = false;
  CHECK(reads(unread, 0) == 0);
}

TEST_CASE("a picture that cannot be read leaves the tree as it was reported") {
  Sparse bench;
  const std::string plain = Bench().run("get_window_structure").result.text;
  bench.desktop.words = unavailable("no language data");
  const auto structure = bench.run("get_window_structure");
  CHECK(structure.ok);
  CHECK(has(structure, R"("name":"OK")"));
  CHECK_FALSE(has(structure, R"("source")"));
  const auto hash = [](const std::string& text) { return text.substr(text.find("sha1:"), 45); };
  CHECK(hash(structure.result.text) == hash(plain));
}

TEST_CASE("rules hide what is seen as they hide what trees say") {
  Sparse bench;
  GuardRules rules;
  rules.version = 1;
  rules.replacement = "[x]";
  rules.max_text = 1000;
  const std::string by =
      GENERATE(as<std::string>{}, "name", "what is read", "role", "the window's title");
  CAPTURE(by);
  if (by == "name") rules.element_name_patterns = {"^Pay now$"};
  if (by == "what is read") rules.ocr_text_patterns = {"Pay now"};
  if (by == "role") rules.element_role_patterns = {"^Button$"};
  if (by == "the window's title") rules.window_title_patterns = {"^Main$"};
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  const auto structure = bench.run("get_window_structure");
  CHECK(structure.ok);
  CHECK(has(structure, "[x]"));
  CHECK_FALSE(has(structure, "Pay now"));
  CHECK_FALSE(bench.run("find_element", R"x({"selector":"//*[name=\"Pay now\"]"})x").ok);
  CHECK_FALSE(has(bench.run("get_screen_sketch"), "Pay now"));
}

TEST_CASE("what is painted over is not read into a tree") {
  Sparse bench;
  bench.desktop.a11y_tree->nodes[2].password = true;
  REQUIRE(bench.run("get_window_structure").ok);
  REQUIRE_FALSE(bench.desktop.ocr_requests.empty());
  const Image& read = bench.desktop.ocr_requests.back().image;
  CHECK(read.pixels.data()[50 * read.stride + 50 * 4] != 7);  // the field
  CHECK(read.pixels.data()[65 * read.stride + 140 * 4] == 7);
}

/// The sketch as a client gets it, with its line ends.
std::string sketch_of(const ObserverToolResult& result) {
  std::string text = result.result.text;
  for (std::size_t at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at)) {
    text.replace(at, 2, "\n");
  }
  return text;
}

TEST_CASE("read words are drawn over a sketch, into cells that are blank") {
  Sparse bench(fusing("off"));
  const std::string plain = sketch_of(bench.run("get_screen_sketch"));
  CHECK(plain.find("Total:") == std::string::npos);
  const auto result = bench.run("get_screen_sketch", R"({"ocr":true})");
  CHECK(has(result, R"("ocr_overlay":true)"));
  CHECK_FALSE(has(result, "ocr_error"));
  const std::string drawn = sketch_of(result);
  CHECK(drawn.find("Total:") != std::string::npos);
  CHECK(drawn.find("Pay now") != std::string::npos);
  // A word on the border of the button changes nothing of it.
  bench.desktop.with_ocr({{"######", 99, {8, 8, 30, 5}, 0}});
  const std::string covered = sketch_of(bench.run("get_screen_sketch", R"({"ocr":true})"));
  CHECK(covered.find("Button") != std::string::npos);
  CHECK(covered.find('#') == std::string::npos);
}

TEST_CASE("a picture without a name gets what was read on it beside the sketch") {
  Sparse bench(fusing("off"));
  tests::add_node(*bench.desktop.a11y_tree, 0, "Image", "", {120, 50, 80, 30});
  const auto result = bench.run("get_screen_sketch", R"({"ocr":true,"structured":true})");
  CHECK(has(result, R"("ocr_text":"Pay now")"));
  CHECK_FALSE(has(bench.run("get_screen_sketch", R"({"structured":true})"), "ocr_text"));
}

TEST_CASE("nothing hidden is read over a sketch") {
  Sparse bench(fusing("off"));
  tests::add_node(*bench.desktop.a11y_tree, 0, "Image", "", {120, 50, 80, 30});
  constexpr const char* kAll = R"({"ocr":true,"structured":true})";
  CHECK(has(bench.run("get_screen_sketch", kAll), "Pay now"));
  GuardRules rules;
  rules.version = 1;
  rules.replacement = "[x]";
  rules.max_text = 1000;
  const std::string hidden = GENERATE(
      as<std::string>{}, "words that a rule fits together", "words on an element that a rule hides",
      "words of a window that is hidden as a whole", "words in a password field");
  CAPTURE(hidden);
  if (hidden == "words that a rule fits together") rules.ocr_text_patterns = {"Pay now"};
  if (hidden == "words on an element that a rule hides") rules.element_role_patterns = {"^Image$"};
  if (hidden == "words of a window that is hidden as a whole") {
    rules.window_title_patterns = {"^Main$"};
  }
  if (hidden == "words in a password field") {
    bench.desktop.a11y_tree->nodes[2].password = true;
    bench.desktop.a11y_tree->nodes[2].bounds = {120, 50, 80, 30};
    bench.observer.engine().trees.forget_all();
  }
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  const auto result = bench.run("get_screen_sketch", kAll);
  CHECK(has(result, R"("ocr_overlay":true)"));
  CHECK_FALSE(has(result, "Pay"));
  CHECK_FALSE(has(result, "now"));
}

TEST_CASE("a sketch whose words cannot be read says by code why") {
  Sparse bench(fusing("off"));
  bench.desktop.words = Error{Code::DeadlineExceeded, "it reads for too long", {}};
  const auto result = bench.run("get_screen_sketch", R"({"ocr":true})");
  CHECK(result.ok);
  CHECK(has(result, R"("ocr_overlay":false)"));
  CHECK(has(result, R"("error_code":"Timeout")"));
  CHECK(has(result, "it reads for too long"));
}

}  // namespace
}  // namespace gantry::observation
