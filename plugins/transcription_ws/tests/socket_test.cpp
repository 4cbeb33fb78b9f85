// SPDX-License-Identifier: Apache-2.0
// One socket with a recogniser whose every word the test says.
#include <catch2/catch.hpp>

#include <gantry/contracts/identity.hpp>
#include <gantry/contracts/speech.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "transcription_plugin.hpp"

namespace gantry::transcription_ws {
namespace {

using namespace std::chrono_literals;

/// Stands in for an engine: keeps what comes and says what it is told.
class Recogniser {
 public:
  explicit Recogniser(Host& host) {
    StreamOptions options;
    options.receive_credit = 4;
    options.manual_credit = true;
    (void)host.bus().serve_stream<SpeechRecognise>(
        [this](const Ref<SpeechOpening>& opening, const CallInfo&,
               Stream<SpeechEvent> down) -> Result<StreamHandlers<SpeechInput>> {
          openings.push_back(*opening);
          if (refusal) return *refusal;
          down_ = std::move(down);
          StreamHandlers<SpeechInput> handlers;
          handlers.on_chunk = [this](const Ref<SpeechInput>& input) {
            inputs.push_back(*input);
            if (!busy) down_.grant(1);
          };
          handlers.on_end = [this](const Error&) { ++ended; };
          return handlers;
        },
        options);
  }

  void say(SpeechEventKind kind, const std::string& text = {}) {
    SpeechEvent event;
    event.kind = kind;
    event.text = text;
    (void)down_.send(std::move(event));
  }
  void end(const Error& error) { down_.close(error); }
  void take(std::uint32_t pieces) { down_.grant(pieces); }
  [[nodiscard]] std::size_t count(SpeechInputKind kind) const {
    return static_cast<std::size_t>(std::count_if(
        inputs.begin(), inputs.end(), [kind](const SpeechInput& i) { return i.kind == kind; }));
  }

  std::vector<SpeechOpening> openings;
  std::vector<SpeechInput> inputs;
  std::optional<Error> refusal;
  bool busy = false;
  int ended = 0;

 private:
  Stream<SpeechEvent> down_;
};

struct World {
  explicit World(const std::string& config = "{}") {
    REQUIRE(kit.load<TranscriptionPlugin>("transcription_ws", config).ok());
    kit.pump();
  }
  testkit::StreamProbe<WsConnect>& connect(HttpRequest request = {}) {
    WsOpening opening;
    opening.request = std::move(request);
    socket = std::make_unique<testkit::StreamProbe<WsConnect>>(kit.host(), std::move(opening));
    kit.pump();
    return *socket;
  }
  void send(WsOpcode opcode, std::string data) {
    const auto sent = socket->stream().send(WsMessage{opcode, Buffer::of(std::move(data))});
    REQUIRE(sent.ok());
    kit.pump();
  }
  void sound(std::size_t bytes = 320, const std::string& metadata = {}) {
    std::string frame{static_cast<char>(metadata.size()), 0, 0, 0};
    send(WsOpcode::Binary, frame + metadata + std::string(bytes, 'x'));
  }
  /// What the client has heard since the last look, the accepting left out.
  std::vector<std::string> heard() {
    kit.pump();
    std::vector<std::string> out;
    const auto all = socket->all();
    for (; seen < all.size(); ++seen) {
      if (all[seen].opcode != WsOpcode::Accept) out.emplace_back(all[seen].data.text());
    }
    return out;
  }

