// SPDX-License-Identifier: Apache-2.0
// What is said to the realtime server, and what is understood of its answers.
#include <catch2/catch.hpp>

#include <boost/json/parse.hpp>
#include <string>
#include <utility>
#include <vector>

#include "realtime.hpp"

namespace gantry::stt_openai {
namespace {

namespace json = boost::json;
using Kind = SpeechEventKind;
using Told = std::vector<std::pair<Kind, std::string>>;

struct Talk {
  explicit Talk(const Settings& settings = {}, const SpeechOpening& opening = {})
      : realtime(settings, opening) {}

  Told hear(const std::string& text) {
    out = {};
    realtime.hear({true, text}, out);
    Told told;
    for (const auto& event : out.tell) told.emplace_back(event.kind, event.text);
    return told;
  }
  Told transcription(const std::string& what, const std::string& item, const std::string& rest) {
    return hear(R"({"type":"conversation.item.input_audio_transcription.)" + what +
                R"(","item_id":")" + item + "\"," + rest + "}");
  }

  Realtime realtime;
  speech::RemoteOut out;
};

TEST_CASE("a session names its models, its rate and its pauses") {
  Settings settings;
  SpeechOpening opening;
  opening.hints = {"de", {"Mail", "Notizen"}};
  opening.silence_ms = 700;
  Talk talk(settings, opening);
  talk.realtime.opened(talk.out);
  REQUIRE(talk.out.send.size() == 1);
  CHECK(talk.out.send[0].text);
  const json::value sent = json::parse(talk.out.send[0].data);
  CHECK(sent == json::parse(R"({"type":"session.update","session":{"type":"transcription","audio":{
    "input":{"format":{"type":"audio/pcm","rate":24000},
    "transcription":{"model":"gpt-4o-transcribe","language":"de","prompt":"Mail, Notizen"},
    "turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,
    "silence_duration_ms":700}}}}})"));
  CHECK(realtime_url({}).ends_with("/realtime?model=gpt-realtime"));
  settings.base_url = "https://example.test/v1";
  CHECK(realtime_url(settings) == "wss://example.test/v1/realtime?model=gpt-realtime");
}

TEST_CASE("the beta has a flat form") {
  Settings settings;
  settings.realtime_form = "beta";
  Talk talk(settings);
  talk.realtime.opened(talk.out);
  const json::value sent = json::parse(talk.out.send.at(0).data);
  CHECK(sent == json::parse(R"({"type":"session.update","session":{"input_audio_format":"pcm16",
    "input_audio_transcription":{"model":"gpt-4o-transcribe","language":"en"},
    "turn_detection":{"type":"server_vad","threshold":0.5,"prefix_padding_ms":300,
    "silence_duration_ms":500,"create_response":false}}})"));
}

