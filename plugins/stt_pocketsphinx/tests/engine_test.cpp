// SPDX-License-Identifier: Apache-2.0
// People's voices and commands, through the engine that serves them. The thresholds are far above
// what is measured (docs/speech.md), for a change of the library must not turn this red.
#include <catch2/catch.hpp>

#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/speech.hpp>
#include <gantry/contracts/window.hpp>
#include <gantry/speech/transcriber.hpp>
#include <gantry/speech/wav.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine.hpp"
#include "stt_plugin.hpp"
#include "voices.hpp"

namespace gantry::stt_pocketsphinx {
namespace {

using namespace std::chrono_literals;

constexpr const char* kModel = "/usr/share/pocketsphinx/model/en-us";

struct Hearing {
  std::string text;
  std::string route;
  int partials = 0;
  int ends = 0;
};

Hearing hear(Engine& engine, const Audio& audio) {
  Hearing out;
  speech::Transcriber transcriber(engine, speech::make_energy_detector(), {},
                                  [&](const SpeechEvent& event) {
                                    out.partials += event.kind == SpeechEventKind::Partial ? 1 : 0;
                                    out.ends += event.kind == SpeechEventKind::UtteranceEnd ? 1 : 0;
                                    if (event.kind != SpeechEventKind::Final) return;
                                    out.text += (out.text.empty() ? "" : " ") + event.text;
                                    out.route = event.route;
                                  });
  auto samples = speech::samples_of(audio.samples);
  const auto rate = static_cast<std::size_t>(audio.sample_rate);
  samples.resize(samples.size() + rate);
  for (std::size_t at = 0; at < samples.size(); at += rate / 10) {
    const auto piece = std::span(samples).subspan(at, std::min(rate / 10, samples.size() - at));
    REQUIRE(transcriber.sound({audio.sample_rate, 1, speech::buffer_of(piece)}).ok());
  }
  REQUIRE(transcriber.flush().ok());
  return out;
}

std::unique_ptr<Engine> engine(bool commands, bool general) {
  EngineSettings settings;
  settings.model_dir = kModel;
  settings.commands = commands;
  settings.general = general;
  auto made = Engine::create(settings);
  REQUIRE(made.ok());
  return std::move(*made);
}

TEST_CASE("commands about what is on the screen are understood") {
  const auto ear = engine(true, true);
  REQUIRE(ear->prepare({"en", voices::names_on_screen()}).ok());
  voices::Errors errors;
  for (const std::size_t i : {0U, 2U, 4U}) {
    const std::string& said = voices::more_commands().at(i);
    const Hearing heard = hear(*ear, voices::spoken_by("slt", said));
    CAPTURE(said, heard.text);
    CHECK(heard.route == "pocketsphinx, commands");
    CHECK(heard.partials > 3);
    CHECK(heard.ends == 1);
    errors.add(voices::compare(said, heard.text));
  }
  CHECK(errors.rate() <= 0.15);
}

TEST_CASE("people who say something else are heard as English") {
  const auto clips = voices::recordings();
  if (clips.empty()) {
    WARN("pocketsphinx-testdata is not installed");
    SUCCEED();
    return;
  }
  const auto ear = engine(true, true);
  REQUIRE(ear->prepare({"en", voices::names_on_screen()}).ok());
  voices::Errors errors;
  for (const auto& clip : clips) {
    if (clip.name.find("0890") == std::string::npos) continue;
    const Hearing heard = hear(*ear, clip.audio);
    CAPTURE(clip.said, heard.text);
    CHECK(heard.route == "pocketsphinx, en-us");
    errors.add(voices::compare(clip.said, heard.text));
  }
  CHECK(errors.words == 14);
  CHECK(errors.rate() <= 0.6);
}

/// Commands in one utterance.
voices::Clip commands_on_and_on(std::size_t seconds) {
  std::vector<voices::Clip> clips;
  for (const std::string& said : voices::more_commands()) {
    clips.push_back({"rms", voices::spoken_by("rms", said), said});
  }
  return voices::joined(clips, seconds);
}

struct Session {
  explicit Session(Engine& engine)
      : transcriber(engine, speech::make_energy_detector(), {},
                    [this](const SpeechEvent& event) { take(event); }) {}

  void hear(std::span<const std::int16_t> samples) {
    for (std::size_t at = 0; at < samples.size(); at += 1600) {
      const auto piece = samples.subspan(at, std::min<std::size_t>(1600, samples.size() - at));
      REQUIRE(transcriber.sound({16000, 1, speech::buffer_of(piece)}).ok());
    }
  }
  void take(const SpeechEvent& event) {
    if (event.kind == SpeechEventKind::Final) finals.push_back(event.text);
    if (event.kind != SpeechEventKind::Partial) return;
    const auto words = std::ranges::count(event.text, ' ');
    if (words + 2 < longest_partial) ++fell_back;  // more than a word that was understood anew
    longest_partial = std::max(longest_partial, words);
  }

