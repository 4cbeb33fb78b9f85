// SPDX-License-Identifier: Apache-2.0
// Every provider's plugin against its double: the same scenes must come out the same.
#include <catch2/catch.hpp>
#include <gantry/llm/json.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include "anthropic_plugin.hpp"
#include "gemini_plugin.hpp"
#include "openai_plugin.hpp"
#include "support.hpp"

using namespace gantry;
using namespace gantry::llm_tests;
using Probe = testkit::StreamProbe<LlmChat>;

namespace {

/// A plugin on a fake host, and its double.
struct Stage {
  testkit::ModelServer& server = fresh_server();
  testkit::FakeHost kit;

  explicit Stage(const Form& form, const std::string& more = {}) {
    load(form, config_of(form, server, more));
  }
  void load(const Form& form, const std::string& config) {
    if (form.plugin == "llm_openai") {
      REQUIRE(kit.load<openai::OpenAiPlugin>(form.plugin, config).ok());
    } else if (form.plugin == "llm_anthropic") {
      REQUIRE(kit.load<anthropic::AnthropicPlugin>(form.plugin, config).ok());
    } else {
      REQUIRE(kit.load<gemini::GeminiPlugin>(form.plugin, config).ok());
    }
  }
  /// The same server at another path.
  void move(const Form& form, const std::string& path, const std::string& more = {}) {
    kit.unload(form.plugin);
    Form there = form;
    there.path = path;
    load(form, config_of(there, server, more));
  }
  /// The whole answer; waiting between two requests passes on the host's clock.
  Heard ask(LlmChatRequest request, Error* end = nullptr) {
    Probe probe(kit.host(), std::move(request));
    for (int i = 0; i < 100 && probe.ends().empty(); ++i) {
      kit.pump();
      if (probe.ends().empty()) kit.advance(std::chrono::milliseconds(100));
    }
    REQUIRE(probe.ends().size() == 1);
    INFO(probe.ends()[0].message << probe.ends()[0].detail);
    if (end == nullptr) {
      REQUIRE(probe.ends()[0].code == Code::Ok);
    } else {
      *end = probe.ends()[0];
    }
    return hear(probe.all());
  }
  LlmErrorDetail refusal(const std::string& model, Error& end) {
    (void)ask(question(model), &end);
    const auto detail = from_json<LlmErrorDetail>(end.detail);
    REQUIRE(detail.ok());
    return *detail;
  }
  boost::json::value requests() const { return llm::parse_or_null(server.log()); }
  /// The body of the last request.
  boost::json::value sent() const {
    const auto all = requests().as_array();
    REQUIRE_FALSE(all.empty());
    return all.back().at("body");
  }
};

const std::string kSaid = "Hello, wörld! \U0001F44B";

Form any_form() { return GENERATE(from_range(forms())); }

}  // namespace

TEST_CASE("an answer arrives whole, however its stream is cut and kept alive") {
  const Form form = any_form();
  Stage stage(form);
  for (const std::string bend : {"", "-bytes", "-cr", "-alive"}) {
    INFO(form.name << bend);
    const Heard heard = stage.ask(question("say" + bend));
    CHECK(heard.text == kSaid);
    CHECK(heard.started == 1);
    REQUIRE(heard.finish);
    CHECK(heard.finish->reason == LlmFinishReason::Stop);
    REQUIRE(heard.finish->blocks.size() == 1);
    CHECK(heard.finish->blocks[0].text == kSaid);
    CHECK(heard.finish->usage.prompt_tokens == 11);
    CHECK(heard.finish->usage.output_tokens == 7);
    CHECK(heard.finish->usage.cached_tokens == 3);
    CHECK_FALSE(heard.finish->usage.estimated);
    CHECK_FALSE(heard.finish->response_id.empty());
  }
}

TEST_CASE("parallel calls arrive complete, with ids of their own") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form);
  const Heard heard = stage.ask(question("tools"));
  CHECK(heard.text == "Looking.");
  REQUIRE(heard.calls.size() == 2);
  CHECK(heard.begun == 2);
  CHECK(heard.calls[0].name == "look");
  CHECK(llm::parse_or_null(heard.calls[0].arguments.text) ==
        llm::parse_or_null(R"({"place":"Köln","deep":{"a":[1,2]}})"));
  CHECK(heard.calls[1].name == "wait");
  CHECK(heard.calls[1].arguments.text == "{}");
  CHECK(heard.calls[0].id != heard.calls[1].id);
  CHECK(heard.calls[0].problem.empty());
  CHECK(heard.finish->reason == LlmFinishReason::ToolCalls);
  CHECK(heard.finish->blocks.size() == 3);
}

