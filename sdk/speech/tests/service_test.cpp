// SPDX-License-Identifier: Apache-2.0
// The service around an engine that does not do what it should.
#include <catch2/catch.hpp>

#include <gantry/plugin.hpp>
#include <gantry/speech/service.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace gantry::speech {
namespace {

class ThrowingEngine final : public Recogniser {
 public:
  [[nodiscard]] std::int32_t rate() const override { return 16'000; }
  [[nodiscard]] std::string route() const override { return "throws"; }
  [[nodiscard]] Result<void> prepare(const SpeechHints&) override {
    throw std::runtime_error("the model is broken");
  }
  [[nodiscard]] Result<void> begin() override { return {}; }
  [[nodiscard]] Result<void> sound(std::span<const std::int16_t>) override { return {}; }
  [[nodiscard]] std::string text() override { return {}; }
  [[nodiscard]] Result<Hypothesis> end() override { return Hypothesis{}; }
  void drop() override {}
};

/// Has room for one session or clip.
class ThrowingPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override {
    ServiceSettings settings;
    settings.sessions = 1;
    service_.configure(settings, []() -> Result<std::unique_ptr<Recogniser>> {
      return std::unique_ptr<Recogniser>(std::make_unique<ThrowingEngine>());
    });
    return service_.serve();
  }
  void stop(Deadline deadline) override { service_.stop(deadline); }

 private:
  Service service_{host()};
};

TEST_CASE("an engine that throws ends its session or clip, and takes no place with it") {
  testkit::FakeHost kit;
  REQUIRE(kit.load<ThrowingPlugin>("throwing").ok());
  for (int i = 0; i < 2; ++i) {
    CAPTURE(i);
    TranscribeRequest request;
    request.audio.samples = Buffer::of(std::string(32'000, '\0'));
    const auto heard = kit.host().bus().call_wait<SpeechTranscribe>(std::move(request));
    REQUIRE_FALSE(heard.ok());
    CHECK(heard.error().code == Code::Internal);
    CHECK(heard.error().message.find("the model is broken") != std::string::npos);
    testkit::StreamProbe<SpeechRecognise> session(kit.host(), SpeechOpening{});
    kit.pump();
    REQUIRE(session.ends().size() == 1);
    CHECK(session.ends()[0].code == Code::Internal);
  }
}

/// Hears, and has the test do something meanwhile.
class CountingEngine final : public Recogniser {
 public:
  CountingEngine(const std::function<void(std::size_t)>& hear, std::shared_ptr<int> alive)
      : hear_(hear), alive_(std::move(alive)) {}
  [[nodiscard]] std::int32_t rate() const override { return 16'000; }
  [[nodiscard]] std::string route() const override { return "counts"; }
  [[nodiscard]] Result<void> prepare(const SpeechHints&) override { return {}; }
  [[nodiscard]] Result<void> begin() override { return {}; }
  [[nodiscard]] Result<void> sound(std::span<const std::int16_t> samples) override {
    hear_(samples.size());
    return {};
  }
  [[nodiscard]] std::string text() override { return {}; }
  [[nodiscard]] Result<Hypothesis> end() override { return Hypothesis{}; }
  void drop() override {}

 private:
  const std::function<void(std::size_t)>& hear_;
  std::shared_ptr<int> alive_;
};

/// Takes everything for a voice.
class Chatter final : public VoiceDetector {
 public:
  [[nodiscard]] std::size_t frame() const override { return 160; }
  [[nodiscard]] Voiced look(std::span<const std::int16_t>) override { return Voiced::Yes; }
  void reset() override {}
};

class CountingPlugin final : public Plugin {
 public:
  using Plugin::Plugin;
  Result<void> init() override {
    service_.set_detector([] { return std::make_unique<Chatter>(); });
    service_.configure(ServiceSettings{}, [this]() -> Result<std::unique_ptr<Recogniser>> {
      return std::unique_ptr<Recogniser>(std::make_unique<CountingEngine>(hear, alive_));
    });
    return service_.serve();
  }
  void stop(Deadline deadline) override { service_.stop(deadline); }

  [[nodiscard]] long engines() const { return alive_.use_count() - 1; }

  std::function<void(std::size_t)> hear = [](std::size_t) {};

 private:
  std::shared_ptr<int> alive_ = std::make_shared<int>();
  Service service_{host()};
};

TEST_CASE("tags of a language are told apart by their first part, in any case") {
  CHECK(same_language("en", "EN"));
  CHECK(same_language("en-US", "en"));
  CHECK(same_language("En_gb", "en-AU"));
  CHECK_FALSE(same_language("de", "en"));
  CHECK_FALSE(same_language("eng", "en"));
  CHECK_FALSE(same_language("e", "en"));
}

TEST_CASE("a client that goes in the middle of a long piece of sound ends the work on it") {
  testkit::FakeHost kit;
  const auto plugin = kit.load<CountingPlugin>("counting");
  REQUIRE(plugin.ok());
  auto session =
      std::make_unique<testkit::StreamProbe<SpeechRecognise>>(kit.host(), SpeechOpening{});
  kit.pump();
  std::size_t heard = 0;
  (*plugin)->hear = [&](std::size_t samples) {
    heard += samples;
    if (!session) return;
    session->stream().close();
    session.reset();
    kit.pump();
  };
  SpeechInput minutes;
  minutes.audio.samples = Buffer::of(std::string(std::size_t{2} * 16'000 * 120, '\1'));
  REQUIRE(session->stream().send(std::move(minutes)).ok());
  kit.pump();
  CHECK(heard > 0);
  CHECK(heard <= 16'000);
}

TEST_CASE("an engine is kept for the next clip, and given up when none comes for a while") {
  using std::chrono_literals::operator""s;
  testkit::FakeHost kit;
  const auto plugin = kit.load<CountingPlugin>("counting");
  REQUIRE(plugin.ok());
  for (const auto wait : {44s, 46s}) {
    TranscribeRequest request;
    request.audio.samples = Buffer::of(std::string(32'000, '\1'));
    REQUIRE(kit.host().bus().call_wait<SpeechTranscribe>(std::move(request)).ok());
    kit.pump();
    CHECK((*plugin)->engines() == 1);
    kit.advance(wait);
    kit.pump();
    CHECK((*plugin)->engines() == (wait == 44s ? 1 : 0));
  }
}

}  // namespace
}  // namespace gantry::speech