  testkit::FakeHost kit;
  testkit::CallProbe<HttpListen> listen{kit.host("transport")};
  testkit::CallProbe<HttpMount> mount{kit.host("transport")};
  Recogniser engine{kit.host("engine")};
  std::unique_ptr<testkit::StreamProbe<WsConnect>> socket;
  std::size_t seen = 0;
};

using Lines = std::vector<std::string>;

TEST_CASE("a client hears its words and their ends") {
  World world;
  world.connect();
  const Lines first = world.heard();
  REQUIRE(first.size() == 1);
  CHECK(first[0].starts_with(R"({"type":"status","client_id":")"));
  CHECK(first[0].size() == std::string(R"({"type":"status","client_id":""})").size() + 32);
  REQUIRE(world.engine.openings.size() == 1);
  CHECK(world.engine.openings[0].hints.language == "en");
  CHECK(world.engine.openings[0].silence_ms == 500);

  world.sound(640, R"({"sampleRate":48000})");
  REQUIRE(world.engine.inputs.size() == 1);
  CHECK(world.engine.inputs[0].audio.sample_rate == 48000);
  CHECK(world.engine.inputs[0].audio.samples.size() == 640);
  world.engine.say(SpeechEventKind::Ready);
  world.engine.say(SpeechEventKind::Partial, "open");
  world.engine.say(SpeechEventKind::Partial, "open the");
  world.engine.say(SpeechEventKind::Final, "open the mail");
  world.engine.say(SpeechEventKind::UtteranceEnd);
  CHECK(world.heard() == Lines{R"({"type":"realtime","text":"open","is_final":false})",
                               R"({"type":"realtime","text":"open the","is_final":false})",
                               R"({"type":"realtime","text":"open the mail","is_final":true})",
                               R"({"type":"utterance_end"})"});
}

TEST_CASE("an utterance without words only ends") {
  World world;
  world.connect();
  world.heard();
  world.engine.say(SpeechEventKind::UtteranceEnd);
  CHECK(world.heard() == Lines{R"({"type":"utterance_end"})"});
}

TEST_CASE("bad frames do not end the session") {
  World world;
  world.connect();
  world.heard();
  world.send(WsOpcode::Binary, "xx");
  world.send(WsOpcode::Text, "nonsense");
  world.send(WsOpcode::Text, R"({"type":"unknown"})");
  world.sound(320, "{");
  world.sound(0);
  CHECK(world.heard().empty());
  CHECK(world.engine.inputs.empty());
  world.sound(321);
  world.sound(320, "[]");
  const Lines errors = world.heard();
  REQUIRE(errors.size() == 2);
  for (const auto& line : errors) {
    CHECK(line.starts_with(R"({"type":"error","message":")"));
    CHECK(line.ends_with(R"("code":"invalid_argument"})"));
  }
  world.sound();
  CHECK(world.engine.inputs.size() == 1);
  CHECK(world.socket->ends().empty());
  CHECK(world.kit.metric("transcription_ws", "frames_ignored_total") == 5);
  CHECK(world.kit.metric("transcription_ws", "frames_refused_total") == 2);
}

TEST_CASE("odd frames at the passing rate are one stream of bytes") {
  World world;
  world.connect();
  const std::string rate = R"({"sampleRate":24000})";
  world.sound(3, rate);
  world.sound(3, rate);
  world.sound(1, rate);
  world.sound(1, rate);
  std::size_t bytes = 0;
  for (const auto& input : world.engine.inputs) {
    CHECK(input.audio.samples.size() % 2 == 0);
    bytes += input.audio.samples.size();
  }
  CHECK(bytes == 8);
}

TEST_CASE("a language is told once, and starting over forgets") {
  World world;
  world.connect();
  world.send(WsOpcode::Text, R"({"type":"set_langs","source_language":"en"})");
  CHECK(world.engine.inputs.empty());
  world.send(WsOpcode::Text, R"({"type":"set_langs","source_language":" de "})");
  world.send(WsOpcode::Text, R"({"type":"set_langs","source_language":"de"})");
  REQUIRE(world.engine.inputs.size() == 1);
  CHECK(world.engine.inputs[0].kind == SpeechInputKind::Hints);
  CHECK(world.engine.inputs[0].hints.language == "de");
  world.send(WsOpcode::Text, R"({"type":"start_over"})");
  CHECK(world.engine.count(SpeechInputKind::Reset) == 1);
  world.heard();
  world.send(WsOpcode::Text,
             R"({"type":"set_langs","source_language":")" + std::string(1000, 'x') + R"("})");
  CHECK(world.heard() == Lines{R"({"type":"error","message":"source_language has more than 64 )"
                               R"(bytes","code":"invalid_argument"})"});
  CHECK(world.engine.inputs.size() == 2);
}

TEST_CASE("a client that closes after its last frame gets its final") {
  World world;
  world.connect();
  world.heard();
  world.sound();
  world.send(WsOpcode::Close, "");
  CHECK(world.engine.count(SpeechInputKind::Flush) == 1);
  CHECK(world.socket->ends().empty());
  world.engine.say(SpeechEventKind::Final, "done");
  world.engine.say(SpeechEventKind::UtteranceEnd);
  world.engine.say(SpeechEventKind::Flushed);
  CHECK(world.heard() == Lines{R"({"type":"realtime","text":"done","is_final":true})",
                               R"({"type":"utterance_end"})"});
  REQUIRE(world.socket->ends().size() == 1);
  CHECK(world.socket->ends()[0].detail == R"({"close_code":1000,"reason":""})");
  CHECK(world.mount.all().at(0).routes.at(0).close_answer == 10'000);
}

TEST_CASE("a client that falls silent has ended its utterance") {
  World world;
  world.connect();
  world.sound();
  world.kit.advance(999ms);
  CHECK(world.engine.count(SpeechInputKind::Flush) == 0);
  world.sound();
  world.kit.advance(999ms);
  CHECK(world.engine.count(SpeechInputKind::Flush) == 0);
  world.kit.advance(100ms);
  CHECK(world.engine.count(SpeechInputKind::Flush) == 1);
  world.kit.advance(30s);
  CHECK(world.engine.count(SpeechInputKind::Flush) == 1);
}

TEST_CASE("a silent connection gives its recogniser back and takes one again") {
  World world;
  world.connect();
  world.send(WsOpcode::Text, R"({"type":"set_langs","source_language":"de"})");
  world.sound();
  world.kit.advance(62s);
  CHECK(world.engine.ended == 1);
  CHECK(world.socket->ends().empty());
  world.sound();
  REQUIRE(world.engine.openings.size() == 2);
  CHECK(world.engine.openings[1].hints.language == "de");
  world.heard();
  world.engine.say(SpeechEventKind::Final, "again");
  CHECK(world.heard() == Lines{R"({"type":"realtime","text":"again","is_final":true})"});
}

TEST_CASE("without a recogniser the client is told why, and closed") {
  World world;
  world.engine.refusal = unavailable("there is no model", "install one");
  world.connect();
  const Lines lines = world.heard();
  REQUIRE(lines.size() == 2);
  CHECK(
      lines[1] ==
      R"x({"type":"error","message":"there is no model (cure: install one)","code":"unavailable"})x");
  REQUIRE(world.socket->ends().size() == 1);
}

TEST_CASE("an engine without room is a typed error") {
  World world;
  world.engine.refusal = Error{Code::ResourceExhausted, "two are being recognised", {}};
  world.connect();
  const Lines lines = world.heard();
  REQUIRE(lines.size() == 2);
  CHECK(lines[1].ends_with(R"("code":"resource_exhausted"})"));
}

TEST_CASE("a problem of the provider is told and the stream goes on; its end ends the socket") {
  World world;
  world.connect();
  world.heard();
  world.engine.say(SpeechEventKind::Problem, "no such language");
  CHECK(world.heard() ==
        Lines{R"({"type":"error","message":"no such language","code":"provider"})"});
  CHECK(world.socket->ends().empty());
  world.engine.end(unavailable("gone"));
  CHECK(world.heard() == Lines{R"({"type":"error","message":"gone","code":"unavailable"})"});
  CHECK(world.socket->ends().size() == 1);
}

TEST_CASE("a recogniser that is busy holds the client back, and loses nothing") {
  World world;
  world.engine.busy = true;
  world.connect();
  std::size_t sent = 0;
  std::string frame("\0\0\0\0xx", 6);
  while (world.socket->stream().send(WsMessage{WsOpcode::Binary, Buffer::copy(frame)}).ok()) {
    ++sent;
    world.kit.pump();
    REQUIRE(sent < 1000);
  }
  CHECK(sent >= 64);
  CHECK(world.engine.inputs.size() == 4);
  world.engine.busy = false;
  world.engine.take(4);
  world.kit.pump();
  CHECK(world.engine.inputs.size() == sent);
  world.sound();
  CHECK(world.engine.inputs.size() == sent + 1);
}

TEST_CASE("a client whose frames are long is held back by their sound, not by their number") {
  World world;
  world.engine.busy = true;
  world.connect();
  constexpr std::size_t kLong = 4 << 20;
  std::size_t sent = 0;
  const std::string frame = std::string(4, '\0') + std::string(kLong - 4, 'x');
  while (world.socket->stream().send(WsMessage{WsOpcode::Binary, Buffer::copy(frame)}).ok()) {
    ++sent;
    world.kit.pump();
    REQUIRE(sent < 100);
  }
  CHECK(sent <= 8);
  std::size_t given = 0;
  for (const auto& input : world.engine.inputs) given += input.audio.samples.size();
  CHECK(given <= 256 << 10);
  world.engine.busy = false;
  world.engine.take(4);
  world.kit.pump();
  given = 0;
  for (const auto& input : world.engine.inputs) given += input.audio.samples.size();
  CHECK(given == sent * (kLong - 4));
}

TEST_CASE("with token: always only who has one is let in") {
  World world(R"({"token":"always"})");
  CHECK(world.mount.all().at(0).own_authentication);
  testkit::CallProbe<IdentityVerify> identity(
      world.kit.host("identity"),
      [](const IdentityVerifyRequest& request) -> Result<IdentityVerified> {
        if (request.secret != "wnd_install_good") return Error{Code::Unauthenticated, "no", {}};
        return IdentityVerified{{"user_1", {}}, "install_1", "user_1", false};
      });
  world.connect();
  REQUIRE(world.socket->ends().size() == 1);
  CHECK(world.socket->ends()[0].code == Code::Unauthenticated);
  CHECK(world.socket->all().empty());

  HttpRequest header;
  header.headers.push_back({"authorization", "Bearer wnd_install_good"});
  world.connect(header);
  CHECK(world.socket->ends().empty());
  HttpRequest query;
  query.query.push_back({"token", "wnd_install_good"});
  world.connect(query);
  CHECK(world.socket->ends().empty());
  query.query[0].value = "wnd_install_bad";
  world.connect(query);
  CHECK(world.socket->ends().size() == 1);
}

TEST_CASE("more sockets than allowed are refused") {
  World world(R"({"connections":1})");
  world.connect();
  const auto first = std::move(world.socket);
  world.connect();
  REQUIRE(world.socket->ends().size() == 1);
  CHECK(world.socket->ends()[0].code == Code::ResourceExhausted);
  CHECK(first->ends().empty());
}

TEST_CASE("a client that is gone frees its recogniser") {
  World world;
  world.connect();
  world.sound();
  world.socket.reset();
  world.kit.pump();
  CHECK(world.engine.ended == 1);
  CHECK(world.kit.metric("transcription_ws", "connections") == 0);
}

}  // namespace
}  // namespace gantry::transcription_ws