TEST_CASE("thoughts are shown, and what is sealed goes back with the history") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form,
              R"(,"models":[{"id":"think","thinking":true},{"id":"thinktools","thinking":true}])");
  CHECK(stage.ask(question("think")).thoughts == "I wonder.");

  LlmChatRequest request = question("thinktools");
  request.effort = LlmEffort::High;
  const Heard heard = stage.ask(request);
  LlmMessage said;
  said.role = LlmRole::Assistant;
  said.blocks = heard.finish->blocks;
  request.messages.push_back(said);
  LlmMessage results;
  results.role = LlmRole::Tool;
  for (const LlmToolCall& call : heard.calls) {
    LlmBlock& block = results.blocks.emplace_back();
    block.kind = LlmBlockKind::ToolResult;
    block.tool_result = LlmToolResult{call.id, call.name, "seen", {}, false};
  }
  results.blocks[0].tool_result->images.push_back({Buffer::copy("\x89PNG0"), "image/png", {}, {}});
  request.messages.push_back(results);
  request.model = "thinktools";
  (void)stage.ask(request);
  const std::string body = codec::serialize(stage.sent());
  CHECK_THAT(body, Catch::Contains("seen"));
  CHECK_THAT(body, Catch::Contains(llm::base64("\x89PNG0")));
  if (form.name == "responses" || form.name == "anthropic") {
    CHECK_THAT(body, Catch::Contains("sealed-thought"));
  }
  if (form.name == "gemini") CHECK_THAT(body, Catch::Contains("c2VhbGVk"));
}

TEST_CASE("arguments that are no JSON are repaired, or make a call that nobody may run") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form);
  if (form.name == "gemini") {  // it says so itself, and is asked once more
    Error end;
    const LlmErrorDetail detail = stage.refusal("badjson", end);
    CHECK(detail.kind == "broken_stream");
    CHECK(detail.attempts == 2);
    return;
  }
  const Heard heard = stage.ask(question("badjson"));
  REQUIRE(heard.calls.size() == 2);
  CHECK(heard.calls[0].arguments.text == "{}");
  CHECK_THAT(heard.calls[0].problem, Catch::Contains("not a JSON object"));
  CHECK(heard.calls[1].arguments.text == R"({"place": "x"})");
  CHECK(heard.calls[1].problem.empty());
}

TEST_CASE("an answer that was cut off or filtered says so") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form);
  CHECK(stage.ask(question("long")).finish->reason == LlmFinishReason::Length);
  const auto filtered = stage.ask(question("filtered")).finish->reason;
  CHECK(filtered ==
        (form.name == "anthropic" ? LlmFinishReason::Refusal : LlmFinishReason::ContentFilter));
  if (form.name == "gemini") return;  // its calls come whole or not at all
  const Heard cut = stage.ask(question("longcall"));
  CHECK(cut.finish->reason == LlmFinishReason::Length);
  REQUIRE(cut.calls.size() == 1);
  CHECK_THAT(cut.calls[0].problem, Catch::Contains("cut off"));
}

TEST_CASE("images and searches of the provider come as chunks") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form);
  if (form.name == "responses" || form.name == "gemini") {
    const Heard heard = stage.ask(question("draw"));
    REQUIRE(heard.images.size() == 1);
    CHECK(heard.images[0].media_type == "image/png");
    CHECK(heard.images[0].data.text().substr(1, 3) == "PNG");
  }
  if (form.name != "chat") {
    const Heard heard = stage.ask(question("search"));
    REQUIRE_FALSE(heard.searches.empty());
    CHECK(heard.searches.back().query == "gantry");
    CHECK(heard.searches.back().status == "completed");
    REQUIRE(heard.searches.back().hits.size() == 1);
    CHECK(heard.searches.back().hits[0].url == "https://example.org/");
    CHECK(heard.text == "Found.");
  }
}

