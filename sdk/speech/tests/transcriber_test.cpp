// SPDX-License-Identifier: Apache-2.0
// Utterances in sound of any rate, with an engine that only counts what it hears.
#include <catch2/catch.hpp>

#include <gantry/speech/transcriber.hpp>
#include <gantry/speech/wav.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace gantry::speech {
namespace {

using Samples = std::vector<std::int16_t>;
using Kind = SpeechEventKind;

constexpr double kPi = 3.14159265358979;

Samples silence(double seconds, std::int32_t rate = kSpeechRate) {
  return Samples(static_cast<std::size_t>(seconds * rate));
}

/// Something with a pitch of 140 Hz and overtones, as vowels have.
Samples voice(double seconds, std::int32_t rate = kSpeechRate, double loud = 8000) {
  Samples out(static_cast<std::size_t>(seconds * rate));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double t = static_cast<double>(i) / rate;
    double sum = 0;
    for (int k = 1; k <= 6; ++k) sum += std::sin(2 * kPi * 140 * k * t) / k;
    out[i] = static_cast<std::int16_t>(loud * sum / 2);
  }
  return out;
}

Samples noise(double seconds, double loud) {
  std::mt19937 random(7);
  std::normal_distribution<double> bell(0, loud);
  Samples out = silence(seconds);
  for (auto& sample : out) {
    sample = static_cast<std::int16_t>(std::clamp(bell(random), -32768.0, 32767.0));
  }
  return out;
}

