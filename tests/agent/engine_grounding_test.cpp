// SPDX-License-Identifier: Apache-2.0
// Places that a model names in a client's screenshot, as pixels of the client's desktop.
#include <catch2/catch.hpp>
#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/picture.hpp>
#include <gantry/picture_text/matching.hpp>

#include <boost/json/parse.hpp>
#include <map>
#include <string_view>

#include "agent_world.hpp"

using namespace gantry;
using namespace gantry::testing;

namespace {

PictureRow row(const char* text, Rect bbox) { return {text, 0.9, bbox}; }

/// Two screenshots of 400 by 200 pixels, and what reads and sees them.
struct Screen {
  AgentWorld world;
  std::map<std::string, PictureTextRows> texts;  // by artifact
  std::vector<std::string> asked;                // what was looked at, and for what
  bool reads = true;
  bool answers = true;
  std::vector<Reply<PictureText>> open;

  Screen() {
    texts["old.png"] = {400, 200, {row("Save", {300, 100, 20, 10})}, ""};
    texts["new.png"] = {400,
                        200,
                        {row("Save", {100, 50, 40, 20}), row("Open file", {10, 10, 50, 10}),
                         row("Copy", {10, 30, 20, 10}), row("Copy", {10, 60, 20, 10})},
                        ""};
    ClientTool mouse;
    mouse.name = "mouse_control";
    mouse.grounded = true;
    ClientTool other;
    other.name = "other";
    world.client_tools = {mouse, other};
    serve_artifacts();
    serve_sight();
  }

  void serve_artifacts() {
    Bus& bus = world.kit().host("artifacts").bus();
    REQUIRE(bus.serve<ArtifactStat>([](const Ref<ArtifactRequest>& request, const CallInfo&,
                                       Reply<ArtifactStat> reply) {
                 ArtifactInfo info;
                 info.artifact_id = request->artifact_id;
                 info.content_type = "image/png";
                 reply(info);
               })
                .ok());
    REQUIRE(bus.serve<ArtifactGet>([](const Ref<ArtifactRequest>& request, const CallInfo&,
                                      Reply<ArtifactGet> reply) {
                 if (request->owner != "ann") return reply(Error{Code::NotFound, "not hers", {}});
                 ArtifactContent content;
                 content.info.artifact_id = request->artifact_id;
                 content.info.content_type = "image/png";
                 content.content = Buffer::copy(request->artifact_id);
                 reply(content);
               })
                .ok());
  }

  void serve_sight() {
    Bus& bus = world.kit().host("perception").bus();
    REQUIRE(bus.serve<PictureText>([this](const Ref<PictureTextRequest>& request, const CallInfo&,
                                          Reply<PictureText> reply) {
                 asked.push_back("text of " + std::string(request->file.text()));
                 if (!answers) return open.push_back(std::move(reply));
                 if (!reads) return reply(Error{Code::Unavailable, "no recogniser", {}});
                 reply(texts.at(std::string(request->file.text())));
               })
                .ok());
    REQUIRE(bus.serve<PictureLocate>([this](const Ref<PictureLocateRequest>& request,
                                            const CallInfo&, Reply<PictureLocate> reply) {
                 asked.push_back(request->description);
                 if (request->description == "a unicorn") {
                   return reply(Error{Code::NotFound, "nothing fits", {}});
                 }
                 PictureTargets targets;
                 targets.width = 400;
                 targets.height = 200;
                 targets.matches.emplace_back();
                 targets.matches[0].x = 200;
                 targets.matches[0].y = 150;
                 reply(targets);
               })
                .ok());
    REQUIRE(bus.serve<PictureOpen>([this](const Ref<PictureOpenRequest>&, const CallInfo&,
                                          Reply<PictureOpen> reply) {
                 asked.emplace_back("size");
                 OpenedPicture opened;
                 opened.image.width = 400;
                 opened.image.height = 200;
                 reply(opened);
               })
                .ok());
  }

  void start(const std::string& calls, const std::string& capture = "null",
             std::vector<std::string> methods = {}, bool with_picture = true) {
    auto request = world.request(calls + "\n@script reply done");
    if (with_picture) request.attachments = {"new.png"};
    request.options.capture = Json(capture);
    request.options.coordinate_methods = std::move(methods);
    REQUIRE(world.call<TurnStart>(std::move(request)).ok());
    world.kit().pump();
  }

