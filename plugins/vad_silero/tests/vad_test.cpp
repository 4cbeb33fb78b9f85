// SPDX-License-Identifier: Apache-2.0
// Speech is found where it is, with the model and without; noise and silence are none.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

#include "vad_plugin.hpp"

#include <gantry/onnx/test_models.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>

namespace gantry::vad_silero::test {
namespace {

using Samples = std::vector<std::int16_t>;

const std::initializer_list<std::string_view> kFiles = {"onnxruntime/libonnxruntime.so",
                                                        "silero/vad.onnx"};

/// A voice from Debian's pocketsphinx-testdata, 16,000 samples a second.
Samples voice() {
  std::ifstream in("/usr/share/pocketsphinx/test/data/goforward.raw", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  Samples out(bytes.size() / 2);
  std::memcpy(out.data(), bytes.data(), out.size() * 2);
  return out;
}

Samples noise(std::size_t count, int loudness) {
  Samples out(count);
  std::uint32_t state = 7;
  for (auto& sample : out) {
    state = state * 1664525U + 1013904223U;
    sample =
        static_cast<std::int16_t>(static_cast<int>(state >> 16U) % (2 * loudness + 1) - loudness);
  }
  return out;
}

struct Running {
  explicit Running(const std::filesystem::path& models, const std::string& more = "") {
    const auto loaded = kit.load<VadPlugin>(
        "vad_silero", R"({"models_dir":")" + models.string() + '"' + more + "}");
    INFO((loaded.ok() ? std::string() : loaded.error().message));
    REQUIRE(loaded.ok());
  }
  testkit::FakeHost kit;
};

class Listening {
 public:
  explicit Listening(Running& running) : kit_(running.kit), probe_(running.kit.host(), {}) {
    kit_.pump();
  }
  void send(const Samples& samples, std::int32_t rate = 16000, std::int32_t channels = 1) {
    VadInput input;
    input.audio = {rate, channels, bytes(samples)};
    send(std::move(input));
  }
  void send(VadInput input) {
    const auto sent = probe_.stream().send(std::move(input));
    REQUIRE(sent.ok());
    kit_.pump();
  }
  void flush() {
    VadInput input;
    input.flush = true;
    send(std::move(input));
  }
  static Buffer bytes(const Samples& samples) {
    return Buffer::copy({reinterpret_cast<const char*>(samples.data()), samples.size() * 2});
  }
  std::vector<VadEvent> all() const { return probe_.all(); }
  std::vector<VadEvent> of(VadEventKind kind) const {
    std::vector<VadEvent> out = all();
    std::erase_if(out, [&](const VadEvent& event) { return event.kind != kind; });
    return out;
  }
  testkit::StreamProbe<VadDetect>& probe() { return probe_; }

 private:
  testkit::FakeHost& kit_;
  testkit::StreamProbe<VadDetect> probe_;
};

std::filesystem::path models(bool with) {
  return with ? onnx::test_models_dir() : std::filesystem::path("/nonexistent");
}

TEST_CASE("speech between silences begins and ends where it is") {
  const bool with = GENERATE(true, false);
  if (with && !onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  const Samples said = voice();
  REQUIRE(said.size() > 16000);
  Running vad(models(with));
  Listening listening(vad);
  listening.send(noise(16000, 20));
  // In pieces that are no multiple of a frame.
  for (std::size_t at = 0; at < said.size(); at += 777) {
    const auto begin = said.begin() + static_cast<std::ptrdiff_t>(at);
    listening.send(Samples(
        begin, said.begin() + static_cast<std::ptrdiff_t>(std::min(at + 777, said.size()))));
  }
  listening.send(noise(24000, 20));
  const auto begins = listening.of(VadEventKind::Begin);
  const auto ends = listening.of(VadEventKind::End);
  REQUIRE(begins.size() == 1);
  REQUIRE(ends.size() == 1);
  const auto length = static_cast<std::int64_t>(said.size() / 16);
  CHECK(begins[0].at_ms >= 900);
  CHECK(begins[0].at_ms <= 1000 + length / 2);
  CHECK(ends[0].at_ms > begins[0].at_ms + 500);
  CHECK(ends[0].at_ms <= 1000 + length + 500);
  REQUIRE(listening.of(VadEventKind::Ready).size() == 1);
  CHECK(listening.of(VadEventKind::Ready)[0].route ==
        (with ? "Silero VAD v5" : "loudness and pitch"));
}

TEST_CASE("silence, noise and a tone are no speech") {
  const bool with = GENERATE(true, false);
  if (with && !onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  Running vad(models(with));
  Listening listening(vad);
  listening.send(Samples(32000, 0));
  listening.send(noise(32000, 900));
  listening.send(Samples(16000, 32767));
  listening.flush();
  CHECK(listening.of(VadEventKind::Begin).empty());
  CHECK(listening.of(VadEventKind::Flushed).size() == 1);
}

TEST_CASE("a flush ends speech, and the next one has the right time") {
  const bool with = GENERATE(true, false);
  if (with && !onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  Running vad(models(with));
  Listening listening(vad);
  const Samples said = voice();
  const Samples half(said.begin(), said.begin() + static_cast<std::ptrdiff_t>(said.size() / 2));
  listening.send(half);
  listening.flush();
  listening.send(said);
  listening.flush();
  CHECK(listening.of(VadEventKind::Begin).size() == listening.of(VadEventKind::End).size());
  CHECK(listening.of(VadEventKind::Begin).size() >= 2);
  std::int64_t last = -1;
  for (const VadEvent& event : listening.all()) {
    if (event.kind != VadEventKind::Begin && event.kind != VadEventKind::End) continue;
    CHECK(event.at_ms >= last);
    last = event.at_ms;
  }
  CHECK(last > static_cast<std::int64_t>(half.size() / 16));
}

TEST_CASE("pieces of another form are told, and the session goes on") {
  Running vad("/nonexistent");
  Listening listening(vad);
  const Samples some(100, 0);
  listening.send(some, 16000, 2);
  listening.send(some, 4000);
  listening.send(some, 96000);
  listening.send(some, 0);
  VadInput odd;
  odd.audio = {16000, 1, Buffer::copy("odd")};
  listening.send(std::move(odd));
  CHECK(listening.of(VadEventKind::Problem).size() == 5);
  for (const std::int32_t rate : {8000, 44100, 48000}) listening.send(some, rate);
  listening.send(Samples{});
  listening.flush();
  CHECK(listening.of(VadEventKind::Problem).size() == 5);
  CHECK(listening.of(VadEventKind::Flushed).size() == 1);
}

TEST_CASE("without the files health names the cure; a spoilt one is seen when it is opened") {
  Running vad("/nonexistent");
  CHECK(vad.kit.suitability("vad_silero") == 40);
  CHECK(vad.kit.health().at("vad_silero/model").cure == "run: gantry models fetch onnxruntime");
  if (!onnx::have_models(kFiles)) return;
  testkit::TempDir dir;
  std::filesystem::create_directories(dir.path() / "onnxruntime");
  std::filesystem::create_symlink(onnx::library_in(onnx::test_models_dir()),
                                  onnx::library_in(dir.path()));
  (void)dir.write("silero/vad.onnx", "no model");
  Running spoilt(dir.path());
  CHECK(spoilt.kit.suitability("vad_silero") == 80);
  Listening listening(spoilt);
  CHECK(listening.of(VadEventKind::Ready).at(0).route == "loudness and pitch");
  CHECK(spoilt.kit.health().at("vad_silero/model").cure == "run: gantry models fetch silero");
}

TEST_CASE("more sessions than there is room for are refused until one ends") {
  Running vad("/nonexistent", R"(,"sessions":1)");
  auto first = std::make_unique<Listening>(vad);
  Listening second(vad);
  REQUIRE(second.probe().ends().size() == 1);
  CHECK(second.probe().ends()[0].code == Code::ResourceExhausted);
  first->probe().stream().close();
  vad.kit.pump();
  Listening third(vad);
  CHECK(third.of(VadEventKind::Ready).size() == 1);
}

}  // namespace
}  // namespace gantry::vad_silero::test
