// SPDX-License-Identifier: Apache-2.0
// The way to the library, with one of our own in its place.
#include <catch2/catch.hpp>

#include <gantry/contracts/speech.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "vosk_engine.hpp"
#include "vosk_plugin.hpp"

namespace gantry::stt_vosk {
namespace {

const std::string kLibrary = GANTRY_VOSK_DOUBLE;

std::string config(const std::string& library, const std::string& model) {
  return R"({"libvosk":")" + library + R"(","model_dir":")" + model + R"("})";
}

Result<Ref<Transcript>> transcribe(testkit::FakeHost& kit) {
  TranscribeRequest request;
  request.audio.samples = Buffer::of(std::string(32000, '\0'));
  return kit.host().bus().call_wait<SpeechTranscribe>(std::move(request));
}

TEST_CASE("what is missing is unavailable, and says what cures it") {
  const testkit::TempDir folder;
  const std::string there = folder.path().string();
  std::filesystem::create_directories(there + "/broken");
  const struct {
    std::string libvosk, model, reason;
  } rows[] = {
      {kLibrary, "", "no model of Vosk is configured"},
      {kLibrary, there + "/absent", "there is no folder"},
      {kLibrary, there + "/broken", "holds no model of Vosk"},
      {"libnothing_here.so", there, "cannot be opened"},
      {"libm.so.6", there, "is not the library of Vosk"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.libvosk, row.model);
    testkit::FakeHost kit;
    REQUIRE(kit.load<VoskPlugin>("stt_vosk", config(row.libvosk, row.model)).ok());
    const auto answer = transcribe(kit);
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().code == Code::Unavailable);
    CHECK(answer.error().message.find(row.reason) != std::string::npos);
    CHECK(answer.error().message.find("(cure: ") != std::string::npos);
  }
}

TEST_CASE("suitability follows the model's folder") {
  const testkit::TempDir folder;
  testkit::FakeHost kit;
  REQUIRE(kit.load<VoskPlugin>("stt_vosk", config(kLibrary, "")).ok());
  CHECK(kit.suitability("stt_vosk") == 0);
  REQUIRE(kit.reconfigure("stt_vosk", config(kLibrary, folder.path().string())).ok());
  CHECK(kit.suitability("stt_vosk") == 70);
}

TEST_CASE("an utterance goes through the library") {
  const testkit::TempDir folder;
  ModelShelf shelf;
  const EngineSettings settings{kLibrary, folder.path(), "", false};
  auto model = shelf.take(settings);
  REQUIRE(model.ok());
  CHECK(shelf.take(settings).value() == *model);
  Engine engine(*model, settings);
  REQUIRE(engine.prepare({}).ok());
  REQUIRE(engine.begin().ok());
  const std::vector<std::int16_t> tenth(1600);
  for (int i = 0; i < 5; ++i) REQUIRE(engine.sound(tenth).ok());
  CHECK(engine.text() == "5 tenths");
  auto heard = engine.end();
  REQUIRE(heard.ok());
  CHECK(heard->text == "5 tenths");
  CHECK(heard->confidence == 0.75);

  // What the library ends by itself belongs to the same utterance.
  REQUIRE(engine.begin().ok());
  for (int i = 0; i < 23; ++i) REQUIRE(engine.sound(tenth).ok());
  CHECK(engine.text() == "20 tenths 3 tenths");
  CHECK(engine.end()->text == "20 tenths 3 tenths");

  // A dropped one leaves nothing behind.
  REQUIRE(engine.begin().ok());
  REQUIRE(engine.sound(tenth).ok());
  engine.drop();
  REQUIRE(engine.begin().ok());
  REQUIRE(engine.sound(tenth).ok());
  CHECK(engine.end()->text == "1 tenths");
}

TEST_CASE("a vocabulary becomes a grammar where that is wanted") {
  const testkit::TempDir folder;
  const EngineSettings settings{kLibrary, folder.path(), "en", true};
  auto model = Model::load(settings);
  REQUIRE(model.ok());
  Engine engine(*model, settings);
  REQUIRE(engine.prepare({"en", {"mail", "notes"}}).ok());
  REQUIRE(engine.begin().ok());
  CHECK(engine.end()->text == "mail 0 tenths");
  const auto other = engine.prepare({"de", {}});
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().code == Code::InvalidArgument);
}

}  // namespace
}  // namespace gantry::stt_vosk
