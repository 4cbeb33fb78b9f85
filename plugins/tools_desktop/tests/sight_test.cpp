// SPDX-License-Identifier: Apache-2.0
// What a description means where no element is called so: found in the picture of the window.
#include <catch2/catch.hpp>
#include <gantry/codec.hpp>
#include <gantry/llm/json.hpp>
#include <gantry/picture/png.hpp>

#include <algorithm>

#include "world.hpp"

using namespace gantry;
using namespace gantry::desk::tests;

namespace {

constexpr const char* kClickRedThing =
    R"({"action":"click","source_description":"the red thing","window_uid":"w:1"})";
constexpr const char* kReadWords =
    R"({"ok":true,"words":[{"text":"Pay","line":3,"bounds":{"x":140,"y":60,"width":20,)"
    R"("height":10}}]})";

/// A picture of 40 × 20 pixels that shows 80 × 40 pixels of the screen from (100, 50).
std::string shot_of_window() {
  Image image{40, 20, 120, PixelFormat::Rgb8,
              Buffer::of(std::vector<std::uint8_t>(std::size_t{40} * 20 * 3, 200))};
  const auto file = picture::encode_png(image);
  REQUIRE(file.ok());
  const std::string bytes(file->begin(), file->end());
  return R"({"ok":true,"format":"png","data":")" + llm::base64(bytes) +
         R"(","width":40,"height":20,"bounds":{"x":100,"y":50,"width":80,"height":40}})";
}

VisionMatch match(std::int32_t x, std::int32_t y, std::string source, std::string text = {}) {
  VisionMatch out;
  out.x = x;
  out.y = y;
  out.kind = "control";
  out.role = "Button";
  out.text = std::move(text);
  out.source = std::move(source);
  return out;
}

Error ambiguous(std::vector<VisionMatch> matches) {
  VisionLocateDetail detail;
  detail.reason = "ambiguous";
  detail.matches = std::move(matches);
  return Error{Code::FailedPrecondition, "2 fit", std::string(to_json(detail))};
}

/// A world where no element is called so, and whose window can be shot and read.
struct Sighted : World {
  Sighted() {
    observer = [this](const ObserverToolRequest& request) -> std::optional<std::string> {
      if (request.tool == "find_element") return elements;
      if (request.tool == "get_screenshot") return shot;
      if (request.tool == "get_ocr") return words;
      return R"({"ok":true,"effect":"confirmed","route":"test"})";
    };
  }
  std::string elements =
      observer_error("ElementNotFound", "no element matches", R"({"window_uid":"w:1"})");
  std::string shot = shot_of_window();
  std::string words = kReadWords;
};

}  // namespace

