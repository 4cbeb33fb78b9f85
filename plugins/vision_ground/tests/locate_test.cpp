// SPDX-License-Identifier: Apache-2.0
// Which things of a made-up form descriptions mean.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include <gantry/contract.hpp>

#include "choose.hpp"
#include "describe.hpp"
#include "knowledge.hpp"

namespace gantry::vision_ground::test {
namespace {

VisualElement seen(const char* kind, const char* role, Rect box) {
  VisualElement out;
  out.kind = kind;
  out.role = role;
  out.bbox = box;
  out.confidence = 0.9;
  out.source = "vision";
  return out;
}

void write(std::vector<OcrWord>& words, const std::string& text, std::int32_t x, std::int32_t y) {
  const std::int32_t line = words.empty() ? 0 : words.back().line + 1;
  std::string word;
  for (const char c : text + " ") {
    if (c != ' ') {
      word += c;
      continue;
    }
    const auto width = static_cast<std::int32_t>(word.size()) * 8;
    words.push_back({word, 95, {x, y, width, 12}, line});
    x += width + 5;
    word.clear();
  }
}

/// A form: a search field with an icon, two labelled fields, three check boxes, a row of buttons.
struct Form {
  Form() {
    controls = {seen("control", "Edit", {100, 20, 300, 30}),
                seen("icon", "Image", {410, 24, 22, 22}),
                seen("icon", "Image", {760, 10, 24, 24}),
                seen("control", "Edit", {150, 100, 200, 28}),
                seen("control", "Edit", {150, 140, 200, 28}),
                seen("control", "CheckBox", {40, 200, 16, 16}),
                seen("control", "CheckBox", {40, 230, 16, 16}),
                seen("control", "CheckBox", {40, 260, 16, 16}),
                seen("control", "Button", {40, 320, 90, 30}),
                seen("control", "Button", {150, 320, 90, 30}),
                seen("control", "Button", {260, 320, 90, 30}),
                seen("control", "Button", {600, 520, 90, 30})};
    write(words, "Search", 30, 28);
    write(words, "Name", 40, 108);
    write(words, "First name", 40, 148);
    write(words, "Remember me", 64, 202);
    write(words, "Send a copy", 64, 232);
    write(words, "Dark mode", 64, 262);
    write(words, "Save", 60, 329);
    write(words, "Delete", 160, 329);
    write(words, "Cancel", 270, 329);
    write(words, "Save", 620, 529);
    write(words, "Nothing saved yet", 400, 400);
    things = gather({}, controls, words);
    for (Thing& thing : things) {
      if (thing.plain_text == "delete")
        thing.colour = "red";
      else
        thing.colour = thing.box.x == 410 ? "blue" : "grey";
    }
  }

  Result<std::vector<VisionMatch>> find(const std::string& description, bool unique = false,
                                        std::int32_t results = 5) const {
    auto phrase = parse(description);
    REQUIRE(phrase.ok());
    return choose(*phrase, things, {{0, 0, 800, 600}, 0.45, results, unique});
  }

  std::vector<VisualElement> controls;
  std::vector<OcrWord> words;
  std::vector<Thing> things;
};

struct Row {
  const char* description;
  std::int32_t x, y;  // of the box that is meant
};

const Row kRows[] = {
    {"Delete", 150, 320},
    {"the red button", 150, 320},
    {"red Delete button", 150, 320},
    {"button right of Save", 150, 320},
    {"second button", 150, 320},
    {"third button", 260, 320},
    {"the last button", 600, 520},
    {"the button left of the Cancel button", 150, 320},
    {"Save button at the bottom", 600, 520},
    {"the Save button in the lower right corner", 600, 520},
    {"search field", 100, 20},
    {"Search", 100, 20},
    {"blue icon", 410, 24},
    {"icon right of the search bar", 410, 24},
    {"icon in the top right corner", 760, 10},
    {"Name field", 150, 100},
    {"First name field", 150, 140},
    {"field below the Name field", 150, 140},
    {"the checkbox Send a copy", 40, 230},
    {"\"Dark mode\" check box", 40, 260},
    {"first checkbox", 40, 200},
    {"the checkbox below Remember me", 40, 230},
    {"Nothing saved yet", 400, 400},
    {"nothing saved", 400, 400},
    {"cance1", 260, 320},
};

}  // namespace

TEST_CASE("descriptions find what they mean") {
  const Form form;
  for (const Row& row : kRows) {
    INFO(row.description);
    const auto found = form.find(row.description);
    INFO((found.ok() ? found->front().reason : found.error().message));
    REQUIRE(found.ok());
    const VisionMatch& best = found->front();
    CHECK(best.bbox.x == row.x);
    CHECK(best.bbox.y == row.y);
    CHECK(best.bbox.contains(best.x, best.y));
    CHECK(best.confidence >= 0.45);
    CHECK(best.confidence <= 1);
    CHECK_FALSE(best.reason.empty());
  }
}

TEST_CASE("what is not there is not found, and the nearest are told") {
  const Form form;
  for (const char* description :
       {"the Print button", "\"Delet\" slider of doom", "seventh checkbox"}) {
    INFO(description);
    const auto found = form.find(description);
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().code == Code::NotFound);
    const auto detail = from_json<VisionLocateDetail>(found.error().detail);
    REQUIRE(detail.ok());
    CHECK(detail->reason == "not_found");
  }
  const auto near = form.find("Cancle now please all of it");
  REQUIRE_FALSE(near.ok());
  const auto nothing = choose(*parse("Save"), {}, {{0, 0, 800, 600}, 0.45, 5, false});
  REQUIRE_FALSE(nothing.ok());
  CHECK(nothing.error().code == Code::NotFound);
}