TEST_CASE("refusals of the provider become typed errors without the key") {
  const Form form = any_form();
  Stage stage(form);
  const auto [status, kind, code, attempts] = GENERATE(table<int, const char*, Code, int>({
      {400, "bad_request", Code::InvalidArgument, 1},
      {401, "bad_key", Code::Unauthenticated, 1},
      {403, "bad_key", Code::Unauthenticated, 1},
      {404, "unknown_model", Code::NotFound, 1},
      {402, "quota", Code::ResourceExhausted, 1},
      {413, "context_overflow", Code::OutOfRange, 1},
      {429, "rate_limit", Code::ResourceExhausted, 2},
      {500, "overloaded", Code::Unavailable, 2},
      {503, "overloaded", Code::Unavailable, 2},
      {529, "overloaded", Code::Unavailable, 2},
  }));
  INFO(form.name << ' ' << status);
  Error end;
  const LlmErrorDetail detail = stage.refusal("say-status" + std::to_string(status), end);
  CHECK(end.code == code);
  CHECK(detail.kind == kind);
  CHECK(detail.http_status == status);
  CHECK(detail.attempts == attempts);
  CHECK(detail.provider == form.provider);
  CHECK_FALSE(detail.visible);
  CHECK_THAT(end.message, Catch::Contains("refused as the test wants it"));
  CHECK_THAT(end.message, !Catch::Contains(std::string(kKey)));
}

TEST_CASE("a failure that passes is tried once more before anything was seen") {
  const Form form = any_form();
  Stage stage(form);
  const std::string bend = GENERATE("once503", "once429", "wait429", "empty1");
  INFO(form.name << ' ' << bend);
  const std::int64_t before = stage.kit.now_ns();
  const Heard heard = stage.ask(question("say-" + bend));
  CHECK(heard.text == kSaid);
  CHECK(heard.started == 1);
  CHECK(stage.requests().as_array().size() == 2);
  if (bend == "wait429") CHECK(stage.kit.now_ns() - before >= 1'000'000'000);
}

TEST_CASE("a wait that is too long is left to whoever asked") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form, R"(,"max_retry_wait":500)");
  Error end;
  const LlmErrorDetail detail = stage.refusal("say-wait429", end);
  CHECK(detail.kind == "rate_limit");
  CHECK(detail.retry_after_ms == 1000);
  CHECK(detail.attempts == 1);
}

TEST_CASE("an answer that breaks after its first words is not asked for again") {
  const Form form = any_form();
  Stage stage(form);
  const auto [bend, kind] = GENERATE(table<const char*, const char*>({
      {"cut", "broken_stream"},
      {"fail", "overloaded"},
  }));
  INFO(form.name << ' ' << bend);
  Error end;
  const Heard heard = stage.ask(question(std::string("say-") + bend), &end);
  const auto detail = from_json<LlmErrorDetail>(end.detail);
  REQUIRE(detail.ok());
  CHECK_FALSE(heard.text.empty());
  CHECK(kSaid.starts_with(heard.text));
  CHECK_FALSE(heard.finish);
  CHECK(detail->kind == kind);
  CHECK(detail->attempts == 1);
  CHECK(detail->visible);
}

TEST_CASE("what is told of a failure names the provider") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form);
  Error end;
  (void)stage.ask(question("say-cut"), &end);
  CHECK_THAT(end.message, Catch::StartsWith(form.provider + ": "));
}

TEST_CASE("a web page in a model server's place is told as one, to whoever asks and in the list") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form);
  stage.move(form, "/page", R"(,"models":[{"id":"mine"}])");
  Error end;
  const LlmErrorDetail detail = stage.refusal("say", end);
  CHECK(detail.kind == "unknown_model");
  CHECK(detail.attempts == 1);
  const std::string said = form.provider + " answered 200 with a web page";
  CHECK_THAT(end.message, Catch::StartsWith(said));
  const auto list = stage.kit.host().bus().call_wait<LlmModels>({});
  REQUIRE(list.ok());
  REQUIRE((*list)->problems.size() >= 1);
  CHECK_THAT((*list)->problems[0], Catch::StartsWith(said));
  const LlmModel& mine = (*list)->models[0];
  CHECK(mine.id == "mine");
  CHECK_FALSE(mine.available);
  CHECK_THAT(mine.reason, !Catch::Contains("(cure: "));
  CHECK(mine.cure == "check its base_url");
}

TEST_CASE(
    "a provider that could not be asked for its models is asked again before its list is old") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form);
  stage.move(form, "/late");
  const auto problems = [&stage] {
    const auto list = stage.kit.host().bus().call_wait<LlmModels>({});
    REQUIRE(list.ok());
    return (*list)->problems.size();
  };
  CHECK(problems() == 1);
  stage.kit.advance(std::chrono::seconds(5));
  CHECK(problems() == 1);  // it is not asked for ever
  stage.kit.advance(std::chrono::seconds(10));
  CHECK(problems() == 0);
}

