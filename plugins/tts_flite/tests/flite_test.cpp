// SPDX-License-Identifier: Apache-2.0
// What Flite says, through the plugin's contract.
#include <catch2/catch.hpp>

#include <gantry/speech/wav.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flite_plugin.hpp"
#include "flite_voices.hpp"

namespace gantry::tts_flite::test {
namespace {

using Probe = testkit::StreamProbe<VoiceSay>;

VoiceSayRequest text(std::string words) {
  VoiceSayRequest request;
  request.text = std::move(words);
  return request;
}

struct Running {
  explicit Running(const std::string& config = "{}") {
    REQUIRE(kit.load<FlitePlugin>("tts_flite", config).ok());
  }
  testkit::FakeHost kit;
};

std::vector<std::int16_t> samples(const std::vector<VoiceChunk>& chunks) {
  std::vector<std::int16_t> out;
  for (const VoiceChunk& chunk : chunks) {
    const auto some = speech::samples_of(chunk.audio.samples);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

double seconds(const std::vector<VoiceChunk>& chunks) {
  return static_cast<double>(samples(chunks).size()) / 22'050;
}

double loudness(const std::vector<std::int16_t>& sound) {
  double sum = 0;
  for (const std::int16_t sample : sound) sum += static_cast<double>(sample) * sample;
  return std::sqrt(sum / static_cast<double>(sound.size()));
}

std::vector<VoiceChunk> say(Running& run, VoiceSayRequest request) {
  Probe probe(run.kit.host(), std::move(request));
  run.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  INFO(probe.ends()[0].message);
  CHECK(probe.ends()[0].code == Code::Ok);
  return probe.all();
}

}  // namespace

TEST_CASE("several sentences become sound that is not silent") {
  Running run;
  const auto chunks = say(
      run, text("The window is open. I have pressed the button, and it worked! Anything else?"));
  REQUIRE(chunks.size() > 20);
  std::set<std::int32_t> sentences;
  std::vector<std::string> texts;
  for (const VoiceChunk& chunk : chunks) {
    CHECK(chunk.audio.sample_rate == 22'050);
    CHECK(chunk.audio.channels == 1);
    CHECK(chunk.audio.samples.size() % 2 == 0);
    CHECK(chunk.audio.samples.size() <= 4410);
    sentences.insert(chunk.sentence);
    if (!chunk.text.empty()) texts.push_back(chunk.text);
  }
  CHECK(sentences == std::set<std::int32_t>{0, 1, 2});
  CHECK(texts == std::vector<std::string>{"The window is open.",
                                          "I have pressed the button, and it worked!",
                                          "Anything else?"});
  CHECK(seconds(chunks) > 3);
  CHECK(seconds(chunks) < 8);
  CHECK(loudness(samples(chunks)) > 500);
}

TEST_CASE("each voice that is installed speaks") {
  Running run;
  for (const std::string_view name : known_voices()) {
    INFO(name);
    REQUIRE(find_voice(name).ok());
    VoiceSayRequest request = text("Hello.");
    request.voice = std::string(name);
    const auto chunks = say(run, std::move(request));
    CHECK(seconds(chunks) > 0.3);
    CHECK(seconds(chunks) < 2);
    CHECK(loudness(samples(chunks)) > 300);
  }
}

TEST_CASE("the rate changes how long it takes") {
  Running run;
  const std::string words = "One two three four five six seven.";
  VoiceSayRequest fast = text(words);
  fast.rate = 2;
  VoiceSayRequest slow = text(words);
  slow.rate = 0.5;
  const double normal = seconds(say(run, text(words)));
  CHECK(seconds(say(run, fast)) < normal * 0.65);
  CHECK(seconds(say(run, slow)) > normal * 1.6);
  CHECK(seconds(say(run, text(words))) == Approx(normal).epsilon(0.01));
}

TEST_CASE("speech can be stopped in the middle of a sentence") {
  std::size_t calls = 0;
  const auto take = [&](std::span<const std::int16_t>, std::int32_t) { return ++calls < 3; };
  const std::string words(
      "This is quite a long sentence that would take several seconds to say in full");
  CHECK(tts_flite::speak("slt", words, 1, take).ok());
  CHECK(calls == 3);
  release_voices();
}

TEST_CASE("voices are found by their names") {
  CHECK(voice_name("slt") == "slt");
  CHECK(voice_name("cmu_us_SLT") == "slt");
  CHECK(voice_name("AWB") == "awb");
  CHECK(voice_name("samantha").empty());
  CHECK(voice_name("../../x").empty());
  Running run;
  VoiceSayRequest request = text("Hello.");
  request.voice = "samantha";
  Probe probe(run.kit.host(), std::move(request));
  run.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::NotFound);
  CHECK(probe.ends()[0].message.find("slt, awb") != std::string::npos);
}

TEST_CASE("a voice that is not installed is unavailable and names its package") {
  const auto there = find_voice("nobody");
  REQUIRE_FALSE(there.ok());
  CHECK(there.error().code == Code::Unavailable);
  CHECK(there.error().message.find("apt-get install") != std::string::npos);
}

TEST_CASE("voices are listed, the default first") {
  Running run(R"({"voice":"rms"})");
  const auto list = run.kit.host().bus().call_wait<VoiceVoices>({});
  REQUIRE(list.ok());
  REQUIRE((*list)->voices.size() == known_voices().size());
  CHECK((*list)->voices[0].name == "rms");
  CHECK((*list)->voices[0].is_default);
  CHECK((*list)->voices[0].local);
  CHECK((*list)->reason.empty());
  CHECK(run.kit.suitability("tts_flite") == 60);
}

TEST_CASE("a long first sentence is begun in a short piece") {
  CHECK(quick_start("Short.") == std::vector<std::string>{"Short."});
  const std::string words =
      "I have opened the settings window and selected the second tab, which shows the network "
      "configuration of this computer.";
  const auto pieces = quick_start(words);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0] == "I have opened the settings window and selected the second tab,");
  CHECK(pieces[0] + pieces[1] == words);
  CHECK(quick_start(std::string(200, 'a')).size() == 1);
  // Numbers are long when they are said.
  const std::string numbers = "The years were 1984, 1999, 2011, 2026 and 2041 as it seems.";
  const auto counted = quick_start(numbers);
  REQUIRE(counted.size() == 2);
  CHECK(counted[0] == "The years were 1984, 1999, 2011,");
  CHECK(counted[0] + counted[1] == numbers);
}

TEST_CASE("no text of a stranger harms the engine") {
  Running run;
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same texts each time
  std::uniform_int_distribution<int> character(0x20, 0x7E);
  for (int i = 0; i < 12; ++i) {
    std::string words;
    for (int j = 0; j < 60; ++j) words.push_back(static_cast<char>(character(random)));
    VoiceSayRequest request = text(words);
    request.plain = true;
    (void)say(run, std::move(request));
  }
  for (const char* words :
       {"$1,000,000.50", "12345678901234567890", "1e99", "---", "((((", "00:61", "IIIXXX",
        "a.b.c.d", "http:", "%s%n%x", "1/0", "'''", "ÄÖÜß", "你好", "-1-1-1", "AT&T", "U.S.A."}) {
    INFO(words);
    VoiceSayRequest request = text(words);
    request.plain = true;
    (void)say(run, std::move(request));
  }
}

}  // namespace gantry::tts_flite::test