TEST_CASE("what no element is called is found in the picture, and clicked where it is") {
  Sighted world;
  world.with_sight();
  world.locate = [](const auto&) {
    return VisionLocateResult{{match(10, 5, "ocr+vision", "Pay")}, "rules"};
  };
  const auto result = world.run("mouse_control", kClickRedThing);
  REQUIRE(result);
  CHECK_FALSE(result->is_error);
  CHECK(world.requests.back().tool == "click_at");
  CHECK(world.requests.back().arguments.text == R"({"x":120,"y":60,"window_uid":"w:1"})");
  CHECK(has(world.text(), R"("coordinate_method":"description","source":"ocr+vision")"));
  CHECK(has(world.text(), R"x("on":"Button \"Pay\" at (120, 60)")x"));
  REQUIRE(world.locates.size() == 1);
  const VisionLocateRequest& asked = world.locates.front();
  CHECK(asked.description == "red thing");
  CHECK(asked.unique);
  CHECK(asked.image.width == 40);
  CHECK(asked.image.height == 20);
  // The words go along in the picture's pixels, so that nobody reads it anew.
  REQUIRE(asked.words.size() == 1);
  CHECK(asked.words[0].text == "Pay");
  CHECK(asked.words[0].bbox == Rect{20, 5, 10, 5});
  CHECK(asked.words[0].line == 3);
}

TEST_CASE("an element with the name is enough, and no picture is taken") {
  Sighted world;
  world.with_sight();
  world.elements =
      R"({"ok":true,"window_uid":"w:1","all_matches":[{"element_id":"root.1","role":"Button",)"
      R"("name":"red thing","bounds":{"x":1,"y":2,"width":3,"height":4}}]})";
  (void)world.run("mouse_control", kClickRedThing);
  CHECK(world.requests.back().tool == "click_element");
  CHECK(has(world.text(), R"("source":"tree")"));
  CHECK_FALSE(has(world.asked(), "get_screenshot"));
  CHECK(world.locates.empty());
}

TEST_CASE("where nothing searches pictures the answer says what to enable, and takes none") {
  Sighted world;
  SECTION("there is no plugin for it") {
    (void)world.run("mouse_control", kClickRedThing);
    CHECK(has(world.text(), "gantry.vision.locate/1"));
    CHECK(has(world.text(), "enable vision_ground"));
  }
  SECTION("the plugin says of itself that it cannot") {
    world.with_sight();
    world.plugins.plugins.back().suitability = 0;
    world.plugins.plugins.back().suitability_reason = "no model is configured";
    (void)world.run("mouse_control", kClickRedThing);
    CHECK(has(world.text(), "no model is configured"));
  }
  CHECK(has(world.text(), "PlatformUnsupported"));
  CHECK(has(world.text(), "ocr_text"));
  CHECK(world.finished()->is_error);
  CHECK_FALSE(has(world.asked(), "get_screenshot"));
  CHECK(world.locates.empty());
}

TEST_CASE("several that fit are refused with candidates, one of which can be chosen") {
  Sighted world;
  world.with_sight();
  world.locate = [](const auto&) {
    return Result<VisionLocateResult>(
        ambiguous({match(10, 5, "vision"), match(30, 15, "ocr", "Pay")}));
  };
  const auto result = world.run("mouse_control", kClickRedThing);
  REQUIRE(result);
  CHECK(result->is_error);
  CHECK(has(world.text(), "AmbiguousTarget"));
  CHECK(has(world.text(), "2 things fit 'red thing'"));
  CHECK_FALSE(has(world.asked(), "click_at"));
  const auto answer = llm::parse_or_null(world.text());
  const std::string second(
      answer.at_pointer("/error/context/candidates/1/candidate_id").as_string().c_str());
  CHECK(answer.at_pointer("/error/context/candidates/0/source").as_string() == "vision");
  (void)world.run("mouse_control", R"({"action":"click","candidate_id":")" + second + "\"}");
  CHECK(world.requests.back().arguments.text == R"({"x":160,"y":80,"window_uid":"w:1"})");
  CHECK(has(world.text(), R"("source":"ocr")"));
}

TEST_CASE("what a search answers without a place is told by code") {
  struct Row {
    Error error;
    const char* code;
  };
  for (const Row& row : {Row{not_found("no"), "ElementNotFound"},
                         Row{unavailable("the picture cannot be read"), "PlatformUnsupported"},
                         Row{invalid_argument("nothing to look for"), "BadRequest"},
                         Row{Error{Code::DeadlineExceeded, "slow", {}}, "Timeout"},
                         Row{failed_precondition("2 fit"), "AmbiguousTarget"}}) {
    INFO(row.code);
    Sighted world;
    world.with_sight();
    world.locate = [&](const auto&) { return Result<VisionLocateResult>(row.error); };
    (void)world.run("mouse_control", kClickRedThing);
    CHECK(has(world.text(), "\"code\":\"" + std::string(row.code) + '"'));
    CHECK(has(world.text(), "no element is called 'red thing'"));
    CHECK_FALSE(has(world.asked(), "click_at"));
  }
}

TEST_CASE("a refusal of the observer is told, and nothing is shown to anybody") {
  Sighted world;
  world.with_sight();
  world.shot = observer_error("BudgetExceeded", "max_screenshots reached");
  (void)world.run("mouse_control", kClickRedThing);
  CHECK(has(world.text(), R"("code":"BudgetExceeded")"));
  CHECK(world.locates.empty());
  world.shot = R"({"ok":true,"data":"bm90IGEgcGljdHVyZQ=="})";
  (void)world.run("mouse_control", kClickRedThing);
  CHECK(has(world.text(), "without a picture"));
  CHECK(world.locates.empty());
}

