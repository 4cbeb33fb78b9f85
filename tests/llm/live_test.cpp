// SPDX-License-Identifier: Apache-2.0
// The plugins in the real kernel: what needs threads and real sockets.
#include <catch2/catch.hpp>
#include <gantry/testkit/eventually.hpp>
#include <gantry/testkit/kernel.hpp>
#include <gantry/testkit/probe.hpp>

#include <chrono>

#include "support.hpp"

using namespace gantry;
using namespace gantry::llm_tests;
using namespace std::chrono_literals;
using Probe = testkit::StreamProbe<LlmChat>;

namespace {

/// The kernel with one provider's plugin, and its double.
struct Live {
  testkit::ModelServer& server = fresh_server();
  testkit::InProcessKernel kernel;
  StreamOptions options;

  explicit Live(const Form& form, const std::string& more = {})
      : kernel({.config = "plugins: {" + form.plugin +
                          ": {config: " + config_of(form, server, more) + "}}"}) {
    options.target = form.plugin;
    REQUIRE(kernel.start().ok());
    REQUIRE(kernel.plugin_state(form.plugin) == "running");
  }
  /// Until as many clients have left the double early.
  bool left(int count) const {
    return testkit::eventually([&] { return server.gone() >= count; });
  }
  /// Until a question has reached the double.
  bool asked() const {
    return testkit::eventually([&] { return server.log() != "[]"; });
  }
};

Form any_form() { return GENERATE(from_range(forms())); }

}  // namespace

TEST_CASE("cancelling ends the connection, whatever the provider is doing") {
  const Form form = any_form();
  Live live(form);
  const std::string bend = GENERATE("hang", "late");
  INFO(form.name << ' ' << bend);
  Probe probe(live.kernel.host(), question("say-" + bend), live.options);
  if (bend == "hang") {
    REQUIRE(probe.wait(2));  // started, and the first words
  } else {
    REQUIRE(live.asked());
  }
  probe.stream().close();
  CHECK(live.left(1));
  CHECK_FALSE(hear(probe.all()).finish);
}

TEST_CASE("a provider that falls silent is given up, and its phase is named") {
  const Form form = any_form();
  const auto [bend, phase] =
      GENERATE(table<const char*, const char*>({{"hang", "idle"}, {"late", "first_byte"}}));
  INFO(form.name << ' ' << bend);
  Live live(form, R"(, "idle_timeout": 100, "first_byte_timeout": 100)");
  Probe probe(live.kernel.host(), question(std::string("say-") + bend), live.options);
  REQUIRE(probe.wait_for_end(20s));
  CHECK(probe.ends()[0].code == Code::DeadlineExceeded);
  const auto detail = from_json<LlmErrorDetail>(probe.ends()[0].detail);
  REQUIRE(detail.ok());
  CHECK(detail->kind == "timeout");
  CHECK(detail->phase == phase);
  CHECK(detail->visible == (std::string_view(bend) == "hang"));
}

TEST_CASE("a server that is not there is unreachable, and its models are not available") {
  const Form form = any_form();
  INFO(form.name);
  testkit::InProcessKernel kernel(
      {.config = "plugins: {" + form.plugin + ": {config: {api_key: " + std::string(kKey) +
                 ", base_url: 'http://127.0.0.1:1', max_retry_wait: 1s, models: [{id: say}]}}}"});
  REQUIRE(kernel.start().ok());
  StreamOptions options;
  options.target = form.plugin;
  Probe probe(kernel.host(), question("say"), options);
  REQUIRE(probe.wait_for_end(20s));
  CHECK(probe.ends()[0].code == Code::Unavailable);
  CHECK_THAT(probe.ends()[0].detail, Catch::Contains("\"unreachable\""));
  const auto list = kernel.host().bus().call_wait<LlmModels>({});
  REQUIRE(list.ok());
  REQUIRE_FALSE((*list)->models.empty());
  CHECK_FALSE((*list)->models[0].available);
  CHECK_FALSE((*list)->models[0].reason.empty());
}

TEST_CASE("many answers run side by side") {
  const Form form = any_form();
  INFO(form.name);
  Live live(form);
  std::vector<std::unique_ptr<Probe>> probes;
  for (int i = 0; i < 8; ++i) {
    probes.push_back(
        std::make_unique<Probe>(live.kernel.host(), question("say-alive"), live.options));
  }
  for (const auto& probe : probes) {
    REQUIRE(probe->wait_for_end(20s));
    CHECK(hear(probe->all()).text == "Hello, wörld! \U0001F44B");
  }
}

TEST_CASE("stopping the daemon ends what runs") {
  const Form form = any_form();
  INFO(form.name);
  Live live(form);
  Probe probe(live.kernel.host(), question("say-hang"), live.options);
  REQUIRE(probe.wait(2));
  CHECK(live.kernel.stop());
  CHECK(live.left(1));
}

TEST_CASE("no key is ever logged") {
  const Form form = any_form();
  INFO(form.name);
  Live live(form);
  Probe good(live.kernel.host(), question("say-once503"), live.options);
  Probe bad(live.kernel.host(), question("say-status401"), live.options);
  REQUIRE(good.wait_for_end(20s));
  REQUIRE(bad.wait_for_end(20s));
  const auto lines = live.kernel.log_lines();
  CHECK_FALSE(lines.empty());
  for (const std::string& line : lines) CHECK_THAT(line, !Catch::Contains(std::string(kKey)));
}

TEST_CASE("a key comes from the environment where none is configured") {
  const Form form = any_form();
  INFO(form.name);
  const char* name = form.provider == "openai"      ? "OPENAI_API_KEY"
                     : form.provider == "anthropic" ? "ANTHROPIC_API_KEY"
                                                    : "GEMINI_API_KEY";
  std::string config = config_of(form, fresh_server());
  config.erase(config.find(kKey), kKey.size());
  ::setenv(name, std::string(kKey).c_str(), 1);
  {
    testkit::InProcessKernel kernel(
        {.config = "plugins: {" + form.plugin + ": {config: " + config + "}}"});
    REQUIRE(kernel.start().ok());
    StreamOptions options;
    options.target = form.plugin;
    Probe probe(kernel.host(), question("say"), options);
    REQUIRE(probe.wait_for_end(20s));
    CHECK(hear(probe.all()).text == "Hello, wörld! \U0001F44B");
    for (const std::string& line : kernel.log_lines()) {
      CHECK_THAT(line, !Catch::Contains(std::string(kKey)));
    }
  }
  ::unsetenv(name);
}