  std::vector<std::string> finals;
  std::ptrdiff_t longest_partial = 0;
  int fell_back = 0;
  speech::Transcriber transcriber;
};

TEST_CASE("more than twenty seconds of speech are one utterance whose words are all there") {
  const auto ear = engine(true, false);
  REQUIRE(ear->prepare({"en", voices::names_on_screen()}).ok());
  const voices::Clip clip = commands_on_and_on(21);
  Session session(*ear);
  session.hear(speech::samples_of(clip.audio.samples));
  REQUIRE(session.transcriber.flush().ok());  // the client closes right after its last frame
  REQUIRE(session.finals.size() == 1);
  CAPTURE(clip.said, session.finals[0]);
  CHECK(voices::compare(clip.said, session.finals[0]).rate() <= 0.2);
  CHECK(ear->last().commands.frames >= 2100);
  CHECK(session.longest_partial >= 30);
  CHECK(session.fell_back == 0);
}

TEST_CASE("what was said before a start over is in no final") {
  const auto ear = engine(true, false);
  REQUIRE(ear->prepare({"en", voices::names_on_screen()}).ok());
  Session session(*ear);
  session.hear(speech::samples_of(commands_on_and_on(12).audio.samples));
  session.transcriber.reset();
  auto samples = speech::samples_of(voices::spoken_by("slt", "close chromium").samples);
  samples.resize(samples.size() + 16000);
  session.hear(samples);
  CHECK(session.finals == std::vector<std::string>{"close chromium"});
}

TEST_CASE("silence, noise and clipping noise have no words") {
  const auto ear = engine(true, false);
  REQUIRE(ear->prepare({"en", {}}).ok());
  std::mt19937 random(3);
  for (const double loud : {0.0, 30.0, 2000.0, 60000.0}) {
    CAPTURE(loud);
    std::normal_distribution<double> bell(0, loud + 1e-9);
    std::vector<std::int16_t> samples(16000 * 4);
    for (auto& sample : samples) {
      sample = static_cast<std::int16_t>(std::clamp(bell(random), -32768.0, 32767.0));
    }
    CHECK(hear(*ear, {16000, 1, speech::buffer_of(samples)}).text.empty());
  }
}

TEST_CASE("names that no dictionary has are learned") {
  const auto ear = engine(true, false);
  REQUIRE(ear->prepare({"en", {"Thunar", "Xzrqk", "Mousepad"}}).ok());
  CHECK(ear->vocabulary().phrases == 3);
  CHECK(ear->vocabulary().guessed >= 2);
  CHECK(ear->vocabulary().skipped == 0);
  const auto other = ear->prepare({"de", {}});
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().code == Code::InvalidArgument);
  CHECK(ear->prepare({"en-US", {}}).ok());
}

TEST_CASE("the plugin transcribes clips with the titles of windows, and lets go when idle") {
  testkit::FakeHost kit;
  testkit::CallProbe<ListWindows> windows(kit.host("windows"), [](const ListWindowsRequest&) {
    WindowList list;
    list.windows.emplace_back().title = "Signature - Mail settings";
    return list;
  });
  REQUIRE(kit.load<SttPlugin>("stt_pocketsphinx", R"({"listen_for":"commands"})").ok());
  CHECK(kit.suitability("stt_pocketsphinx") == 40);
  kit.pump();
  TranscribeRequest request;
  request.audio = voices::spoken_by("slt", "click signature in mail settings");
  const auto answer = kit.host().bus().call_wait<SpeechTranscribe>(request);
  REQUIRE(answer.ok());
  CHECK((*answer)->text == "click signature in mail settings");
  CHECK((*answer)->utterances.size() == 1);
  CHECK(kit.metric("stt_pocketsphinx", "sessions") == 0);
  kit.advance(61s);

  request.audio.samples = Buffer();
  CHECK(kit.host().bus().call_wait<SpeechTranscribe>(request).error().code ==
        Code::InvalidArgument);
  request.audio = {4000, 1, Buffer::copy("xxxx")};
  CHECK(kit.host().bus().call_wait<SpeechTranscribe>(request).error().code ==
        Code::InvalidArgument);
}

TEST_CASE("names of the focused window's elements are read once, and anew when it changes") {
  testkit::FakeHost kit;
  WindowInfo form;
  form.uid = "x11:1";
  form.handle = "1";
  form.title = "Form";
  form.focused = true;
  testkit::CallProbe<ListWindows> windows(kit.host("windows"), [&](const ListWindowsRequest&) {
    WindowList list;
    list.windows = {form};
    return list;
  });
  A11yTree tree;
  tree.sequence = 7;
  A11yNode signature;
  signature.name = "Signature in mail settings";
  signature.actions = {"click"};
  tree.nodes = {signature};
  std::vector<A11yTreeRequest> asked;
  testkit::CallProbe<GetA11yTree> trees(kit.host("trees"), [&](const A11yTreeRequest& request) {
    asked.push_back(request);
    A11yTree answer = tree;
    answer.unchanged = request.unless_sequence == tree.sequence;
    if (answer.unchanged) answer.nodes.clear();
    return answer;
  });
  REQUIRE(kit.load<SttPlugin>("stt_pocketsphinx", R"({"listen_for":"commands"})").ok());
  kit.pump();
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].handle == "1");
  CHECK(asked[0].max_text == 0);
  TranscribeRequest request;
  request.audio = voices::spoken_by("slt", "click signature in mail settings");
  const auto answer = kit.host().bus().call_wait<SpeechTranscribe>(request);
  REQUIRE(answer.ok());
  CHECK((*answer)->text == "click signature in mail settings");
  kit.pump();
  REQUIRE(asked.size() == 2);  // as the clip began
  CHECK(asked[1].unless_sequence == 7);

  form.uid = "x11:2";
  (void)kit.host().bus().call_wait<SpeechTranscribe>(request);
  kit.pump();
  CHECK(asked.back().unless_sequence == 0);
}

