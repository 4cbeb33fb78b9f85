// SPDX-License-Identifier: Apache-2.0
// Wake phrases that Flite says, and others.
#include <catch2/catch.hpp>

#include <gantry/speech/resampler.hpp>
#include <gantry/speech/wav.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "phrases.hpp"
#include "said.hpp"
#include "wakeword_plugin.hpp"

namespace gantry::wakeword::test {
namespace {

using Probe = testkit::StreamProbe<WakewordListen>;
using Sound = std::vector<std::int16_t>;

struct Running {
  explicit Running(const std::string& config = "{}") {
    REQUIRE(kit.load<WakewordPlugin>("wakeword", config).ok());
  }
  testkit::FakeHost kit;
};

struct Heard {
  std::vector<WakewordSpotted> spotted;
  std::vector<Error> ends;
};

/// The sound in pieces of a tenth of a second.
Heard listen(Running& run, const Sound& sound, std::vector<WakewordPhrase> phrases = {},
             std::int32_t rate = 16'000, std::int32_t channels = 1) {
  Probe probe(run.kit.host(), {std::move(phrases)});
  run.kit.pump();
  const auto piece = static_cast<std::size_t>(rate * channels / 10);
  for (std::size_t at = 0; at < sound.size(); at += piece) {
    const auto part = std::span(sound).subspan(at, std::min(piece, sound.size() - at));
    (void)probe.stream().send({{rate, channels, speech::buffer_of(part)}, false});
    run.kit.pump();
  }
  (void)probe.stream().send({{}, true});
  run.kit.pump();
  return {probe.all(), probe.ends()};
}

std::vector<std::string> names(const Heard& heard) {
  std::vector<std::string> out;
  for (const WakewordSpotted& one : heard.spotted) out.push_back(one.phrase);
  return out;
}

Sound joined(std::initializer_list<Sound> parts) {
  Sound out;
  for (const Sound& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

Sound silence(int ms) { return Sound(static_cast<std::size_t>(ms) * 16, 0); }

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a phrase that is said is spotted, with its place") {
  Running run;
  const Heard heard = listen(run, joined({silence(1000), said("Hey computer."), silence(500)}));
  REQUIRE(names(heard) == Names{"hey computer"});
  CHECK(heard.spotted[0].index == 0);
  CHECK(heard.spotted[0].begin_ms > 800);
  CHECK(heard.spotted[0].begin_ms < 1600);
  CHECK(heard.spotted[0].end_ms > 1500);
  CHECK(heard.spotted[0].end_ms < 2600);
  REQUIRE(heard.ends.size() == 1);
  CHECK(heard.ends[0].code == Code::Ok);
}

TEST_CASE("other phrases, noise and silence are none") {
  Running run;
  for (const char* words :
       {"The weather is fine today.", "Please open the window and close the door.",
        "My printer is slow again.", "Hello there, how are you?", "One two three four five six."}) {
    INFO(words);
    CHECK(names(listen(run, said(words))).empty());
  }
  CHECK(names(listen(run, silence(3000))).empty());
  std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same noise each time
  std::uniform_int_distribution<int> level(-3000, 3000);
  Sound noise(16'000 * 3);
  for (std::int16_t& sample : noise) sample = static_cast<std::int16_t>(level(random));
  CHECK(names(listen(run, noise)).empty());
}

TEST_CASE("any phrase will do, and several at once") {
  Running run;
  const std::vector<WakewordPhrase> phrases = {
      {"okay gantry", 1e-20}, {"Good morning, robot!", 1e-20}, {"hey jarvis", 1e-20}};
  std::vector<WakewordPhrase> known(phrases.begin() + 1, phrases.end());
  const Heard heard = listen(run,
                             joined({said("Hey Jarvis."), silence(700), said("Good morning robot."),
                                     silence(700), said("Hey Jarvis."), silence(300)}),
                             known);
  CHECK(names(heard) == Names{"hey jarvis", "good morning robot", "hey jarvis"});
  REQUIRE(heard.spotted.size() == 3);
  CHECK(heard.spotted[0].index == 1);
  CHECK(heard.spotted[1].index == 0);
  CHECK(heard.spotted[0].end_ms <= heard.spotted[1].begin_ms);
  CHECK(heard.spotted[1].end_ms <= heard.spotted[2].begin_ms);
}

TEST_CASE("a phrase in the middle of speech is spotted") {
  Running run;
  const Sound sound = joined({said("This is a long story about nothing."), silence(200),
                              said("Hey computer."), silence(200), said("Open the settings.")});
  CHECK(names(listen(run, sound)) == Names{"hey computer"});
}

TEST_CASE("the sound may have other rates and two channels") {
  Running run;
  const Sound sound = joined({silence(500), said("Hey computer."), silence(500)});
  for (const std::int32_t rate : {22'050, 44'100, 48'000}) {
    INFO(rate);
    speech::Resampler resampler(rate);
    Sound other = resampler.push(sound, 16'000);
    const Sound rest = resampler.flush();
    other.insert(other.end(), rest.begin(), rest.end());
    CHECK(names(listen(run, other, {}, rate)) == Names{"hey computer"});
  }
  Sound two;
  for (const std::int16_t sample : sound) two.insert(two.end(), {sample, sample});
  CHECK(names(listen(run, two, {}, 16'000, 2)) == Names{"hey computer"});
}

TEST_CASE("the threshold decides") {
  Running run;
  const Sound near = joined({silence(500), said("My computer."), silence(500)});
  CHECK(names(listen(run, near, {{"hey computer", 1e-10}})).empty());
  CHECK(names(listen(run, near, {{"hey computer", 1e-30}})) == Names{"hey computer"});
  const Sound right = joined({silence(500), said("Hey computer."), silence(500)});
  CHECK(names(listen(run, right, {{"hey computer", 1e-10}})) == Names{"hey computer"});
}

TEST_CASE("what cannot be listened for is refused") {
  struct Row {
    const char* name;
    std::vector<WakewordPhrase> phrases;
    const char* says;
  };
  const std::vector<Row> rows = {
      {"no word", {{" ,. ", 1e-20}}, "at least one word"},
      {"a digit", {{"route 66", 1e-20}}, "write numbers as words"},
      {"another script", {{"привет", 1e-20}}, "English words"},
      {"a line break", {{"hey\ncomputer", 1e-20}}, "English words"},
      {"a slash", {{"hey /1e-50/", 1e-20}}, "English words"},
      {"a word that nobody knows", {{"hey gxqwzt", 1e-20}}, "does not say how it sounds"},
      {"a threshold of nothing", {{"hey computer", 0}}, "above 0"},
      {"a threshold above one", {{"hey computer", 1.5}}, "at most 1"},
      {"a threshold that is none",
       {{"hey computer", std::numeric_limits<double>::quiet_NaN()}},
       "above 0"},
      {"twice", {{"hey computer", 1e-20}, {"Hey, computer", 1e-10}}, "twice"},
      {"too many words", {{"a a a a a a a a a a a", 1e-20}}, "more than 10 words"},
      {"too long", {{std::string(201, 'a'), 1e-20}}, "at most 200"},
      {"too many", std::vector<WakewordPhrase>(21, {"hey", 1e-20}), "more than 20"}};
  Running run;
  for (const Row& row : rows) {
    INFO(row.name);
    const Heard heard = listen(run, {}, row.phrases);
    REQUIRE(heard.ends.size() == 1);
    CHECK(heard.ends[0].code == Code::InvalidArgument);
    INFO(heard.ends[0].message);
    CHECK(heard.ends[0].message.find(row.says) != std::string::npos);
  }
}

TEST_CASE("sound of another form ends the stream") {
  struct Row {
    const char* name;
    Audio audio;
    const char* says;
  };
  const Row rows[] = {{"too slow", {4000, 1, Buffer::copy("abcd")}, "4000"},
                      {"too fast", {96'000, 1, Buffer::copy("abcd")}, "96000"},
                      {"three channels", {16'000, 3, Buffer::copy("abcdef")}, "3 channels"},
                      {"no channel", {16'000, 0, Buffer::copy("ab")}, "0 channels"},
                      {"half a sample", {16'000, 1, Buffer::copy("abc")}, "within a sample"}};
  Running run;
  for (const Row& row : rows) {
    INFO(row.name);
    Probe probe(run.kit.host(), {});
    run.kit.pump();
    (void)probe.stream().send({row.audio, false});
    run.kit.pump();
    REQUIRE(probe.ends().size() == 1);
    CHECK(probe.ends()[0].code == Code::InvalidArgument);
    CHECK(probe.ends()[0].message.find(row.says) != std::string::npos);
  }
  Probe probe(run.kit.host(), {});
  run.kit.pump();
  (void)probe.stream().send({{16'000, 1, Buffer::copy("ab")}, false});
  (void)probe.stream().send({{8'000, 1, Buffer::copy("ab")}, false});
  run.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].message.find("changes") != std::string::npos);
}

TEST_CASE("without a model it is unavailable and names the package") {
  Running run(R"({"model_folder":"/nowhere"})");
  CHECK(run.kit.suitability("wakeword") == 0);
  Probe probe(run.kit.host(), {});
  run.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::Unavailable);
  CHECK(probe.ends()[0].message.find("apt-get install pocketsphinx-en-us") != std::string::npos);
}

TEST_CASE("a whole clip is searched at once") {
  Running run;
  const Sound sound = joined({silence(500), said("Hey computer."), silence(500)});
  const auto find = [&](const Audio& audio) {
    return run.kit.host().bus().call_wait<WakewordFind>({audio, {}});
  };
  const auto found = find({16'000, 1, speech::buffer_of(sound)});
  REQUIRE(found.ok());
  REQUIRE((*found)->spotted.size() == 1);
  CHECK((*found)->spotted[0].phrase == "hey computer");
  const auto none = find({16'000, 1, speech::buffer_of(said("Good night."))});
  REQUIRE(none.ok());
  CHECK((*none)->spotted.empty());
  CHECK(find({16'000, 1, {}}).error().code == Code::InvalidArgument);
  CHECK(find({16'000, 4, Buffer::copy("abcdefgh")}).error().code == Code::InvalidArgument);
}

TEST_CASE("more listeners than allowed are refused") {
  Running run(R"({"listeners":1})");
  Probe first(run.kit.host(), {});
  run.kit.pump();
  Probe second(run.kit.host(), {});
  run.kit.pump();
  REQUIRE(second.ends().size() == 1);
  CHECK(second.ends()[0].code == Code::ResourceExhausted);
  first.stream().close();
  run.kit.pump();
  Probe third(run.kit.host(), {});
  run.kit.pump();
  CHECK(third.ends().empty());
}

TEST_CASE("the configuration names the phrases of those who name none") {
  Running run(R"({"phrases":[{"text":"good morning","threshold":1e-15}]})");
  const Sound sound =
      joined({said("Hey computer."), silence(500), said("Good morning."), silence(500)});
  CHECK(names(listen(run, sound)) == Names{"good morning"});
}

}  // namespace gantry::wakeword::test