TEST_CASE("several that fit equally well are ambiguous where one is asked for") {
  const Form form;
  const auto one = form.find("Save", true);
  REQUIRE_FALSE(one.ok());
  CHECK(one.error().code == Code::FailedPrecondition);
  const auto detail = from_json<VisionLocateDetail>(one.error().detail);
  REQUIRE(detail.ok());
  CHECK(detail->reason == "ambiguous");
  CHECK(detail->matches.size() == 2);
  const auto all = form.find("Save");
  REQUIRE(all.ok());
  CHECK(all->size() >= 2);
  CHECK(form.find("Save", false, 1)->size() == 1);
  CHECK(form.find("Delete", true).ok());
  CHECK(form.find("the Save button at the bottom", true).ok());
}

TEST_CASE("an ordinal counts what stands in line with those that fit, and no other kind") {
  std::vector<OcrWord> words;
  std::vector<VisualElement> controls;
  const auto toggle = [&](const char* kind, const char* role, std::int32_t x, std::int32_t y) {
    controls.push_back(seen(kind, role, {x, y, 16, 16}));
    write(words, "Choice " + std::to_string(controls.size()), x + 24, y + 2);
  };
  toggle("control", "CheckBox", 40, 100);
  toggle("icon", "Image", 40, 130);  // ticked, in a theme of its own
  toggle("control", "CheckBox", 40, 160);
  toggle("control", "RadioButton", 240, 100);
  toggle("control", "RadioButton", 240, 130);
  controls.push_back(seen("icon", "Image", {500, 20, 22, 22}));
  toggle("icon", "Image", 430, 60);  // in no line with the others
  const std::vector<Thing> things = gather({}, controls, words);
  const auto at = [&](const char* description) {
    const auto found = choose(*parse(description), things, {{0, 0, 800, 600}, 0.45, 1, false});
    INFO(description);
    REQUIRE(found.ok());
    return std::pair(found->front().bbox.x, found->front().bbox.y);
  };
  CHECK(at("the second check box") == std::pair(40, 130));
  CHECK(at("the third check box") == std::pair(40, 160));
  CHECK(at("the last check box") == std::pair(40, 160));
  CHECK(at("first radio button") == std::pair(240, 100));
  CHECK(at("the last radio button") == std::pair(240, 130));
  CHECK(at("second check box below Choice 1") == std::pair(40, 160));
  CHECK_FALSE(choose(*parse("fourth check box"), things, {{0, 0, 800, 600}, 0.45, 1, false}).ok());
}

TEST_CASE("an element of the tree and what is seen of it are one thing") {
  VisualElement known;
  known.bbox = {40, 320, 92, 31};
  known.role = "Button";
  known.text = "Save document";
  known.confidence = 1;
  known.source = "a11y";
  std::vector<OcrWord> words;
  write(words, "Save", 60, 329);
  const auto things = gather({known}, {seen("control", "Button", {40, 320, 90, 30})}, words);
  REQUIRE(things.size() == 1);
  CHECK(things[0].source == "a11y+vision+ocr");
  CHECK(things[0].text == "Save document");  // the tree knows it better
}

TEST_CASE("words become lines, parted where they stand apart") {
  std::vector<OcrWord> words;
  write(words, "File Edit", 10, 10);
  words.push_back({"View", 80, {200, 10, 40, 12}, 0});
  const auto lines = lines_of(words);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].text == "File Edit");
  CHECK(lines[0].bbox == Rect{10, 10, 69, 12});
  CHECK(lines[1].text == "View");
  CHECK(lines[1].confidence == Approx(0.8));
}

TEST_CASE("a description names what is to be seen, in reading order") {
  const Form form;
  VisionColour ground;
  ground.background = "#ffffff";
  const VisionDescription all = description_of(form.things, {0, 0, 800, 600}, ground, 0);
  CHECK_FALSE(all.truncated);
  CHECK(all.text.find("light (#ffffff)") != std::string::npos);
  CHECK(all.text.find("- Button \"Delete\" at (195, 335)") != std::string::npos);
  CHECK(all.text.find("labelled \"first name\"") != std::string::npos);
  CHECK(all.text.find("Delete") < all.text.find("Cancel"));
  const VisionDescription cut = description_of(form.things, {0, 0, 800, 600}, ground, 60);
  CHECK(cut.truncated);
  CHECK(cut.text.size() == 60);
}

}  // namespace gantry::vision_ground::test