TEST_CASE("texts that did not come from the observer are not told") {
  Sighted world;
  world.with_sight();
  const auto on = [&](const VisionMatch& found) {
    world.locate = [found](const auto&) { return VisionLocateResult{{found}, "model-1"}; };
    (void)world.run("mouse_control", kClickRedThing);
    return world.text();
  };
  CHECK_FALSE(has(on(match(1, 1, "vlm", "a secret")), "a secret"));
  CHECK(has(world.text(), R"("source":"vlm")"));
  world.words = observer_error("PlatformUnsupported", "ocr.enabled is false");
  CHECK_FALSE(has(on(match(1, 1, "ocr", "a secret")), "a secret"));
  CHECK(has(world.asked(), "click_at"));
}

TEST_CASE("what a model counted is charged, whatever came of it") {
  Sighted world;
  world.with_sight();
  SECTION("it found the place") {
    world.locate = [](const auto&) {
      return VisionLocateResult{{match(1, 1, "vlm")}, "model-1", 70};
    };
    (void)world.run("mouse_control", kClickRedThing);
    REQUIRE(world.settles.size() == 1);
    CHECK(world.settles[0].ok);
  }
  SECTION("it found none") {
    world.locate = [](const auto&) {
      VisionLocateDetail detail;
      detail.reason = "not_found";
      detail.tokens = 70;
      return Result<VisionLocateResult>(
          Error{Code::NotFound, "nothing", std::string(to_json(detail))});
    };
    (void)world.run("mouse_control", kClickRedThing);
    REQUIRE(world.settles.size() == 1);
    CHECK_FALSE(world.settles[0].ok);
    CHECK(world.settles[0].error_code == "ElementNotFound");
  }
  CHECK(world.settles[0].tool == "locate");
  CHECK(world.settles[0].vlm_tokens == 70);
  CHECK(world.settles[0].screenshots == 0);
  CHECK(world.settles[0].caller == "test:1");
  const auto asked = std::find_if(world.admits.begin(), world.admits.end(),
                                  [](const GuardAdmitRequest& one) { return one.vision; });
  REQUIRE(asked != world.admits.end());
  CHECK(asked->call.empty());  // it holds no place
}

TEST_CASE("rules are not charged, and answer with a used-up budget, too") {
  Sighted world;
  world.with_sight();
  world.guard = [](const GuardAdmitRequest& request) {
    if (!request.vision) return GuardVerdict{};
    return GuardVerdict{false, "BudgetExceeded", "max_vlm_tokens reached", Json("{}")};
  };
  world.locate = [](const auto&) { return VisionLocateResult{{match(0, 0, "vision")}, "rules"}; };
  (void)world.run("mouse_control", kClickRedThing);
  CHECK(has(world.asked(), "click_at"));
  REQUIRE(world.locates.size() == 1);
  CHECK_FALSE(world.locates[0].model_allowed);
  CHECK(world.settles.empty());
}

TEST_CASE("a model is not asked when its budget is used up or the guard cannot tell") {
  Sighted world;
  world.with_sight();
  world.locate = [](const auto&) {
    return Result<VisionLocateResult>(Error{Code::ResourceExhausted, "no model may be asked", {}});
  };
  SECTION("the budget is used up") {
    world.guard = [](const GuardAdmitRequest&) {
      return GuardVerdict{false, "BudgetExceeded", "max_vlm_tokens reached", Json("{}")};
    };
    (void)world.run("mouse_control", kClickRedThing);
    CHECK(has(world.text(), R"("code":"BudgetExceeded")"));
    CHECK(has(world.text(), "max_vlm_tokens reached"));
  }
  SECTION("a guard that is there does not answer") {
    world.guard_away = true;
    PluginInfo guard;
    guard.name = "guard";
    guard.state = "running";
    guard.provides = {std::string(GuardAdmit::kName)};
    world.plugins.plugins.push_back(std::move(guard));
    (void)world.run("mouse_control", kClickRedThing);
    CHECK(has(world.text(), R"("code":"PermissionDenied")"));
    CHECK(world.locates.empty());
  }
  CHECK_FALSE(has(world.asked(), "click_at"));
}

TEST_CASE("a window without a tree is looked at all the same") {
  Sighted world;
  world.with_sight();
  world.elements =
      observer_error("PlatformUnsupported", "there is no tree", R"({"window_uid":"w:1"})");
  world.locate = [](const auto&) { return VisionLocateResult{{match(0, 0, "vision")}, "rules"}; };
  (void)world.run("mouse_control", kClickRedThing);
  CHECK(world.requests.back().arguments.text == R"({"x":100,"y":50,"window_uid":"w:1"})");
}
