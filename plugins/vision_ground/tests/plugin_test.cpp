// SPDX-License-Identifier: Apache-2.0
// The plugin between those that it asks.
#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ground_plugin.hpp"

#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

namespace gantry::vision_ground::test {
namespace {

Image picture() {
  std::vector<std::uint8_t> pixels(std::size_t{200} * 100 * 3, 255);
  return {200, 100, 600, PixelFormat::Rgb8, Buffer::of(std::move(pixels))};
}

VisionLocateRequest request(std::string description) {
  VisionLocateRequest out;
  out.image = picture();
  out.description = std::move(description);
  return out;
}

OcrResult save_and_open() {
  return {{{"Save", 90, {20, 20, 30, 10}, 0}, {"Open", 90, {120, 20, 30, 10}, 1}}, "test"};
}

/// Answers calls of a contract with what the test sets, and keeps what was asked.
template <class C>
struct Double {
  explicit Double(testkit::FakeHost& kit) {
    const auto served = kit.host().bus().serve<C>(
        [this](const typename C::Request& asked) -> Result<typename C::Response> {
          requests.push_back(asked);
          return answer;
        });
    REQUIRE(served.ok());
  }
  Result<typename C::Response> answer = typename C::Response{};
  std::vector<typename C::Request> requests;
};

struct Running {
  Running() {
    const auto loaded = kit.load<GroundPlugin>("vision_ground");
    REQUIRE(loaded.ok());
  }
  Result<Ref<VisionLocateResult>> locate(VisionLocateRequest asked) {
    return kit.host().bus().call_wait<VisionLocate>(std::move(asked));
  }
  testkit::FakeHost kit;
};

/// By somebody who waits longer than the plugin looks; `code` is how it ended.
void locate_patiently(testkit::FakeHost& kit, const char* description, std::optional<Code>& code) {
  CallOptions patient;
  patient.timeout = std::chrono::minutes(10);
  kit.host().bus().call<VisionLocate>(
      request(description),
      [&code](const auto& answer) { code = answer.ok() ? Code::Ok : answer.error().code; },
      patient);
}

}  // namespace

TEST_CASE("texts, shapes and colours are asked for as they are needed") {
  Running running;
  Double<OcrRead> ocr(running.kit);
  Double<VisionDetect> detect(running.kit);
  Double<VisionColours> colours(running.kit);
  ocr.answer = save_and_open();
  VisualElement button;
  button.bbox = {110, 10, 60, 30};
  button.kind = "control";
  button.role = "Button";
  button.confidence = 1;
  button.source = "vision";
  detect.answer = VisionDetectResult{{button}, false, "test"};
  colours.answer =
      VisionColoursResult{{{{}, "", "", "", "red", false}, {{}, "", "", "", "blue", false}}};

  const auto plain = running.locate(request("Open button"));
  REQUIRE(plain.ok());
  CHECK((*plain)->matches.front().bbox == Rect{110, 10, 60, 30});
  CHECK((*plain)->route == "rules");
  CHECK(ocr.requests.size() == 1);
  CHECK(detect.requests.size() == 1);
  CHECK(detect.requests[0].words.size() == 2);
  CHECK(colours.requests.empty());

  const auto red = running.locate(request("the red one"));
  REQUIRE(red.ok());
  CHECK(colours.requests.size() == 1);
  CHECK((*red)->matches.front().bbox == Rect{110, 10, 60, 30});
}

TEST_CASE("a match whose colour nobody looked at in time is not told") {
  testkit::FakeHost kit;
  REQUIRE(
      kit.load<GroundPlugin>("vision_ground", R"({"timeout":100000,"min_confidence":0.1})").ok());
  Double<OcrRead> ocr(kit);
  ocr.answer = save_and_open();
  Double<VisionDetect> detect(kit);
  const testkit::HeldCalls<VisionColours> colours(kit.host("eyes"));
  std::optional<Code> code;
  locate_patiently(kit, "red Save", code);
  kit.advance(std::chrono::milliseconds(99'999));
  REQUIRE(colours.size() == 1);
  kit.advance(std::chrono::milliseconds(1));
  CHECK(code == Code::DeadlineExceeded);
}

TEST_CASE("looking takes as long as `timeout` allows, and no shorter limit of a part counts") {
  testkit::FakeHost kit;
  REQUIRE(kit.load<GroundPlugin>("vision_ground", R"({"timeout":100000})").ok());
  const testkit::HeldCalls<OcrRead> readings(kit.host("eyes"));
  std::optional<Code> code;
  locate_patiently(kit, "Open", code);
  kit.advance(std::chrono::milliseconds(99'999));
  REQUIRE(readings.size() == 1);
  CHECK_FALSE(code);
  SECTION("in time") {
    readings.at(0)(save_and_open());
    kit.pump();
    CHECK(code == Code::Ok);
  }
  SECTION("too late") {
    kit.advance(std::chrono::milliseconds(1));
    CHECK(code == Code::DeadlineExceeded);
    CHECK(readings.at(0).cancelled());
  }
}

TEST_CASE("words that the caller knows are not read again") {
  Running running;
  Double<OcrRead> ocr(running.kit);
  VisionLocateRequest asked = request("Save");
  asked.words = save_and_open().words;
  const auto found = running.locate(asked);
  REQUIRE(found.ok());
  CHECK(ocr.requests.empty());
  CHECK((*found)->matches.front().x == 35);
  CHECK((*found)->matches.front().source == "ocr");
}

TEST_CASE("elements of a tree are enough") {
  Running running;
  VisionLocateRequest asked = request("Help");
  VisualElement help;
  help.bbox = {50, 50, 40, 20};
  help.role = "Button";
  help.text = "Help";
  help.confidence = 1;
  help.source = "a11y";
  asked.elements = {help};
  const auto found = running.locate(asked);
  REQUIRE(found.ok());
  CHECK((*found)->matches.front().source == "a11y");
}

TEST_CASE("only what lies in the region is found") {
  Running running;
  VisionLocateRequest asked = request("Save");
  asked.words = save_and_open().words;
  asked.region = Rect{100, 0, 100, 100};
  const auto found = running.locate(asked);
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == Code::NotFound);
}

TEST_CASE("where nothing can be known the answer says why") {
  Running alone;
  const auto nothing = alone.locate(request("Save"));
  REQUIRE_FALSE(nothing.ok());
  CHECK(nothing.error().code == Code::Unavailable);

  Running running;
  Double<OcrRead> ocr(running.kit);
  Double<VisionDetect> detect(running.kit);
  ocr.answer = unavailable("there is no language data", "install it");
  const auto unread = running.locate(request("Save"));
  REQUIRE_FALSE(unread.ok());
  CHECK(unread.error().code == Code::Unavailable);
  CHECK(unread.error().message.find("language data") != std::string::npos);
  ocr.answer = invalid_argument("this is no picture");
  const auto bad = running.locate(request("Save"));
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().code == Code::InvalidArgument);
}

TEST_CASE("who gives up takes the reading along, and nothing more is asked for") {
  Running running;
  Double<VisionDetect> detect(running.kit);
  const testkit::HeldCalls<OcrRead> readings(running.kit.host("eyes"));
  CallHandle call =
      running.kit.host().bus().call<VisionLocate>(request("Open button"), [](const auto&) {});
  running.kit.pump();
  REQUIRE(readings.size() == 1);
  call.cancel();
  running.kit.pump();
  CHECK(readings.at(0).cancelled());
  CHECK(detect.requests.empty());
}

TEST_CASE("an empty description is refused before anything is asked") {
  Running running;
  Double<OcrRead> ocr(running.kit);
  const auto answer = running.locate(request("  "));
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == Code::InvalidArgument);
  CHECK(ocr.requests.empty());
}

TEST_CASE("a picture is described from what is known of it") {
  Running running;
  Double<OcrRead> ocr(running.kit);
  Double<VisionDetect> detect(running.kit);
  ocr.answer = save_and_open();
  VisionDescribeRequest asked;
  asked.image = picture();
  const auto answer = running.kit.host().bus().call_wait<VisionDescribe>(std::move(asked));
  REQUIRE(answer.ok());
  CHECK((*answer)->text.find("- text \"Save\" at (35, 25)") != std::string::npos);
  CHECK((*answer)->route == "rules");
}

}  // namespace gantry::vision_ground::test
