// SPDX-License-Identifier: Apache-2.0
// What a model is shown of pictures.
#include <catch2/catch.hpp>
#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/picture.hpp>

#include "agent_world.hpp"

using namespace gantry;
using namespace gantry::testing;

namespace {

constexpr std::size_t kLarge = 900'000;

/// One artifact, and who makes it smaller.
struct Pictures {
  explicit Pictures(AgentWorld& world) {
    testkit::FakeHost& kit = world.kit();
    ArtifactInfo info;
    info.artifact_id = "screen.png";
    info.content_type = "image/png";
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
  REQUIRE(world.call<TurnStart>(std::move(request)).ok());
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