Samples operator+(Samples a, const Samples& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Understands the tenths of a second that it was given.
class Counter final : public Recogniser {
 public:
  std::int32_t rate() const override { return kSpeechRate; }
  std::string route() const override { return "counter"; }
  Result<void> prepare(const SpeechHints& hints) override {
    if (hints.language == "xx") return invalid_argument("no such language");
    languages.push_back(hints.language);
    return {};
  }
  Result<void> begin() override {
    heard = 0;
    ++begun;
    return {};
  }
  Result<void> sound(std::span<const std::int16_t> samples) override {
    if (broken) return internal_error("broken");
    heard += samples.size();
    return {};
  }
  std::string text() override { return around + std::to_string(heard / 1600) + around; }
  Result<Hypothesis> end() override { return Hypothesis{mute ? "" : text(), 0.5, "counter"}; }
  void drop() override { ++dropped; }

  std::size_t heard = 0;
  int begun = 0;
  int dropped = 0;
  bool broken = false;
  bool mute = false;
  std::string around;  // its words
  std::vector<std::string> languages;
};

struct Bench {
  explicit Bench(Transcriber::Settings settings = {})
      : transcriber(engine, make_energy_detector(), settings,
                    [this](SpeechEvent event) { told.push_back(std::move(event)); }) {}

  /// In pieces of an odd size, as networks deliver them.
  void hear(const Samples& samples, std::int32_t rate = kSpeechRate) {
    constexpr std::size_t kPiece = 777;
    for (std::size_t at = 0; at < samples.size(); at += kPiece) {
      const auto piece = std::span(samples).subspan(at, std::min(kPiece, samples.size() - at));
      last = transcriber.sound({rate, 1, buffer_of(piece)});
      if (!last.ok()) return;
    }
  }
  [[nodiscard]] std::size_t count(Kind kind) const {
    std::size_t out = 0;
    for (const auto& event : told) out += event.kind == kind ? 1 : 0;
    return out;
  }

  Counter engine;
  std::vector<SpeechEvent> told;
  Result<void> last;
  Transcriber transcriber;
};

TEST_CASE("silence, noise, clicks and hum are no utterances") {
  Samples clicks = silence(5);
  for (std::size_t i = 0; i < clicks.size(); i += 4000) clicks[i] = 30000;
  Samples hum = silence(5);
  for (std::size_t i = 0; i < hum.size(); ++i) {
    hum[i] = static_cast<std::int16_t>(
        800 * std::sin(2 * kPi * 50 * static_cast<double>(i) / kSpeechRate));
  }
  const std::pair<const char*, Samples> rows[] = {
      {"silence", silence(10)},
      {"faint noise", noise(10, 30)},
      {"noise", noise(10, 1000)},
      {"loud noise after silence", silence(2) + noise(5, 6000)},
      {"bursts of noise", noise(0.3, 6000) + silence(1) + noise(0.3, 6000) + silence(1)},
      {"clipping noise", noise(5, 60000)},
      {"clicks", clicks},
      {"hum", hum},
      {"a constant offset", Samples(50000, 12000)},
      {"a voice too short to say anything", silence(1) + voice(0.03) + silence(1)},
  };
  for (const auto& [name, samples] : rows) {
    CAPTURE(name);
    Bench bench;
    bench.hear(samples);
    REQUIRE(bench.transcriber.flush().ok());
    CHECK(bench.engine.begun == 0);
    CHECK(bench.told.empty());
  }
}

TEST_CASE("an utterance begins before its voice and ends after the pause") {
  for (const double level : {0.0, 50.0, 300.0}) {
    CAPTURE(level);
    Bench bench;
    Samples sound = silence(2) + voice(1) + silence(1);
    if (level > 0) {
      const Samples ground = noise(4, level);
      for (std::size_t i = 0; i < sound.size(); ++i) {
        sound[i] = static_cast<std::int16_t>(sound[i] + ground[i]);
      }
    }
    bench.hear(sound);
    REQUIRE(bench.count(Kind::Final) == 1);
    REQUIRE(bench.count(Kind::UtteranceEnd) == 1);
    CHECK(bench.told.back().kind == Kind::UtteranceEnd);
    const SpeechEvent& final = bench.told[bench.told.size() - 2];
    CHECK(final.begin_ms >= 1400);
    CHECK(final.begin_ms <= 1900);
    CHECK(final.end_ms >= 3400);
    CHECK(final.end_ms <= 3700);
    CHECK(final.utterance == "1");
    CHECK(final.route == "counter");
    CHECK(bench.count(Kind::Partial) >= 5);
  }
}

TEST_CASE("partials never say less than before") {
  Bench bench;
  bench.hear(silence(1) + voice(2) + silence(1));
  int before = -1;
  for (const auto& event : bench.told) {
    if (event.kind != Kind::Partial) continue;
    CHECK(std::stoi(event.text) > before);
    before = std::stoi(event.text);
  }
  CHECK(before >= 20);
  Bench quiet(Transcriber::Settings{{}, false});
  quiet.hear(silence(1) + voice(2) + silence(1));
  CHECK(quiet.count(Kind::Partial) == 0);
  CHECK(quiet.count(Kind::Final) == 1);
}

TEST_CASE("the first word after a pause is whole, every time") {
  Bench bench;
  Samples sound = silence(1);
  for (int i = 0; i < 5; ++i) sound = sound + voice(0.6) + silence(1.5);
  bench.hear(sound);
  CHECK(bench.count(Kind::Final) == 5);
  for (const auto& event : bench.told) {
    if (event.kind == Kind::Final) CHECK(std::stoi(event.text) >= 11);  // 0.3 + 0.6 + 0.5 s, nearly
  }
}

TEST_CASE("every rate gives the same utterance") {
  for (const std::int32_t rate : {8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000}) {
    CAPTURE(rate);
    Bench bench;
    bench.hear(silence(1, rate) + voice(1, rate) + silence(1, rate), rate);
    REQUIRE(bench.count(Kind::Final) == 1);
    CHECK(bench.told[bench.told.size() - 2].end_ms >= 2400);
    CHECK(bench.told[bench.told.size() - 2].end_ms <= 2700);
  }
  Bench changing;
  changing.hear(silence(1, 8000), 8000);
  changing.hear(voice(0.5, 48000), 48000);
  changing.hear(voice(0.5, 16000), 16000);
  changing.hear(silence(1, 44100), 44100);
  CHECK(changing.count(Kind::Final) == 1);
}

TEST_CASE("sound of another form is refused") {
  Bench bench;
  for (const std::int32_t rate : {-1, 0, 7999, 48001, 192000}) {
    CHECK_FALSE(bench.transcriber.sound({rate, 1, Buffer()}).ok());
  }
  CHECK_FALSE(bench.transcriber.sound({16000, 2, Buffer()}).ok());
  CHECK(bench.transcriber.sound({16000, 1, Buffer()}).ok());
  CHECK(bench.transcriber.sound({16000, 1, Buffer::copy("x")}).ok());
}

TEST_CASE("a flush ends the utterance, and an utterance without words has no final") {
  Bench bench;
  bench.hear(silence(1) + voice(1));
  CHECK(bench.count(Kind::Final) == 0);
  REQUIRE(bench.transcriber.flush().ok());
  CHECK(bench.count(Kind::Final) == 1);
  bench.engine.mute = true;
  bench.hear(silence(1) + voice(1) + silence(1));
  CHECK(bench.count(Kind::Final) == 1);
  CHECK(bench.count(Kind::UtteranceEnd) == 2);
}

TEST_CASE("an engine's words cannot act on a terminal or turn themselves around") {
  Bench bench;
  bench.engine.around = "\x1b[2J\u202E";
  bench.hear(silence(1) + voice(1) + silence(1));
  CHECK(bench.count(Kind::Partial) > 0);
  CHECK(bench.count(Kind::Final) == 1);
  for (const auto& event : bench.told) {
    CAPTURE(event.text);
    CHECK(event.text.find_first_not_of("0123456789") == std::string::npos);
  }
}

TEST_CASE("a reset forgets the utterance") {
  Bench bench;
  bench.hear(silence(1) + voice(1));
  bench.transcriber.reset();
  CHECK(bench.engine.dropped == 1);
  bench.hear(silence(2));
  REQUIRE(bench.transcriber.flush().ok());
  CHECK(bench.count(Kind::Final) == 0);
  CHECK(bench.count(Kind::UtteranceEnd) == 0);
}

TEST_CASE("a voice without end is cut") {
  Transcriber::Settings settings;
  settings.endpoint.longest_ms = 2000;
  Bench bench(settings);
  bench.hear(silence(1) + voice(7));
  CHECK(bench.count(Kind::Final) >= 3);
}

TEST_CASE("hints in the middle of an utterance count from the next one on") {
  Bench bench;
  bench.hear(silence(1) + voice(1));
  REQUIRE(bench.transcriber.hints({"de", {}}).ok());
  REQUIRE(bench.transcriber.hints({"xx", {}}).ok());
  CHECK(bench.engine.languages.empty());
  bench.hear(silence(1));
  CHECK(bench.told.back().kind == Kind::Problem);
  CHECK_FALSE(bench.transcriber.hints({"xx", {}}).ok());
  REQUIRE(bench.transcriber.hints({"fr", {}}).ok());
  CHECK(bench.engine.languages == std::vector<std::string>{"fr"});
}

TEST_CASE("what an engine cannot do is the session's error") {
  Bench bench;
  bench.engine.broken = true;
  bench.hear(silence(1) + voice(1));
  REQUIRE_FALSE(bench.last.ok());
  CHECK(bench.last.error().message == "broken");
  CHECK(bench.told.empty());
}

TEST_CASE("a resampler keeps the tone and takes out what lies above the band") {
  const auto level = [](double hertz, std::int32_t from, std::int32_t to) {
    Samples tone(static_cast<std::size_t>(from));
    for (std::size_t i = 0; i < tone.size(); ++i) {
      tone[i] = static_cast<std::int16_t>(
          10000 * std::sin(2 * kPi * hertz * static_cast<double>(i) / from));
    }
    Resampler resampler(to);
    Samples out = resampler.push(tone, from);
    const Samples rest = resampler.flush();
    out.insert(out.end(), rest.begin(), rest.end());
    double energy = 0;
    for (std::size_t i = out.size() / 4; i < out.size() * 3 / 4; ++i)
      energy += double(out[i]) * out[i];
    CHECK(std::abs(static_cast<double>(out.size()) - to) <= 2);
    return std::sqrt(energy / (static_cast<double>(out.size()) / 2));
  };
  CHECK(level(1000, 48000, 16000) == Approx(7071).epsilon(0.01));
  CHECK(level(1000, 8000, 16000) == Approx(7071).epsilon(0.01));
  CHECK(level(12000, 48000, 16000) < 10);  // linear interpolation would fold it down to 4,000
}

}  // namespace
}  // namespace gantry::speech
