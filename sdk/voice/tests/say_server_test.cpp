// SPDX-License-Identifier: Apache-2.0
// The service around an engine: credit, order, limits, cancellation.
#include <catch2/catch.hpp>

#include <gantry/plugin.hpp>
#include <gantry/speech/wav.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/voice/say_server.hpp>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gantry::voice::test {
namespace {

using Probe = testkit::StreamProbe<VoiceSay>;

/// Makes a second of sound of each sentence, when the test says so.
class Talker final : public Plugin, private Engine {
 public:
  using Plugin::Plugin;
  Result<void> init() override {
    server.configure({2, 1000, 60'000});
    return server.serve();
  }
  void stop(Deadline deadline) override { server.stop(deadline); }

  /// Speaks the sentence that waits; false when there is none.
  bool go_on(const Result<void>& result = {}) {
    if (!current) return false;
    const auto utterance = std::exchange(current, nullptr);
    heard = utterance->samples(std::vector<std::int16_t>(16'000, 1000), 16'000);
    utterance->done(result);
    return true;
  }

  SayServer server{host(), *this};
  std::vector<std::string> begun;
  std::shared_ptr<Utterance> current;
  bool heard = false;
  int cancelled = 0;
  int released = 0;

 private:
  Result<std::string> voice(const std::string& asked) override {
    if (asked == "nobody") return not_found("there is no voice 'nobody'");
    return asked.empty() ? "somebody" : asked;
  }
  VoiceList voices() override {
    return {{{"somebody", "en", "test", kSpeechRate, true, true}}, {}, {}};
  }
  void speak(std::shared_ptr<Utterance> utterance) override {
    begun.push_back(utterance->text());
    current = std::move(utterance);
    current->on_cancel([this] {
      ++cancelled;
      current.reset();
    });
  }
  void release() override { ++released; }
};

struct Running {
  Running() {
    auto loaded = kit.load<Talker>("talker");
    REQUIRE(loaded.ok());
    talker = *loaded;
  }
  ~Running() { talker->current.reset(); }
  Probe say(VoiceSayRequest request, const StreamOptions& options = {}) {
    Probe probe(kit.host(), std::move(request), options);
    kit.pump();
    return probe;
  }
  void finish_all() {
    while (talker->go_on()) kit.pump();
  }
  testkit::FakeHost kit;
  Talker* talker = nullptr;
};

VoiceSayRequest text(std::string words, bool more = false) {
  VoiceSayRequest request;
  request.text = std::move(words);
  request.more = more;
  return request;
}

std::size_t samples(const std::vector<VoiceChunk>& chunks, std::int32_t sentence) {
  std::size_t sum = 0;
  for (const VoiceChunk& chunk : chunks) {
    if (chunk.sentence == sentence) sum += chunk.audio.samples.size() / 2;
  }
  return sum;
}

}  // namespace

TEST_CASE("sentences are spoken one after the other, at the rate of the contract") {
  Running run;
  Probe probe = run.say(text("One. Two."));
  CHECK(run.talker->begun == std::vector<std::string>{"One."});
  run.finish_all();
  CHECK(run.talker->begun == std::vector<std::string>{"One.", "Two."});
  const auto chunks = probe.all();
  REQUIRE(chunks.size() > 10);
  for (const VoiceChunk& chunk : chunks) {
    CHECK(chunk.audio.sample_rate == kSpeechRate);
    CHECK(chunk.audio.channels == 1);
    CHECK(chunk.audio.samples.size() % 2 == 0);
  }
  CHECK(chunks.front().text == "One.");
  CHECK(chunks[1].text.empty());
  CHECK(samples(chunks, 0) > 21'900);
  CHECK(samples(chunks, 0) < 22'200);
  CHECK(samples(chunks, 1) == samples(chunks, 0));
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::Ok);
}

TEST_CASE("a sentence is spoken while the text is still written") {
  Running run;
  Probe probe = run.say(text("Hel", true));
  CHECK(run.talker->begun.empty());
  (void)probe.stream().send({"lo. An", false, false});
  run.kit.pump();
  CHECK(run.talker->begun == std::vector<std::string>{"Hello."});
  run.finish_all();
  CHECK(probe.ends().empty());
  (void)probe.stream().send({"d more", true, false});
  run.kit.pump();
  run.finish_all();
  (void)probe.stream().send({" text", false, true});
  run.kit.pump();
  run.finish_all();
  CHECK(run.talker->begun == std::vector<std::string>{"Hello.", "And more", "text"});
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::Ok);
}

TEST_CASE("a whole text can be had at once") {
  Running run;
  std::optional<Result<Ref<VoiceRendered>>> answer;
  run.kit.host().bus().call<VoiceRender>(
      {"One. Two.", {}, 1, false},
      [&](Result<Ref<VoiceRendered>> result) { answer.emplace(std::move(result)); });
  run.kit.pump();
  run.finish_all();
  REQUIRE(answer);
  REQUIRE(answer->ok());
  const VoiceRendered& made = ***answer;
  CHECK(made.sentences == std::vector<std::string>{"One.", "Two."});
  CHECK(made.audio.sample_rate == kSpeechRate);
  CHECK(made.audio.samples.size() > 4 * 21'900);
  CHECK(made.audio.samples.size() < 4 * 22'200);
  const auto refused = run.kit.host().bus().call_wait<VoiceRender>({"One.", "nobody", 1, false});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::NotFound);
}

TEST_CASE("a text with nothing to say ends without a chunk") {
  Running run;
  for (const char* words : {"", "  \n", "```\ncode\n```", "🎉"}) {
    Probe probe = run.say(text(words));
    CHECK(probe.all().empty());
    REQUIRE(probe.ends().size() == 1);
    CHECK(probe.ends()[0].code == Code::Ok);
  }
  CHECK(run.talker->begun.empty());
}

TEST_CASE("who closes the stream hears nothing more, and the engine is told") {
  Running run;
  Probe probe = run.say(text("One. Two. Three."));
  probe.stream().close();
  run.kit.pump();
  CHECK(run.talker->cancelled == 1);
  CHECK_FALSE(run.talker->go_on());
  run.kit.pump();
  CHECK(probe.all().empty());
  CHECK(run.talker->begun.size() == 1);
}

TEST_CASE("nothing new is begun while the listener has no credit") {
  Running run;
  StreamOptions slow;
  slow.receive_credit = 2;
  slow.manual_credit = true;
  Probe probe = run.say(text("One. Two."), slow);
  CHECK(run.talker->go_on());
  run.kit.pump();
  CHECK(probe.all().size() == 2);
  CHECK(run.talker->begun.size() == 1);
  for (int i = 0; i < 40 && run.talker->begun.size() == 1; ++i) {
    probe.stream().grant(1);
    run.kit.pump();
  }
  CHECK(run.talker->begun.size() == 2);
  CHECK(samples(probe.all(), 0) > 21'900);
}

TEST_CASE("the failure of an engine ends the stream with its error") {
  Running run;
  Probe probe = run.say(text("One. Two."));
  CHECK(run.talker->go_on(unavailable("the voice has gone", "find it")));
  run.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::Unavailable);
  CHECK(run.talker->begun.size() == 1);
}

TEST_CASE("an engine that forgets a sentence has failed") {
  Running run;
  Probe probe = run.say(text("One."));
  run.talker->current.reset();
  run.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::Internal);
}

TEST_CASE("what cannot be said is refused") {
  struct Row {
    const char* name;
    VoiceSayRequest request;
    Code code;
  };
  std::vector<Row> rows = {{"no UTF-8", text("A \xff b."), Code::InvalidArgument},
                           {"too slow", text("A."), Code::InvalidArgument},
                           {"too fast", text("A."), Code::InvalidArgument},
                           {"no rate", text("A."), Code::InvalidArgument},
                           {"no such voice", text("A."), Code::NotFound},
                           {"too long", text(std::string(1001, 'a')), Code::OutOfRange}};
  rows[1].request.rate = 0.2;
  rows[2].request.rate = 4.1;
  rows[3].request.rate = std::nan("");
  rows[4].request.voice = "nobody";
  for (const Row& row : rows) {
    INFO(row.name);
    Running run;
    Probe probe = run.say(row.request);
    REQUIRE(probe.ends().size() == 1);
    CHECK(probe.ends()[0].code == row.code);
    CHECK_FALSE(probe.ends()[0].message.empty());
  }
}

TEST_CASE("a text that grows too long ends, also while it is written") {
  Running run;
  Probe probe = run.say(text("One. ", true));
  for (int i = 0; i < 11; ++i)
    (void)probe.stream().send({std::string(99, 'a') + " ", false, false});
  run.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::OutOfRange);
}

TEST_CASE("more streams than allowed are refused, and their place is free again") {
  Running run;
  Probe first = run.say(text("One."));
  Probe second = run.say(text("Two.", true));
  Probe third = run.say(text("Three."));
  REQUIRE(third.ends().size() == 1);
  CHECK(third.ends()[0].code == Code::ResourceExhausted);
  second.stream().close();
  run.kit.pump();
  Probe fourth = run.say(text("Four."));
  CHECK(fourth.ends().empty());
}

TEST_CASE("the engine is released once nobody has spoken for a while") {
  Running run;
  Probe probe = run.say(text("One."));
  run.kit.advance(std::chrono::minutes(5));
  CHECK(run.talker->released == 0);
  run.finish_all();
  run.kit.advance(std::chrono::seconds(59));
  CHECK(run.talker->released == 0);
  run.kit.advance(std::chrono::seconds(61));
  CHECK(run.talker->released == 1);
  run.kit.advance(std::chrono::minutes(5));
  CHECK(run.talker->released == 1);
}

TEST_CASE("a stop ends what is said and refuses what comes") {
  Running run;
  Probe probe = run.say(text("One. Two."));
  run.talker->server.stop(Deadline{run.kit.now_ns()});
  run.kit.pump();
  REQUIRE(probe.ends().size() == 1);
  CHECK(probe.ends()[0].code == Code::FailedPrecondition);
  Probe late = run.say(text("Three."));
  REQUIRE(late.ends().size() == 1);
  CHECK(late.ends()[0].code == Code::FailedPrecondition);
}

}  // namespace gantry::voice::test
