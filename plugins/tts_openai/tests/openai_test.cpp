// SPDX-License-Identifier: Apache-2.0
// The plugin against a server of the tests.
#include <catch2/catch.hpp>

#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <string>
#include <utility>
#include <vector>

#include "openai_plugin.hpp"
#include "speaking_peer.hpp"
#include "spoken.hpp"

namespace gantry::tts_openai::test {
namespace {

using Probe = testkit::StreamProbe<VoiceSay>;

constexpr const char* kKey = "sk-very-secret";

struct Running {
  explicit Running(const std::string& base_url, const std::string& key = kKey) {
    REQUIRE(kit.load<OpenAiVoicePlugin>(
                   "tts_openai", R"({"base_url":")" + base_url + R"(","api_key":")" + key + "\"}")
                .ok());
  }
  std::pair<std::vector<VoiceChunk>, Error> say(VoiceSayRequest request) {
    Probe probe(kit.host(), std::move(request));
    kit.pump();
    REQUIRE(probe.ends().size() == 1);
    return {probe.all(), probe.ends()[0]};
  }
  testkit::FakeHost kit;
};

VoiceSayRequest text(std::string words) {
  VoiceSayRequest request;
  request.text = std::move(words);
  return request;
}

std::string pcm(std::size_t samples) { return std::string(samples * 2, '\x10'); }

std::size_t bytes_of(const std::vector<VoiceChunk>& chunks) {
  std::size_t sum = 0;
  for (const VoiceChunk& chunk : chunks) sum += chunk.audio.samples.size();
  return sum;
}

}  // namespace

TEST_CASE("sentences are requests, and their sound comes at the rate of the contract") {
  const SpeakingPeer peer({SpeakingPeer::answer(200, "audio/pcm", pcm(24'000)),
                           SpeakingPeer::answer(200, "audio/pcm", pcm(12'000) + "\x10")});
  Running run(peer.base_url());
  VoiceSayRequest request = text("One \"here\". Two.");
  request.voice = "verse";
  request.rate = 1.5;
  const auto [chunks, end] = run.say(std::move(request));
  INFO(end.message);
  CHECK(end.code == Code::Ok);
  for (const VoiceChunk& chunk : chunks) CHECK(chunk.audio.sample_rate == 22'050);
  CHECK(bytes_of(chunks) > 2 * 32'900);
  CHECK(bytes_of(chunks) < 2 * 33'300);
  const auto requests = peer.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].starts_with("POST /v1/audio/speech HTTP/1.1\r\n"));
  CHECK(requests[0].find("Authorization: Bearer sk-very-secret") != std::string::npos);
  CHECK(requests[0].ends_with(
      R"({"model":"gpt-4o-mini-tts","input":"One \"here\".","voice":"verse","response_format":"pcm","speed":1.5E0})"));
}

TEST_CASE("what the server refuses is a typed failure, and never has the key") {
  struct Row {
    const char* name;
    std::string answer;
    Code code;
    const char* says;
  };
  const std::string leak = R"({"error":{"message":"Bad thing: sk-very-secret"}})";
  const Row rows[] = {
      {"the key", SpeakingPeer::answer(401, "application/json", leak), Code::Unauthenticated,
       "OPENAI_API_KEY"},
      {"forbidden", SpeakingPeer::answer(403, "text/html", "<p>"), Code::Unauthenticated, "403"},
      {"the text", SpeakingPeer::answer(400, "application/json", leak), Code::InvalidArgument,
       "Bad thing: ***"},
      {"the model", SpeakingPeer::answer(404, "application/json", "{}"), Code::NotFound,
       "gpt-4o-mini-tts"},
      {"too many", SpeakingPeer::answer(429, "application/json", leak), Code::ResourceExhausted,
       "too many"},
      {"overload", SpeakingPeer::answer(503, "text/plain", "busy"), Code::Unavailable, "503"},
      {"JSON", SpeakingPeer::answer(200, "application/json", "{}"), Code::DataLoss, "JSON"},
      {"a broken answer",
       "HTTP/1.1 200 OK\r\nContent-Type: audio/pcm\r\nContent-Length: 90000\r\n\r\n" + pcm(2000),
       Code::DataLoss, ""},
      {"no answer", "", Code::Unavailable, ""}};
  for (const Row& row : rows) {
    INFO(row.name);
    const SpeakingPeer peer({row.answer});
    Running run(peer.base_url());
    const auto [chunks, end] = run.say(text("One."));
    INFO(end.message);
    CHECK(end.code == row.code);
    CHECK(end.message.find(row.says) != std::string::npos);
    CHECK(end.message.find(kKey) == std::string::npos);
    for (const auto& line : run.kit.logs()) {
      CHECK(line.message.find(kKey) == std::string::npos);
      for (const auto& [name, value] : line.fields) CHECK(value.find(kKey) == std::string::npos);
    }
  }
}

TEST_CASE("without a key nothing is sent, and it says how to set one") {
  const SpeakingPeer peer({});
  Running run(peer.base_url(), "");
  CHECK(run.kit.suitability("tts_openai") == 0);
  const auto [chunks, end] = run.say(text("One."));
  CHECK(end.code == Code::Unavailable);
  CHECK(end.message.find("api_key") != std::string::npos);
  CHECK(peer.requests().empty());
  const auto list = run.kit.host().bus().call_wait<VoiceVoices>({});
  REQUIRE(list.ok());
  CHECK((*list)->voices.empty());
  CHECK_FALSE((*list)->cure.empty());
}

TEST_CASE("nobody answers there") {
  std::string gone;
  {
    const SpeakingPeer peer({});
    gone = peer.base_url();
  }
  Running run(gone);
  CHECK(run.say(text("One.")).second.code == Code::Unavailable);
}

TEST_CASE("samples may be cut anywhere") {
  PcmStream stream;
  CHECK(stream.feed("\x01").empty());
  CHECK(stream.feed(std::string("\x00\xff\xff\x02", 4)) == std::vector<std::int16_t>{1, -1});
  CHECK(stream.feed(std::string("\x80", 1)) == std::vector<std::int16_t>{-32'766});
}

}  // namespace gantry::tts_openai::test
