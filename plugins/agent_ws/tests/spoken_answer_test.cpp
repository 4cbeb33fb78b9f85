// SPDX-License-Identifier: Apache-2.0
// An answer as sound: what is handed to the voice, and when the client hears it.
#include "spoken_answer.hpp"

#include <gantry/contract.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/testkit/fake_host.hpp>

#include <catch2/catch.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gantry::agent_ws {
namespace {

/// A voice that notes what it is given, and a client that notes what it hears.
struct Talk {
  Talk() {
    const auto served = kit.host("voice").bus().serve_stream<VoiceSay>(
        [this](const Ref<VoiceSayRequest>& request, const CallInfo&,
               Stream<VoiceChunk> opened) -> Result<StreamHandlers<VoiceText>> {
          ++streams;
          text += request->text;
          down = std::move(opened);
          StreamHandlers<VoiceText> handlers;
          handlers.on_chunk = [this](const Ref<VoiceText>& piece) {
            text += piece->text;
            if (piece->flush) text += '|';
            if (piece->end) text += '.';
          };
          handlers.on_end = [this](const Error&) { closed = true; };
          return handlers;
        });
    REQUIRE(served.ok());
    SpokenAnswer::Sinks sinks;
    sinks.send = [this](std::string_view type, const std::string& payload) {
      frames.push_back(std::string(type) + ' ' + payload);
    };
    sinks.has_room = [this] { return room; };
    sinks.over = [this](const std::optional<Error>& error) {
      over = true;
      failure = error;
    };
    spoken = std::make_shared<SpokenAnswer>(kit.host("agent_ws"), std::move(sinks));
  }

  template <class Body = Nothing>
  void event(EventKind kind, std::string said = {}, const Body& body = {}) {
    SessionEvent one;
    one.kind = kind;
    one.text = std::move(said);
    one.body = Json(to_json(body));
    spoken->take(one);
    kit.pump();
  }
  void finish(TurnEnd end, std::string final_text = {}) {
    TurnFinishedBody body;
    body.end = end;
    body.final_text = std::move(final_text);
    event(EventKind::TurnFinished, {}, body);
  }
  void speak(int chunks) {
    for (int i = 0; i < chunks; ++i) {
      VoiceChunk chunk;
      chunk.audio = {22'050, 1, Buffer::copy("\x01\x02\x03\x04")};
      (void)down.send(std::move(chunk));
    }
    kit.pump();
  }

  testkit::FakeHost kit;
  Stream<VoiceChunk> down;
  std::string text;
  int streams = 0;
  bool closed = false;
  bool room = true;
  bool over = false;
  std::optional<Error> failure;
  std::vector<std::string> frames;
  std::shared_ptr<SpokenAnswer> spoken;
};

}  // namespace

TEST_CASE("pieces of an answer are handed to the voice as they come") {
  Talk talk;
  talk.event(EventKind::ModelCallStarted);
  CHECK(talk.streams == 0);
  talk.event(EventKind::TextDelta, "Hel");
  talk.event(EventKind::TextDelta, "lo");
  talk.event(EventKind::AssistantMessage);
  CHECK(talk.text == "Hello|");
  talk.event(EventKind::ModelCallStarted);
  talk.event(EventKind::ThinkingDelta, "hm");
  talk.event(EventKind::TextDelta, "Bye");
  CHECK_FALSE(talk.spoken->complete());
  talk.finish(TurnEnd::Completed, "Bye");
  CHECK(talk.text == "Hello|Bye.");
  CHECK(talk.spoken->complete());
  talk.speak(1);
  CHECK(talk.frames ==
        std::vector<std::string>{R"(audio-chunk {"audio":"AQIDBA==","sample_rate":22050})"});
  CHECK_FALSE(talk.over);
  talk.down.close();
  talk.kit.pump();
  CHECK(talk.over);
  CHECK_FALSE(talk.failure);
}

TEST_CASE("an answer that came in no pieces is spoken whole") {
  Talk talk;
  talk.event(EventKind::ModelCallStarted);
  talk.finish(TurnEnd::Completed, "All at once");
  CHECK(talk.text == "All at once.");
}

TEST_CASE("where nothing is to be said no voice is asked") {
  Talk talk;
  talk.event(EventKind::AssistantMessage);
  talk.finish(TurnEnd::Failed, "internal");
  CHECK(talk.streams == 0);
  CHECK(talk.over);
  CHECK_FALSE(talk.failure);
}

TEST_CASE("a turn that was stopped falls silent") {
  Talk talk;
  talk.event(EventKind::TextDelta, "Hello");
  talk.speak(1);
  CHECK(talk.frames.size() == 1);
  talk.finish(TurnEnd::Cancelled);
  CHECK(talk.closed);
  CHECK(talk.over);
  talk.speak(3);
  CHECK(talk.frames.size() == 1);
}

TEST_CASE("whoever stops it is not called back") {
  Talk talk;
  talk.event(EventKind::TextDelta, "Hello");
  talk.spoken->stop();
  talk.kit.pump();
  CHECK(talk.closed);
  CHECK_FALSE(talk.over);
  talk.event(EventKind::TextDelta, "more");
  CHECK(talk.text == "Hello");
}

TEST_CASE("a client that reads slowly is not sent more than what is on its way") {
  Talk talk;
  talk.event(EventKind::TextDelta, "Hello");
  talk.room = false;
  talk.speak(40);
  CHECK(talk.frames.size() == 16);
  talk.room = true;
  talk.spoken->on_room();
  talk.kit.pump();
  talk.speak(40);
  CHECK(talk.frames.size() > 30);
}

TEST_CASE("a voice that fails ends it with its error") {
  Talk talk;
  talk.event(EventKind::TextDelta, "Hello");
  talk.down.close(unavailable("the voice has gone"));
  talk.kit.pump();
  CHECK(talk.over);
  REQUIRE(talk.failure);
  CHECK(talk.failure->code == Code::Unavailable);
  talk.event(EventKind::TextDelta, "more");
  CHECK(talk.text == "Hello");
}

}  // namespace gantry::agent_ws