TEST_CASE("two empty answers are an empty answer") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form);
  const Heard heard = stage.ask(question("nothing"));
  CHECK(heard.text.empty());
  REQUIRE(heard.finish);
  CHECK(heard.finish->blocks.empty());
  CHECK(stage.requests().as_array().size() == 2);
}

TEST_CASE("without a key nothing is sent; a session's own key goes before the configured one") {
  const Form form = any_form();
  INFO(form.name);
  for (const char* name :
       {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"}) {
    ::unsetenv(name);
  }
  Stage stage(form);
  stage.kit.unload(form.plugin);
  std::string config = config_of(form, stage.server);
  const std::size_t at = config.find(kKey);
  stage.load(form, config.erase(at, kKey.size()));
  Error end;
  const LlmErrorDetail detail = stage.refusal("say", end);
  CHECK(end.code == Code::Unauthenticated);
  CHECK(detail.kind == "no_key");
  CHECK_THAT(end.message, Catch::Contains("_API_KEY"));
  CHECK(stage.requests().as_array().empty());

  LlmChatRequest request = question("say");
  request.credentials.push_back({form.provider, {std::string(kKey)}});
  CHECK(stage.ask(request).text == kSaid);
  for (const testkit::LogLine& line : stage.kit.logs()) {
    for (const auto& [name, value] : line.fields)
      CHECK_THAT(value, !Catch::Contains(std::string(kKey)));
  }
}

TEST_CASE("a provider that is configured and has no key is told as a problem, one in passing not") {
  const Form form = any_form();
  INFO(form.name);
  for (const char* name :
       {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"}) {
    ::unsetenv(name);
  }
  const auto [config, told] = GENERATE(table<const char*, bool>({
      {"{}", false},
      {R"({"discover":false})", false},
      {R"({"default_model":"mine"})", true},
      {R"({"models":[{"id":"mine"}]})", true},
      {R"({"base_url":"http://127.0.0.1:1/v1"})", true},
  }));
  INFO(config);
  Stage stage(form);
  stage.kit.unload(form.plugin);
  const std::size_t before = stage.kit.logs().size();
  stage.load(form, config);
  const auto list = stage.kit.host().bus().call_wait<LlmModels>({});
  REQUIRE(list.ok());
  CHECK((*list)->problems.size() == (told ? 1 : 0));
  CHECK(stage.kit.logs().size() - before == (told ? 1 : 0));
  if (!told) return;
  CHECK_THAT((*list)->problems[0], Catch::StartsWith(form.provider + ": no API key is known") &&
                                       Catch::Contains("_API_KEY"));
  CHECK(stage.kit.logs().back().message == "a provider that is configured has no API key");
  const auto mine = stage.kit.host().bus().call_wait<LlmModels>(
      {{{form.provider, {std::string(kKey)}}}, false});  // a session that brings its own
  REQUIRE(mine.ok());
  CHECK((*mine)->problems.empty());
}

TEST_CASE("of OpenAI's kind those are meant that the configuration names") {
  for (const char* name : {"OPENAI_API_KEY", "OWUI_API_KEY", "OPENROUTER_API_KEY"})
    ::unsetenv(name);
  const auto [config, provider] = GENERATE(table<const char*, const char*>({
      {R"({"endpoints":[{"name":"openwebui","discover":false}]})", "openwebui"},
      {R"({"default_model":"x","endpoints":[{"name":"openrouter"}]})", "openrouter"},
      {R"({"default_model":"x","endpoints":[{"name":"lab","discover":false,
          "base_url":"http://127.0.0.1:1/v1"}]})",
       ""},
  }));
  testkit::FakeHost kit;
  REQUIRE(kit.load<openai::OpenAiPlugin>("llm_openai", config).ok());
  const auto list = kit.host().bus().call_wait<LlmModels>({});
  REQUIRE(list.ok());
  const std::string wanted = provider;
  REQUIRE((*list)->problems.size() == (wanted.empty() ? 0 : 1));
  if (!wanted.empty()) CHECK_THAT((*list)->problems[0], Catch::StartsWith(wanted + ": no API key"));
}

