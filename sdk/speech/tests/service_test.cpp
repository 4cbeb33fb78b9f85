// SPDX-License-Identifier: Apache-2.0
// The service around an engine that does not do what it should.
#include <catch2/catch.hpp>

#include <gantry/plugin.hpp>
#include <gantry/speech/service.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <memory>
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

}  // namespace
}  // namespace gantry::speech