TEST_CASE("sound goes out at 24,000 samples a second, as base64") {
  Talk talk;
  const std::vector<std::int16_t> samples{0, 1, -1};
  talk.realtime.sound(samples, 24000, talk.out);
  REQUIRE(talk.out.send.size() == 1);
  CHECK(talk.out.send[0].data == R"({"type":"input_audio_buffer.append","audio":"AAABAP//"})");
  talk.out = {};
  std::size_t bytes = 0;
  const std::vector<std::int16_t> second(16000, 100);
  talk.realtime.sound(second, 16000, talk.out);
  talk.realtime.flush(talk.out);
  for (const auto& message : talk.out.send) {
    const json::object row = json::parse(message.data).as_object();
    if (row.at("type") != "input_audio_buffer.append") continue;
    const auto& audio = row.at("audio").as_string();
    bytes += audio.size() / 4 * 3 - (audio.ends_with("==") ? 2 : audio.ends_with("=") ? 1 : 0);
  }
  CHECK(bytes / 2 >= 23900);
  CHECK(bytes / 2 <= 24100);
  CHECK(talk.out.send.back().data == R"({"type":"input_audio_buffer.commit"})");
}

TEST_CASE("partials grow, finals follow, and utterances may interleave") {
  Talk talk;
  CHECK(talk.hear(R"({"type":"session.updated"})") == Told{{Kind::Ready, ""}});
  CHECK(talk.hear(R"({"type":"session.updated"})").empty());
  CHECK(talk.transcription("delta", "a", R"("delta":"open")") == Told{{Kind::Partial, "open"}});
  CHECK(talk.transcription("delta", "b", R"("delta":"close")") == Told{{Kind::Partial, "close"}});
  CHECK(talk.transcription("delta", "a", R"("delta":" it")") == Told{{Kind::Partial, "open it"}});
  CHECK(talk.transcription("completed", "a", R"("transcript":"Open it.")") ==
        Told{{Kind::Final, "Open it."}, {Kind::UtteranceEnd, ""}});
  CHECK(talk.transcription("completed", "b", R"("transcript":"")") ==
        Told{{Kind::UtteranceEnd, ""}});
  CHECK(talk.transcription("failed", "c", R"("error":{"message":"too noisy"})") ==
        Told{{Kind::Problem, "too noisy"}, {Kind::UtteranceEnd, ""}});
  CHECK(talk.hear(R"({"type":"error","error":{"message":"slow down"}})") ==
        Told{{Kind::Problem, "slow down"}});
}

TEST_CASE("a reset forgets what was under way") {
  Talk talk;
  talk.transcription("delta", "a", R"("delta":"open")");
  talk.out = {};
  talk.realtime.reset(talk.out);
  REQUIRE(talk.out.send.size() == 1);
  CHECK(talk.out.send[0].data == R"({"type":"input_audio_buffer.clear"})");
  CHECK(talk.transcription("delta", "a", R"("delta":" it")").empty());
  CHECK(talk.transcription("completed", "a", R"("transcript":"Open it.")").empty());
  CHECK(talk.transcription("completed", "b", R"("transcript":"Yes.")").size() == 2);
}

TEST_CASE(
    "of items from before resets that a server never completes only the last are remembered") {
  Talk talk;
  const auto name = [](int i) { return "item_" + std::to_string(i); };
  for (int i = 0; i < 1000; ++i) {
    CHECK(talk.transcription("delta", name(i), R"("delta":"open")").size() == 1);
    talk.realtime.reset(talk.out);
  }
  CHECK(talk.transcription("completed", name(999), R"("transcript":"Open.")").empty());
  CHECK(talk.transcription("completed", name(800), R"("transcript":"Open.")").empty());
  CHECK(talk.transcription("completed", name(0), R"("transcript":"Open.")").size() == 2);
  CHECK(talk.transcription("delta", std::string(1000, 'x'), R"("delta":"open")").empty());
}

TEST_CASE("an utterance that has no text yet when everything is reset is forgotten, too") {
  Talk talk;
  talk.hear(R"({"type":"input_audio_buffer.committed","item_id":"a"})");
  talk.realtime.reset(talk.out);
  CHECK(talk.transcription("completed", "a", R"("transcript":"Open it.")").empty());
}

TEST_CASE("a flush is answered when every utterance has its text") {
  Talk talk;
  talk.hear(R"({"type":"input_audio_buffer.committed","item_id":"a"})");
  talk.realtime.flush(talk.out);
  talk.hear(R"({"type":"input_audio_buffer.committed","item_id":"b"})");
  CHECK_FALSE(talk.out.flushed);
  talk.transcription("completed", "a", R"("transcript":"one")");
  CHECK_FALSE(talk.out.flushed);
  talk.transcription("completed", "b", R"("transcript":"two")");
  CHECK(talk.out.flushed);
  // Nothing is left: the server refuses to commit an empty buffer.
  talk.realtime.flush(talk.out);
  CHECK(talk.hear(R"({"type":"error","error":{"code":"input_audio_buffer_commit_empty",
    "message":"buffer too small"}})")
            .empty());
  CHECK(talk.out.flushed);
}

TEST_CASE("a flush does not wait for what was forgotten, which may never come") {
  Talk talk;
  talk.hear(R"({"type":"input_audio_buffer.committed","item_id":"a"})");
  talk.realtime.flush(talk.out);
  talk.hear(R"({"type":"input_audio_buffer.committed","item_id":"b"})");
  CHECK_FALSE(talk.out.flushed);
  talk.realtime.reset(talk.out);
  CHECK(talk.out.flushed);
  talk.out = {};
  talk.realtime.flush(talk.out);
  talk.hear(R"({"type":"input_audio_buffer.committed","item_id":"c"})");
  talk.transcription("completed", "c", R"("transcript":"three")");
  CHECK(talk.out.flushed);
}

TEST_CASE("what the server says of a failure is told without the key") {
  Settings settings;
  settings.api_key = "secret-of-mine";
  Talk talk(settings, {});
  const auto told = talk.hear(
      R"({"type":"error","error":{"message":"secret-of-mine (sk-abcd****wxyz) is wrong"}})");
  CHECK(told == Told{{Kind::Problem, "*** (***) is wrong"}});
}

TEST_CASE("words of a server cannot act on a terminal or turn themselves around") {
  Talk talk;
  CHECK(talk.transcription("delta", "a", R"("delta":"op\u001b[31men\u202e")") ==
        Told{{Kind::Partial, "open"}});
  CHECK(talk.transcription("completed", "a", R"("transcript":"\u001b]0;x\u0007Open\u2066 it.")") ==
        Told{{Kind::Final, "Open it."}, {Kind::UtteranceEnd, ""}});
  CHECK(talk.transcription("completed", "b", R"("transcript":"\u001b[2J")") ==
        Told{{Kind::UtteranceEnd, ""}});
  // Joiners and marks of direction are part of how people write.
  const std::string written = "می\u200Cخواهم \u200Fשלום, 👩\u200D👧 ❤\uFE0F";
  CHECK(talk.transcription("completed", "c", R"("transcript":")" + written + "\"") ==
        Told{{Kind::Final, written}, {Kind::UtteranceEnd, ""}});
  CHECK(talk.hear(R"({"type":"error","error":{"message":"slow\u202e down"}})") ==
        Told{{Kind::Problem, "slow down"}});
}

TEST_CASE("what is none of the protocol is ignored") {
  Talk talk;
  for (const char* text : {"", "null", "[]", "{", R"({"type":7})", R"({"type":"response.done"})",
                           R"({"item_id":"a"})"}) {
    CAPTURE(text);
    CHECK(talk.hear(text).empty());
    CHECK_FALSE(talk.out.flushed);
  }
}

}  // namespace
}  // namespace gantry::stt_openai