TEST_CASE("models are discovered, described and judged") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form, R"(,"default_model":"mine","models":[{"id":"mine","display_name":"Mine",
    "context_window":5000,"input_price":1.5,"output_price":2.5,"images_in":true}])");
  CHECK(stage.ask(question("say")).text == kSaid);  // what is known before counts no more after
  const auto list = stage.kit.host().bus().call_wait<LlmModels>({});
  REQUIRE(list.ok());
  const auto& models = (*list)->models;
  REQUIRE_FALSE(models.empty());
  CHECK(models[0].id == "mine");
  CHECK(models[0].is_default);
  CHECK(models[0].display_name == "Mine");
  CHECK(models[0].context_window == 5000);
  CHECK(models[0].prices->output == 2.5);
  CHECK(models[0].available);
  const auto say = std::find_if(models.begin(), models.end(), [&](const LlmModel& m) {
    return m.id == "say" && m.provider == form.provider;
  });
  REQUIRE(say != models.end());
  CHECK(say->discovered);
  CHECK(say->available);
  CHECK(std::none_of(models.begin(), models.end(),
                     [](const LlmModel& m) { return m.id == "embed"; }));
}

namespace {

/// What llm_openai lists whose server is `settings`; nobody answers at its address.
Ref<LlmModelList> listed(testkit::FakeHost& kit, const std::string& settings,
                         std::vector<LlmCredential> keys = {}) {
  REQUIRE(kit.load<openai::OpenAiPlugin>(
                 "llm_openai",
                 R"({"base_url":"http://127.0.0.1:1/v1","api_key":"daemons",)" + settings + "}")
              .ok());
  const auto list = kit.host().bus().call_wait<LlmModels>({std::move(keys), false});
  REQUIRE(list.ok());
  return *list;
}

}  // namespace

TEST_CASE("a server that lists nothing has the model that was named for it, or says so") {
  testkit::FakeHost named, nameless;
  const auto with_name = listed(named, R"("discover":false,"default_model":"gpt-5")");
  REQUIRE(with_name->models.size() == 1);
  CHECK(with_name->models[0].id == "gpt-5");
  CHECK(with_name->models[0].available);
  CHECK(with_name->problems.empty());
  const auto without = listed(nameless, R"("discover":false)");
  CHECK(without->models.empty());
  CHECK(without->problems ==
        std::vector<std::string>{"openai: it lists no model (cure: name one in its `models`)"});
}

TEST_CASE("what a server said to the daemon's key does not count for a session's own") {
  LlmCredential own;
  own.provider = "openai";
  own.api_key = LlmSecret{"sessions"};
  testkit::FakeHost daemons, sessions;
  const std::string settings = R"("models":[{"id":"m"}])";
  CHECK_FALSE(listed(daemons, settings)->models.at(0).available);
  CHECK(listed(sessions, settings, {own})->models.at(0).available);
}

TEST_CASE("tokens are counted by the provider where it can, else estimated") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form);
  LlmCountRequest request;
  request.model = "say";
  request.messages = {message(LlmRole::User, "hi")};
  request.exact = true;
  const auto count = stage.kit.host().bus().call_wait<LlmCountTokens>(request);
  REQUIRE(count.ok());
  const bool counts = form.plugin != "llm_openai";
  CHECK((*count)->exact == counts);
  if (counts) CHECK((*count)->tokens == 42);
}

TEST_CASE("requests that no provider would understand are refused here") {
  const Form form = any_form();
  INFO(form.name);
  Stage stage(form);
  LlmChatRequest request = question("say");
  const int wrong = GENERATE(0, 1, 2, 3);
  if (wrong == 0) request.messages.push_back(message(LlmRole::System, "late"));
  if (wrong == 1) request.messages.clear();
  if (wrong == 2) request.tool_choice = LlmToolChoice::Named;
  if (wrong == 3) {
    request.messages[1].blocks.emplace_back().kind = LlmBlockKind::Image;
    request.messages[1].blocks[1].image = LlmImage{{}, "image/png", "a1.png", {}};
  }
  Error end;
  (void)stage.ask(request, &end);
  CHECK(end.code == Code::InvalidArgument);
  CHECK(stage.requests().as_array().empty());
}

TEST_CASE("TLS works with certificates that are trusted, and not without") {
  const Form form = any_form();
  INFO(form.name);
  const testkit::TempDir folder;
  testkit::ModelServer server(server_script(), folder.path().string());
  const std::string trusted = R"(,"ca_file":")" + (folder.path() / "cert.pem").string() + '"';
  Stage stage(form);
  stage.kit.unload(form.plugin);
  stage.load(form, config_of(form, server, trusted));
  CHECK(stage.ask(question("say-bytes")).text == kSaid);

  stage.kit.unload(form.plugin);
  stage.load(form, config_of(form, server));
  Error end;
  const LlmErrorDetail detail = stage.refusal("say", end);
  CHECK(detail.kind == "unreachable");
  CHECK_THAT(end.message, Catch::Contains("ertificate"));
}
