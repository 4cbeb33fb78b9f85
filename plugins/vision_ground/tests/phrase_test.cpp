// SPDX-License-Identifier: Apache-2.0
// What descriptions say.
#include <catch2/catch.hpp>
#include <string>

#include "alike.hpp"
#include "phrase.hpp"
#include "words.hpp"

namespace gantry::vision_ground::test {
namespace {

/// A phrase in one line: what it has, in this order.
std::string said(const Phrase& phrase) {
  std::string out;
  const auto add = [&](const std::string& more) { out += (out.empty() ? "" : " ") + more; };
  if (phrase.ordinal != 0) add("#" + std::to_string(phrase.ordinal));
  if (!phrase.colour.empty()) add("colour:" + phrase.colour);
  if (!phrase.text.empty()) add((phrase.quoted ? "quoted:" : "text:") + phrase.text);
  if (!phrase.role.empty()) add("role:" + phrase.role);
  if (phrase.across != 0) add(phrase.across < 0 ? "left" : "right");
  if (phrase.down != 0) add(phrase.down < 0 ? "top" : "bottom");
  if (phrase.centre) add("centre");
  if (phrase.anchor != nullptr) {
    add(std::string(relation_words(phrase.relation)) + " (" + said(*phrase.anchor) + ")");
  }
  return out;
}

struct Said {
  const char* description;
  const char* said;
};

const Said kSaid[] = {
    {"Save", "text:save"},
    {"the Save button", "text:save role:button"},
    {"\"Save\"", "quoted:save"},
    {"the button labelled 'Save as...'", "quoted:save as role:button"},
    {"the button that says “Weiter”", "quoted:weiter role:button"},
    {"click on the blue Submit button", "colour:blue text:submit role:button"},
    {"gray text field", "colour:grey role:field"},
    {"orange search button on the right side of the search bar",
     "colour:orange text:search role:button right of (text:search role:bar)"},
    {"icon to the right of the search field", "role:icon right of (text:search role:field)"},
    {"the field below Name", "role:field below (text:name)"},
    {"second button", "#2 role:button"},
    {"the last check box", "#-1 role:checkbox"},
    {"icon in the top right corner", "role:icon right top"},
    {"the menu in the upper left corner of the screen", "role:menu left top"},
    {"close button at the bottom of the window", "text:close role:button bottom"},
    {"button in the middle", "role:button centre"},
    {"radio button Landscape", "text:landscape role:radio"},
    {"Sign in", "text:sign in"},
    {"Sign in button", "text:sign in role:button"},
    {"Back to top link", "text:back role:link top"},
    {"checkbox next to \"Remember me\"", "role:checkbox next to (quoted:remember me)"},
    {"Delete in the \"Danger zone\" panel", "text:delete in (quoted:danger zone role:panel)"},
    {"field below the field below Name", "role:field below (role:field below (text:name))"},
    {"dropdown menu", "role:dropdown"},
    {"menu button", "text:menu role:button"},
    {"Ünïcödé button", "text:ünïcödé role:button"},
    {"C++ tab", "text:c++ role:tab"},
};

}  // namespace

TEST_CASE("descriptions are taken apart") {
  for (const Said& row : kSaid) {
    INFO(row.description);
    const auto phrase = parse(row.description);
    REQUIRE(phrase.ok());
    CHECK(said(*phrase) == row.said);
  }
}

TEST_CASE("what names nothing is refused") {
  const std::string long_one(8001, 'a');
  for (const std::string& text :
       {std::string(), std::string("   "), std::string("\t\n\x01"), long_one}) {
    const auto phrase = parse(text);
    REQUIRE_FALSE(phrase.ok());
    CHECK(phrase.error().code == Code::InvalidArgument);
  }
}

TEST_CASE("any bytes are taken") {
  std::uint32_t state = 7;
  constexpr char kBytes[] = "a\"'` \xc3\xbc\xe2\x80\x9c\xff\x00right of below in the 1st";
  const std::string_view alphabet(kBytes, sizeof kBytes - 1);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::uint32_t i = 0; i < 1 + state % 60; ++i) {
      state = state * 1664525U + 1013904223U;
      text += alphabet[(state >> 8U) % alphabet.size()];
    }
    (void)parse(text);
  }
  std::string nested = "x";
  for (int i = 0; i < 300; ++i) nested += " right of x";
  CHECK(parse(nested).ok());
}

TEST_CASE("texts are alike as people see it") {
  CHECK(likeness("save", "save") == 1);
  CHECK(likeness("file", "fi1e") > 0.9);
  CHECK(likeness("save", "save as") > 0.6);
  CHECK(likeness("save", "save as") < 0.9);
  CHECK(likeness("documents", "docurnents") > 0.7);
  CHECK(likeness("save", "delete") == 0);
  CHECK(likeness("save", "") == 0);
  CHECK(likeness("in", "printing") == 0);
  CHECK(plain("  File\tName: ") == "file name");
  CHECK(plain("ÄÖÜ") == "äöü");
}

}  // namespace gantry::vision_ground::test