TEST_CASE("a session hears names that have come up since it began") {
  testkit::FakeHost kit;
  WindowInfo window;
  window.uid = "x11:1";
  window.title = "Terminal";
  window.focused = true;
  testkit::CallProbe<ListWindows> windows(kit.host("windows"), [&](const ListWindowsRequest&) {
    WindowList list;
    list.windows = {window};
    return list;
  });
  REQUIRE(kit.load<SttPlugin>("stt_pocketsphinx", R"({"listen_for":"commands"})").ok());
  testkit::StreamProbe<SpeechRecognise> stream(kit.host(), SpeechOpening{});
  kit.pump();
  const auto say = [&] {
    const Audio spoken = voices::spoken_by("slt", "click signature in mail settings");
    auto samples = speech::samples_of(spoken.samples);
    samples.resize(samples.size() + static_cast<std::size_t>(spoken.sample_rate));
    SpeechInput input;
    input.audio = {spoken.sample_rate, 1, speech::buffer_of(samples)};
    REQUIRE(stream.stream().send(input).ok());
    kit.pump();
    std::string last;
    for (const SpeechEvent& event : stream.all()) {
      if (event.kind == SpeechEventKind::Final) last = event.text;
    }
    return last;
  };
  CHECK(say() != "click signature in mail settings");
  window.title = "Signature in mail settings";
  (void)say();  // its end has the screen looked at
  CHECK(say() == "click signature in mail settings");
}

TEST_CASE("sessions have room or a typed refusal, and end with their stream") {
  testkit::FakeHost kit;
  REQUIRE(
      kit.load<SttPlugin>("stt_pocketsphinx", R"({"listen_for":"commands","sessions":1})").ok());
  {
    testkit::StreamProbe<SpeechRecognise> first(kit.host(), SpeechOpening{});
    kit.pump();
    REQUIRE(first.all().size() == 1);
    CHECK(first.all()[0].kind == SpeechEventKind::Ready);
    testkit::StreamProbe<SpeechRecognise> second(kit.host(), SpeechOpening{});
    kit.pump();
    REQUIRE(second.ends().size() == 1);
    CHECK(second.ends()[0].code == Code::ResourceExhausted);
    SpeechInput flush;
    flush.kind = SpeechInputKind::Flush;
    REQUIRE(first.stream().send(flush).ok());
    kit.pump();
    CHECK(first.all().back().kind == SpeechEventKind::Flushed);
  }
  kit.pump();
  testkit::StreamProbe<SpeechRecognise> third(kit.host(), SpeechOpening{});
  kit.pump();
  CHECK(third.ends().empty());
}

TEST_CASE("without a model it says what cures that") {
  testkit::FakeHost kit;
  REQUIRE(kit.load<SttPlugin>("stt_pocketsphinx", R"({"model_dir":"/nowhere/en-us"})").ok());
  CHECK(kit.suitability("stt_pocketsphinx") == 0);
  CHECK(kit.health().at("stt_pocketsphinx/model").cure.find("pocketsphinx-en-us") !=
        std::string::npos);
  testkit::StreamProbe<SpeechRecognise> stream(kit.host(), SpeechOpening{});
  kit.pump();
  REQUIRE(stream.ends().size() == 1);
  CHECK(stream.ends()[0].code == Code::Unavailable);
  CHECK(stream.ends()[0].message.find("(cure: ") != std::string::npos);
}

}  // namespace
}  // namespace gantry::stt_pocketsphinx