  ToolCallItem call(std::size_t index = 0) {
    const auto all = world.bodies<ToolCallsBody>(EventKind::ToolCalls);
    REQUIRE_FALSE(all.empty());
    REQUIRE(all.back().calls.size() > index);
    return all.back().calls[index];
  }
};

/// In whatever order its members stand.
boost::json::value value_of(std::string_view json) { return boost::json::parse(std::string(json)); }

std::string mouse(const std::string& arguments) {
  return "@script tool mouse_control " + arguments;
}

}  // namespace

TEST_CASE("a place that is named becomes x and y, and nothing else of the call changes") {
  struct Row {
    const char* asked;
    const char* told;
    const char* method;
  };
  const Row wanted = GENERATE(values<Row>({
      {R"({"action":"click","ocr_text":"save"})", R"({"action":"click","x":120,"y":60})", "ocr"},
      {R"({"action":"click","find_coordinates_by":"ocr","ocr_text":"Sav"})",
       R"({"action":"click","x":120,"y":60})", "ocr"},
      {R"({"action":"click","find_coordinates_by":"prediction","source_description":"the bin"})",
       R"({"action":"click","x":200,"y":150})", "prediction"},
      {R"({"action":"click","find_coordinates_by":"manual","x":3,"y":4})",
       R"({"action":"click","x":3,"y":4})", "manual"},
      {R"({"action":"drag","ocr_text":"save","drag_to_ocr_text":"open file"})",
       R"({"action":"drag","x":120,"y":60,"drag_to_x":35,"drag_to_y":15})", "ocr"},
      {R"({"action":"drag","x":1,"y":2,"drag_to_source_description":"the bin"})",
       R"({"action":"drag","x":1,"y":2,"drag_to_x":200,"drag_to_y":150})", "manual"},
  }));
  INFO(wanted.asked);
  Screen screen;
  screen.start(mouse(wanted.asked));
  const ToolCallItem call = screen.call();
  CHECK(call.place == ToolPlace::Client);
  CHECK(value_of(call.arguments.text) == value_of(wanted.told));
  REQUIRE(call.grounding);
  CHECK(call.grounding->method == wanted.method);
  CHECK(call.grounding->asked.text == wanted.asked);
}

TEST_CASE("a call that names no place, and a tool that finds its own, are told as they are") {
  Screen screen;
  const std::string calls =
      GENERATE(as<std::string>{}, R"(@script tool mouse_control {"action":"wait"})",
               R"(@script tool other {"ocr_text":"save"})");
  screen.start(calls);
  CHECK(calls.ends_with(screen.call().arguments.text));
  CHECK_FALSE(screen.call().grounding);
  CHECK(screen.asked.empty());
}

TEST_CASE("pixels of the picture become those of the desktop that it shows") {
  struct Row {
    const char* capture;
    const char* asked;
    const char* told;
    std::int32_t target;
  };
  const Row wanted = GENERATE(values<Row>({
      // the picture shows 800 by 400 pixels, from 50, 20 on
      {R"({"source_w":1920,"source_h":1080,"crop_x":50,"crop_y":20,"crop_w":800,"crop_h":400})",
       R"({"ocr_text":"save"})", R"({"x":290,"y":140})", 1920},
      {R"({"source_w":1920,"source_h":1080,"crop_x":50,"crop_y":20,"crop_w":800,"crop_h":400})",
       R"({"x":10,"y":10})", R"({"x":70,"y":40})", 1920},
      {R"({"source_w":800,"source_h":400})", R"({"x":10,"y":10})", R"({"x":20,"y":20})", 800},
      // the captured pixels are two for one of the desktop, whose corner is not at 0, 0
      {R"({"source_w":800,"source_h":400,"crop_x":0,"crop_y":0,"crop_w":800,"crop_h":400,)"
       R"("desktop_virtual_bounds":{"x":-100,"y":30,"width":400,"height":200}})",
       R"({"x":10,"y":10})", R"({"x":-90,"y":40})", 400},
      {R"({"frame_id":"frame-1"})", R"({"x":10,"y":10})", R"({"x":10,"y":10})", 0},
  }));
  INFO(wanted.capture << ' ' << wanted.asked);
  Screen screen;
  screen.start(mouse(wanted.asked), wanted.capture);
  CHECK(value_of(screen.call().arguments.text) == value_of(wanted.told));
  REQUIRE(screen.call().grounding);
  CHECK(screen.call().grounding->target_width == wanted.target);
  CHECK(screen.call().grounding->source_width == (wanted.target == 0 ? 0 : 400));
}

