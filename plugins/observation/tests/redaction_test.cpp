// SPDX-License-Identifier: Apache-2.0
// What rules hide of a tree, a record and a picture.
#include <catch2/catch.hpp>

#include "guard_rules.hpp"
#include "image_scale.hpp"
#include "paint_over.hpp"
#include "redaction.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

using tests::rules_with;

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
  for (const char* name : {"P\u200BIN", "P\u202EIN\u00AD", "P\u001B[0mIN", "\uFEFFPIN\U000E0041",
                           "P\U0001BCA0I\U0001D173N", "\uFFF0PIN"}) {
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

TEST_CASE("a text's other writings are made once and forgotten with it") {
  RecentTexts recent(2, 1);
  recent.add("first");
  const std::weak_ptr<const SecretForms> forms = recent.texts().front().forms();
  recent.add("second");
  CHECK(recent.texts().front().forms() == forms.lock());
  recent.add("third");
  CHECK(forms.expired());
}

TEST_CASE("a secret in another writing is in no record") {
  struct Row {
    const char* typed;
    const char* text;
    bool shown;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"Hunter-2024", "hunter-2024", false},
           {"Hunter-2024", R"(Edit[value~="(?i)HUNTER-2024"])", false},
           {"Grüße-42", "GRÜSSE-42 GRÜßE-42", false},
           {"Hunter-2024", "Hunter-202", false},  // all but its last letter, or its first
           {"Hunter-2024", "it begins with unter-2024", false},
           {"Hunter-2024", R"(^\x48unter\-2024$)", false},
           {"Hunter-2024", R"(\x{48}\u0075\u{6e}ter-2024)", false},
           {"Hunter-2024", R"(\x68UNTER-2024)", false},
           {"97531", "97531.0", false},
           {"97531", "9.7531e4", false},
           {"97531.0", "97531", false},
           {"97531.0", R"(Edit[value="97531"])", false},
           {"Hunter-2024", "Hunter-1999", true},
           {"Hunter-2024", "2024", true},
           {"97531", "97530.0", true},
           {"97531", "9.7531e5", true},
           {"97531", R"(\x39 \x{} \u12 \x)", true},
           // Words so short begin titles, and a part of them is in many others.
           {"main", "Main menu", true},
           {"secret", "secre", true},
       }) {
    INFO(row.typed << " in " << row.text);
    Redaction redaction;
    redaction.remember(row.typed);
    const std::string recorded = redaction.recorded(row.text);
    CHECK((recorded == row.text) == row.shown);
    if (!row.shown) CHECK(recorded.find("[REDACTED]") != std::string::npos);
  }
}

TEST_CASE("numbers that are equal have one form") {
  CHECK(number_form("97531.0") == "97531");
  CHECK(number_form(" 9.7531e4 ") == "97531");
  CHECK(number_form("-12.50") == "-12.5");
  for (const char* none : {"", " ", "12a", "0x10", "nan", "inf", "1 2"}) {
    INFO(none);
    CHECK(number_form(none).empty());
  }
}

}  // namespace
}  // namespace gantry::observation
