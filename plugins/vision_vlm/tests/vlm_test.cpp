// SPDX-License-Identifier: Apache-2.0
// The plugin against a double of its servers, and what models write against what it means.
#include <catch2/catch.hpp>
#include <gantry/testkit/fake_host.hpp>

#include <cstdlib>
#include <string>

#include "../../../tests/support/model_server.hpp"
#include "answer.hpp"
#include "vlm_plugin.hpp"

namespace gantry::vision_vlm {
namespace {

struct Said {
  const char* text;
  Unit unit;
  double x;
  double y;
};

TEST_CASE("a place is read in every form that models have") {
  // A picture of 2000 x 1000.
  const Said rows[] = {
      {R"({"x": 100, "y": 50})", Unit::Auto, 100, 50},
      {"```json\n{\"x\": 100, \"y\": 50}\n```", Unit::Auto, 100, 50},
      {R"(It is here: {"point": [100, 50]}, I think.)", Unit::Auto, 100, 50},
      {R"({"click_point": {"x": 100, "y": 50}})", Unit::Auto, 100, 50},
      {R"({"bbox": [80, 40, 120, 60]})", Unit::Auto, 100, 50},
      {R"({"bbox": {"x": 80, "y": 40, "width": 40, "height": 20}})", Unit::Auto, 100, 50},
      {R"({"x1": 80, "y1": 40, "x2": 120, "y2": 60})", Unit::Auto, 100, 50},
      {R"([{"bbox_2d": [80, 40, 120, 60], "label": "Save"}])", Unit::Auto, 100, 50},
      {R"([{"point_2d": [100, 50]}])", Unit::Auto, 100, 50},
      {R"([{"box_2d": [40, 40, 60, 60]}])", Unit::Auto, 100, 50},  // thousandths, y first
      {R"({"target": {"center": [100, 50]}})", Unit::Auto, 100, 50},
      {"[100, 50]", Unit::Auto, 100, 50},
      {"[80, 40, 120, 60]", Unit::Auto, 100, 50},
      {"<point>100 50</point>", Unit::Auto, 100, 50},
      {"<point>[[100, 50]]</point>", Unit::Auto, 100, 50},
      {R"(<point x="5.0" y="5.0" alt="Save 7">Save</point>)", Unit::Auto, 100, 50},  // percents
      {"<box>[[40, 40, 60, 60]]</box>", Unit::Auto, 100, 50},                        // thousandths
      {"<|box_start|>(40,40),(60,60)<|box_end|>", Unit::Auto, 100, 50},
      {"(100, 50)", Unit::Auto, 100, 50},
      {"(80,40),(120,60)", Unit::Auto, 100, 50},
      {"It is at (80, 40, 120, 60), near the top.", Unit::Auto, 100, 50},
      {"Action: click(start_box='(100,50)')", Unit::Auto, 100, 50},
      {"pyautogui.click(x=0.05, y=0.05)", Unit::Auto, 100, 50},
      {R"({"x": 0.05, "y": 0.05})", Unit::Auto, 100, 50},
      {R"({"x": 50, "y": 50})", Unit::Thousandths, 100, 50},
      {R"({"x": 1, "y": 1})", Unit::Fractions, 2000, 1000},
      {R"({"x": 1, "y": 1})", Unit::Auto, 1, 1},
      {R"({"bbox_2d": [40, 40, 60, 60]})", Unit::Thousandths, 100, 50},
      {R"(<think>maybe {"x": 1, "y": 2}</think>{"x": 100, "y": 50})", Unit::Auto, 100, 50},
      {R"({broken} {"x": 100, "y": 50})", Unit::Auto, 100, 50},
  };
  for (const Said& row : rows) {
    INFO(row.text);
    const auto found = targets_in(row.text, {2000, 1000}, row.unit);
    REQUIRE(found.size() == 1);
    CHECK(found[0].x == Approx(row.x));
    CHECK(found[0].y == Approx(row.y));
  }
}

TEST_CASE("what names no place in the picture is none") {
  for (const char* text : {"",
                           "no",
                           R"({"found": false})",
                           R"({"found": false, "x": 1, "y": 2})",
                           "{}",
                           "[]",
                           R"({"x": "a", "y": 2})",
                           R"({"x": 1})",
                           R"({"x": -5, "y": 2})",
                           R"({"x": 5000, "y": 2})",
                           R"({"x": 1e999, "y": 2})",
                           R"({"x": null, "y": null})",
                           "[1]",
                           "[1,2,3]",
                           "(1)",
                           "(a, b)",
                           "<point></point>",
                           "<point>",
                           "{{{{{{",
                           "[[[[[[",
                           R"({"a": {"x": 1)"}) {
    INFO(text);
    CHECK(targets_in(text, {2000, 1000}, Unit::Auto).empty());
  }
  CHECK(targets_in(std::string(100'000, '['), {10, 10}, Unit::Auto).empty());
  CHECK(targets_in(std::string(100'000, '('), {10, 10}, Unit::Auto).empty());
}

TEST_CASE("several places stay in order, with what the model says of them") {
  const auto found =
      targets_in(R"([{"x": 1, "y": 2, "label": "a", "confidence": 0.25}, {"x": 3, "y": 4}])",
                 {10, 10}, Unit::Auto);
  REQUIRE(found.size() == 2);
  CHECK(found[0].label == "a");
  CHECK(found[0].confidence == 0.25);
  CHECK(found[1].x == 3);
  CHECK(found[1].confidence < 0);
}

Image white(std::int32_t width, std::int32_t height) {
  const auto size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3;
  return {width, height, width * 3, PixelFormat::Rgb8,
          Buffer::of(std::vector<std::uint8_t>(size, 255))};
}

testkit::ModelServer& double_server() {
  const char* source = std::getenv("GANTRY_SOURCE_DIR");
  static testkit::ModelServer server(std::string(source != nullptr ? source : ".") +
                                     "/tests/support/vision_server.py");
  server.reset();
  return server;
}

struct Stage {
  testkit::ModelServer& server = double_server();
  testkit::FakeHost kit;

  explicit Stage(const std::string& model, const std::string& more = {}) {
    const std::string config = R"({"base_url":")" + server.url() + R"(","model":")" + model +
                               R"(","api_key":"key-123")" + more + "}";
    REQUIRE(kit.load<VlmPlugin>("vision_vlm", config).ok());
  }
  Result<Ref<VisionLocateResult>> locate(const Image& image, std::optional<Rect> region = {}) {
    VisionLocateRequest request;
    request.image = image;
    request.region = region;
    request.description = "the Save button";
    return kit.host().bus().call_wait<VisionLocate>(std::move(request));
  }
  Result<Ref<VisionDescription>> describe(VisionDescribeRequest request) {
    return kit.host().bus().call_wait<VisionDescribe>(std::move(request));
  }
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("asked for the only one, several are refused, and told") {
  Stage stage(R"([{\"point_2d\":[10,20]},{\"point_2d\":[30,40]}])");  // it says its name
  VisionLocateRequest request;
  request.image = white(100, 100);
  request.description = "the button";
  request.unique = true;
  request.max_results = 1;  // more are asked for to know that
  const auto found = stage.kit.host().bus().call_wait<VisionLocate>(std::move(request));
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == Code::FailedPrecondition);
  CHECK(found.error().detail.find(R"("reason":"ambiguous")") != std::string::npos);
  CHECK(found.error().detail.find(R"("x":10,"y":20)") != std::string::npos);
  CHECK(found.error().detail.find(R"("x":30,"y":40)") != std::string::npos);
}

TEST_CASE("one place that is named twice is the only one") {
  Stage stage(R"([{\"point_2d\":[10,20]},{\"point_2d\":[12,21]}])");
  VisionLocateRequest request;
  request.image = white(100, 100);
  request.description = "the button";
  request.unique = true;
  request.max_results = 1;
  const auto found = stage.kit.host().bus().call_wait<VisionLocate>(std::move(request));
  REQUIRE(found.ok());
  CHECK((*found)->matches.size() == 1);
}

TEST_CASE("a point in the picture that was sent is a point in the one that was given") {
  Stage stage("point", R"(,"image_max_dim":100)");
  const auto found = stage.locate(white(400, 200));  // sent as 100 x 50
  REQUIRE(found.ok());
  REQUIRE((*found)->matches.size() == 1);
  CHECK((*found)->matches[0].x == 200);
  CHECK((*found)->matches[0].y == 100);
  CHECK((*found)->matches[0].confidence == 0.9);
  CHECK((*found)->matches[0].source == "vlm");
  const auto part = stage.locate(white(400, 200), Rect{300, 100, 100, 80});
  REQUIRE(part.ok());
  CHECK((*part)->matches[0].x == 350);
  CHECK((*part)->matches[0].y == 140);
}

TEST_CASE("the second address is tried on 404, and remembered; the key goes along") {
  Stage stage("point");
  REQUIRE(stage.locate(white(20, 20)).ok());
  REQUIRE(stage.locate(white(20, 20)).ok());
  const std::string log = stage.server.log();
  CHECK(has(log, R"("path": "/api/v1/chat/completions")"));
  CHECK(log.find("/api/v1") == log.rfind("/api/v1"));
  CHECK(has(log, "Bearer key-123"));
  CHECK(has(log, "the Save button"));
}

TEST_CASE("answers may come in parts, and say nothing") {
  CHECK(Stage("parts").locate(white(20, 20)).ok());
  for (const char* model : {"none", "words"}) {
    const auto found = Stage(model).locate(white(20, 20));
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().code == Code::NotFound);
    CHECK(has(found.error().detail, "not_found"));
  }
}

TEST_CASE("what a server refuses is told with what cures it, and without its words or the key") {
  struct Row {
    const char* model;
    Code code;
    const char* says;
  };
  for (const Row& row : {Row{"status-401", Code::Unavailable, "api_key"},
                         Row{"status-404", Code::Unavailable, "base_url"},
                         Row{"status-302", Code::Unavailable, "redirects"},
                         Row{"status-429", Code::ResourceExhausted, "too many"},
                         Row{"status-500", Code::Unavailable, "500"},
                         Row{"not-json", Code::Unavailable, "no JSON"}}) {
    INFO(row.model);
    const auto found = Stage(row.model).locate(white(20, 20));
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().code == row.code);
    CHECK(has(found.error().message, row.says));
    CHECK_FALSE(has(found.error().message, "secret words"));
    CHECK_FALSE(has(found.error().message, "key-123"));
  }
}

TEST_CASE("without a model, a picture or a description nothing is asked") {
  Stage none("");
  CHECK(none.locate(white(20, 20)).error().code == Code::Unavailable);
  Stage stage("point");
  CHECK(stage.locate(Image{}).error().code == Code::InvalidArgument);
  CHECK(stage.locate(white(20, 20), Rect{50, 50, 5, 5}).error().code == Code::InvalidArgument);
  CHECK(stage.server.log() == "[]");
}

TEST_CASE("a description takes one request, or four that build on each other") {
  Stage single("size", R"(,"ocr_max_chars":5)");
  VisionDescribeRequest request;
  request.image = white(40, 30);
  request.region = Rect{10, 10, 100, 5};
  request.words = {{"Hello", 90, {0, 0, 9, 9}, 0}, {"World", 90, {9, 0, 9, 9}, 0}};
  auto described = single.describe(request);
  REQUIRE(described.ok());
  CHECK((*described)->text == "30x5");
  CHECK((*described)->tokens == 100);
  CHECK(has(single.server.log(), "Hello"));
  CHECK_FALSE(has(single.server.log(), "World"));

  Stage passes("echo", R"(,"mode":"multipass")");
  described = passes.describe(request);
  REQUIRE(described.ok());
  CHECK((*described)->tokens == 400);
  const std::string log = passes.server.log();
  CHECK(has(log, "Written so far"));
  CHECK(has((*described)->text, "[5]"));  // what the last pass wrote; the first address was a 404
}

TEST_CASE("what a place took is told, also when there is none or more than one") {
  Stage stage("point");
  const auto found = stage.locate(white(20, 20));
  REQUIRE(found.ok());
  CHECK((*found)->tokens == 100);
  const auto none = Stage("none").locate(white(20, 20));
  REQUIRE_FALSE(none.ok());
  CHECK(has(none.error().detail, R"("tokens":100)"));
}

TEST_CASE("no model is asked where that is not allowed") {
  Stage stage("point");
  VisionLocateRequest request;
  request.image = white(20, 20);
  request.description = "the Save button";
  request.model_allowed = false;
  const auto found = stage.kit.host().bus().call_wait<VisionLocate>(std::move(request));
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == Code::ResourceExhausted);
  CHECK_FALSE(has(stage.server.log(), "completions"));
}

TEST_CASE("a budget of tokens ends the questions") {
  Stage stage("point", R"(,"token_budget":150)");
  CHECK(stage.locate(white(20, 20)).ok());
  CHECK(stage.locate(white(20, 20)).ok());
  const auto over = stage.locate(white(20, 20));
  REQUIRE_FALSE(over.ok());
  CHECK(over.error().code == Code::ResourceExhausted);
}

}  // namespace
}  // namespace gantry::vision_vlm
