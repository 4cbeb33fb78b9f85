// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gateway.hpp"

namespace gantry::stt_proxy {
namespace {

using Kind = SpeechEventKind;

TEST_CASE("a gateway is told the language and hears sound as it came") {
  Gateway gateway("de");
  speech::RemoteOut out;
  gateway.opened(out);
  REQUIRE(out.send.size() == 1);
  CHECK(out.send[0].data ==
        R"({"type":"set_langs","source_language":"de","target_language":"de"})");
  CHECK(out.tell.at(0).kind == Kind::Ready);
  out = {};
  const std::vector<std::int16_t> samples{1, -1};
  gateway.sound(samples, 44100, out);
  REQUIRE(out.send.size() == 1);
  CHECK_FALSE(out.send[0].text);
  CHECK(out.send[0].data == std::string("\x14\0\0\0", 4) + R"({"sampleRate":44100})" +
                                std::string("\x01\0\xFF\xFF", 4));
  out = {};
  gateway.hints({"de", {}}, out);
  CHECK(out.send.empty());
  gateway.hints({"fr", {}}, out);
  CHECK(out.send.size() == 1);
  CHECK(out.tell.empty());
  gateway.reset(out);
  CHECK(out.send.at(1).data == R"({"type":"start_over"})");
}

TEST_CASE("its words come back as events") {
  Gateway gateway("");
  const struct {
    std::string text;
    std::vector<std::pair<Kind, std::string>> told;
  } rows[] = {
      {R"({"type":"status","client_id":"0"})", {}},
      {R"({"type":"realtime","text":"open","is_final":false})", {{Kind::Partial, "open"}}},
      {R"({"type":"realtime","text":"open it","is_final":true})", {{Kind::Final, "open it"}}},
      {R"({"type":"realtime","text":"x","is_final":"yes"})", {{Kind::Partial, "x"}}},
      {R"({"type":"realtime","text":"","is_final":true})", {}},
      {R"({"type":"realtime"})", {}},
      {R"({"type":"utterance_end"})", {{Kind::UtteranceEnd, ""}}},
      {R"({"type":"error","message":"full"})", {{Kind::Problem, "full"}}},
      {R"({"type":"error"})", {{Kind::Problem, "the gateway reports an error without words"}}},
      {R"({"type":"trace_event"})", {}},
      {R"([])", {}},
      {R"({)", {}},
      {"", {}},
  };
  for (const auto& row : rows) {
    CAPTURE(row.text);
    speech::RemoteOut out;
    gateway.hear({true, row.text}, out);
    std::vector<std::pair<Kind, std::string>> told;
    for (const auto& event : out.tell) told.emplace_back(event.kind, event.text);
    CHECK(told == row.told);
  }
}

TEST_CASE("what a gateway complains of is told without its token and control characters") {
  Gateway gateway("", "a-token-of-ours");
  speech::RemoteOut out;
  gateway.hear(
      {true, R"({"type":"error","message":"no: Bearer a-token-of-ours\u001b[31m is refused"})"},
      out);
  REQUIRE(out.tell.size() == 1);
  CHECK(out.tell[0].text.find("a-token-of-ours") == std::string::npos);
  CHECK(out.tell[0].text.find('\x1b') == std::string::npos);
  CHECK(out.tell[0].text.find("is refused") != std::string::npos);
}

TEST_CASE("a flush is a pause, answered by the last utterance's end") {
  Gateway gateway("");
  speech::RemoteOut out;
  gateway.flush(out);
  CHECK(out.flushed);  // nothing was said
  CHECK(out.send.empty());
  out = {};
  const std::vector<std::int16_t> samples(160);
  gateway.sound(samples, 16000, out);
  gateway.flush(out);
  CHECK_FALSE(out.flushed);
  CHECK_FALSE(out.flushed_after);
  CHECK(out.send.back().data.size() == 4 + 20 + 32000);
  const auto hear = [&](const char* text) {
    out = {};
    gateway.hear({true, text}, out);
  };
  // It may be that of an utterance before: what follows tells.
  hear(R"({"type":"utterance_end"})");
  CHECK_FALSE(out.flushed);
  CHECK(out.flushed_after == kSettled);
  hear(R"({"type":"realtime","text":"the second","is_final":true})");
  CHECK(out.unsettled);
  CHECK_FALSE(out.flushed_after);
  hear(R"({"type":"utterance_end"})");
  CHECK(out.flushed_after == kSettled);
}

TEST_CASE("a flush after an end that was under way waits for the words of what was said since") {
  Gateway gateway("");
  speech::RemoteOut out;
  const std::vector<std::int16_t> samples(160);
  gateway.sound(samples, 16000, out);
  gateway.hear({true, R"({"type":"utterance_end"})"}, out);  // of the first words
  out = {};
  gateway.flush(out);
  CHECK_FALSE(out.flushed);
  CHECK(out.flushed_after == kSettled);
  CHECK(out.send.size() == 1);
  out = {};
  gateway.hear({true, R"({"type":"realtime","text":"more","is_final":false})"}, out);
  CHECK(out.unsettled);
}

}  // namespace
}  // namespace gantry::stt_proxy
