// SPDX-License-Identifier: Apache-2.0
// Names as people say them, against what is on the screen.
#include <catch2/catch.hpp>
#include <gantry/observed.hpp>

using namespace gantry::observed;

TEST_CASE("an element's pattern finds it with its mnemonic and special characters") {
  CHECK(name_pattern("OK") == "(?i)[_&]?o[_&]?k");
  CHECK(name_pattern("C++ button") == "(?i)[_&]?c\\+\\+");
}

TEST_CASE("the same name goes before one that begins with it, and that before one that has it") {
  CHECK(closeness("_Save", "save") == 3);
  CHECK(closeness("Save as\xE2\x80\xA6", "save") == 2);
  CHECK(closeness("Quick save", "save") == 1);
  CHECK(closeness("Unsaved", "save") == 0);
  CHECK(closeness("", "save") == 0);
  CHECK(closeness("Save", "") == 0);
}

TEST_CASE("an article says nothing") {
  CHECK(without_article(" The Save button ") == "Save button");
  CHECK(without_article("my notes") == "notes");
  CHECK(without_article("theory") == "theory");
  CHECK(without_article("the") == "the");
}

TEST_CASE("a name means the closest of the elements, and those that can be acted on") {
  const std::vector<Element> elements{{"1", "Label", "Save", "", 0, 0, 1, 1},
                                      {"2", "Button", "Save", "", 0, 0, 1, 1},
                                      {"3", "Button", "Save all", "", 0, 0, 1, 1}};
  REQUIRE(match_elements(elements, "save", true).size() == 1);
  CHECK(match_elements(elements, "save", true).front().id == "2");
  CHECK(match_elements(elements, "save", false).size() == 2);
  CHECK(match_elements(elements, "all button", true).front().id == "3");
  CHECK(match_elements(elements, "print", true).empty());
}

TEST_CASE("who reads a field does not mean its label") {
  const std::vector<Element> elements{{"1", "Text", "Name", "", 0, 0, 1, 1},
                                      {"2", "Edit", "Name", "", 0, 0, 1, 1},
                                      {"3", "Text", "Status", "all good", 0, 0, 1, 1},
                                      {"4", "Text", "Status", "", 0, 0, 1, 1}};
  for (const char* name : {"name", "name field"}) {
    REQUIRE(match_elements(elements, name, false).size() == 1);
    CHECK(match_elements(elements, name, false).front().id == "2");
  }
  REQUIRE(match_elements(elements, "status", false).size() == 1);
  CHECK(match_elements(elements, "status", false).front().id == "3");
}

TEST_CASE("answers of the observer are read whole, and anything else as nothing") {
  const auto windows = read_windows(
      R"({"windows":[{"title":"A","window_uid":"w:1","process":"pad","pid":7,"focused":true},)"
      R"({"title":"B","window_uid":"w:2","minimized":true}]})");
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].process == "pad");
  CHECK(windows[0].pid == 7);
  CHECK(windows[0].focused);
  CHECK(windows[1].minimized);
  CHECK(read_windows("no json").empty());
  const auto elements = read_elements(
      R"({"tree":{"id":"root","role":"Window","children":[{"id":"root.0","role":"Button",)"
      R"("name":"OK","bounds":{"x":1,"y":2,"width":3,"height":4}}]}})");
  REQUIRE(elements.size() == 2);
  CHECK(elements[1].width == 3);
  CHECK(describe(elements[1]) == "Button \"OK\" at (1, 2)");
}
