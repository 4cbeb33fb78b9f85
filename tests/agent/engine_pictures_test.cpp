// SPDX-License-Identifier: Apache-2.0
// What a model is shown of pictures and documents.
#include <catch2/catch.hpp>
#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/document.hpp>
#include <gantry/contracts/picture.hpp>

#include "agent_engine/src/images.hpp"
#include "agent_world.hpp"

using namespace gantry;
using namespace gantry::testing;

namespace {

constexpr std::size_t kLarge = 900'000;

/// One artifact, and who makes it smaller.
struct Pictures {
  explicit Pictures(AgentWorld& world, const char* media_type = "image/png") {
    testkit::FakeHost& kit = world.kit();
    ArtifactInfo info;
    info.artifact_id = "screen.png";
    info.content_type = media_type;
    Bus& artifacts = kit.host("artifacts").bus();
    REQUIRE(artifacts
                .serve<ArtifactStat>([info](const auto&, const CallInfo&,
                                            Reply<ArtifactStat> reply) { reply(info); })
                .ok());
    REQUIRE(artifacts
                .serve<ArtifactGet>([info](const auto&, const CallInfo&, Reply<ArtifactGet> reply) {
                  reply(ArtifactContent{info, Buffer::of(std::vector<std::uint8_t>(kLarge))});
                })
                .ok());
  }

  void serve_fit(AgentWorld& world, Result<FittedPicture> answer) {
    REQUIRE(world.kit()
                .host("perception")
                .bus()
                .serve<PictureFit>([this, answer](const Ref<PictureFitRequest>& request,
                                                  const CallInfo&, Reply<PictureFit> reply) {
                  asked.push_back(*request);
                  reply(answer);
                })
                .ok());
  }

  std::vector<PictureFitRequest> asked;
};

FittedPicture half() {
  FittedPicture out;
  out.file = Buffer::of(std::vector<std::uint8_t>(1234));
  out.media_type = "image/jpeg";
  out.width = 2048;
  out.height = 1152;
  out.original_width = 4096;
  out.original_height = 2304;
  return out;
}

/// Which pictures reached the model, and what is said beside them: the scripted model takes texts
/// after the user's for the rest of its script.
std::string told(AgentWorld& world) {
  auto request = world.request("@script image?\n@script reply ;");
  request.attachments = {"screen.png"};
  const auto started = world.call<TurnStart>(std::move(request));
  REQUIRE(started.ok());
  world.kit().pump();
  const TurnFinishedBody end = world.finished();
  INFO(end.reason);
  CHECK(end.end == TurnEnd::Completed);
  return end.final_text;
}

}  // namespace

TEST_CASE("a large picture is shown smaller, and what that does to places in it is said") {
  AgentWorld world;
  Pictures pictures(world);
  pictures.serve_fit(world, half());
  CHECK(told(world) ==
        "1 image: image/jpeg 1234 bytes;\n[the picture is shown at 2048x1152 of its 4096x2304 "
        "pixels: positions in the original are 2 times those in it]");
  REQUIRE(pictures.asked.size() == 1);
  CHECK(pictures.asked[0].file.size() == kLarge);
  CHECK(pictures.asked[0].max_edge == 2048);
  CHECK(pictures.asked[0].max_bytes == 786'432);
}

TEST_CASE("a picture that nobody makes smaller is shown as it is, up to the limit") {
  AgentWorld world;
  Pictures pictures(world);
  const auto kind = GENERATE(as<std::string>{}, "nobody", "fails");
  if (kind == "fails") pictures.serve_fit(world, Error{Code::InvalidArgument, "no picture", {}});
  CHECK(told(world) == "1 image: image/png 900000 bytes;");
}

TEST_CASE("a picture above the limit is named instead") {
  AgentWorld world(R"({"image_limit":100000})");
  Pictures pictures(world);
  CHECK(told(world) == "no image;\n[picture screen.png: too large to show]");
}

TEST_CASE("a document is told as text that nobody vouches for") {
  AgentWorld world;
  const Pictures pictures(world, "application/pdf");
  Result<DocumentTextAnswer> answer = DocumentTextAnswer{"Pay 5 by Monday.", true};
  std::vector<DocumentTextRequest> asked;
  const auto serve = [&] {
    REQUIRE(world.kit()
                .host("documents")
                .bus()
                .serve<DocumentText>([&](const Ref<DocumentTextRequest>& request, const CallInfo&,
                                         Reply<DocumentText> reply) {
                  asked.push_back(*request);
                  reply(answer);
                })
                .ok());
  };
  SECTION("whole or in part") {
    serve();
    CHECK(told(world) ==
          "no image;\n<tool_output tool=\"file screen.png\" trust=\"untrusted\">\n"
          "Pay 5 by Monday.\n[the document goes on]\n</tool_output>");
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].content.size() == kLarge);
    CHECK(asked[0].max_bytes == 100'000);
  }
  SECTION("that shares the room that the model has") {
    serve();
    auto request = world.request("@script image?\n@script reply ;");
    request.attachments = {"screen.png", "screen.png"};
    const auto started = world.call<TurnStart>(std::move(request));
    REQUIRE(started.ok());
    world.kit().pump();
    REQUIRE_FALSE(asked.empty());
    CHECK(asked[0].max_bytes == 50'000);
    CHECK(agent::document_room(1'000'000) == 128 << 10);
  }
  SECTION("or why it cannot be read") {
    answer = Error{Code::InvalidArgument, "the PDF is damaged", {}};
    serve();
    CHECK(told(world) ==
          "no image;\n[file screen.png (application/pdf): its contents are not shown, because the "
          "PDF is damaged]");
  }
  SECTION("or that nobody reads it") {
    CHECK(told(world).starts_with(
        "no image;\n[file screen.png (application/pdf): its contents are not shown, because "));
  }
}