TEST_CASE("the newest picture counts, with what its client says of it") {
  Screen screen;
  screen.start(mouse(R"({"ocr_text":"save"})") + "\n" + mouse(R"({"ocr_text":"save"})"));
  CHECK(value_of(screen.call().arguments.text) == value_of(R"({"x":120,"y":60})"));
  ClientToolResult result;
  result.call = screen.call().request;
  result.output = "clicked";
  result.images = {
      {"old.png", "image/png", "", Json(R"({"source_w":400,"crop_x":1000,"crop_y":0})")}};
  REQUIRE(screen.world.call<TurnResults>({"ann", {result}, {}}).ok());
  screen.world.kit().pump();
  CHECK(value_of(screen.call().arguments.text) == value_of(R"({"x":1310,"y":105})"));
  CHECK(screen.asked == std::vector<std::string>{"text of new.png", "text of old.png"});
}

TEST_CASE("a candidate is one of the newest picture") {
  Screen screen;
  const auto rows = picture_text::rows_of(screen.texts["new.png"], "new.png");
  screen.start(
      mouse(R"({"find_coordinates_by":"ocr","candidate_id":")" + rows[3].candidate_id + R"("})"));
  CHECK(value_of(screen.call().arguments.text) == value_of(R"({"x":20,"y":65})"));

  Screen other;
  const auto gone = picture_text::rows_of(other.texts["old.png"], "old.png");
  other.start(mouse(R"({"candidate_id":")" + gone[0].candidate_id + R"("})"));
  CHECK(other.call().place == ToolPlace::Nowhere);
  CHECK(other.call().problem.find("frame changed, re-ground required") != std::string::npos);
}

TEST_CASE("a place that cannot be found is told to the model, and the client is asked nothing") {
  struct Row {
    const char* asked;
    const char* why;
  };
  const Row wanted = GENERATE(values<Row>({
      {R"({"ocr_text":"copy"})", R"("candidates":[{"candidate_id":"ocr_)"},
      {R"({"ocr_text":"copy"})", R"("retry_method":"ocr_candidate")"},
      {R"({"ocr_text":"checkout"})", R"("best_score":)"},
      {R"({"source_description":"a unicorn"})", "nothing fits"},
      {R"({"find_coordinates_by":"ocr"})", "ocr_text must say what is meant"},
      {R"({"find_coordinates_by":"smell","ocr_text":"save"})", "no way 'smell'"},
      {R"({"x":3})", "x and y belong together"},
      {R"({"ocr_text":"save","drag_to_x":3})", "drag_to_x and drag_to_y belong together"},
      {R"({"x":3,"y":4,"screenshot_id":"s"})", "screenshot_id"},
      {R"({"x":1e+300,"y":4})", "x and y are on no desktop"},
  }));
  INFO(wanted.asked);
  Screen screen;
  screen.start(mouse(wanted.asked));
  const ToolCallItem call = screen.call();
  INFO(call.problem);
  CHECK(call.place == ToolPlace::Nowhere);
  CHECK(call.problem.find(wanted.why) != std::string::npos);
  CHECK(call.arguments.text == wanted.asked);
  CHECK(screen.world.bodies<ToolResultBody>(EventKind::ToolResult)[0].end == ToolEnd::Rejected);
  CHECK(screen.world.finished().final_text == "done");
}

TEST_CASE("a way that the session does not have is not gone") {
  Screen screen;
  screen.start(mouse(R"({"ocr_text":"save"})"), "null", {"manual", "prediction"});
  CHECK(screen.call().problem ==
        "places must not be found by ocr in this session; use manual or prediction");
  CHECK(screen.asked.empty());
}

TEST_CASE("without a picture, or somebody who reads it, only numbers name a place") {
  Screen screen;
  screen.reads = false;
  const bool picture = GENERATE(true, false);
  screen.start(mouse(R"({"ocr_text":"save"})"), "null", {}, picture);
  CHECK(screen.call().problem ==
        (picture ? "the text of the picture could not be read: no recogniser"
                 : "there is no picture to find it in; take a screenshot first"));
}

TEST_CASE("a turn that is stopped while a place is looked for asks its client nothing") {
  Screen screen;
  screen.answers = false;
  screen.start(mouse(R"({"ocr_text":"save"})"));
  CHECK(screen.world.bodies<ToolCallsBody>(EventKind::ToolCalls).empty());
  REQUIRE(screen.world.call<TurnStop>({"ann", std::nullopt, {}, "enough", 0}).ok());
  screen.world.kit().pump();
  CHECK(screen.call().place == ToolPlace::Nowhere);
  CHECK(screen.world.finished().end == TurnEnd::Cancelled);
  for (auto& reply : screen.open) reply(screen.texts["new.png"]);
  screen.world.kit().pump();
  const auto rows = screen.world.history();
  REQUIRE(rows.size() == 3);
  CHECK(rows[2].role == RowRole::Tool);
}
