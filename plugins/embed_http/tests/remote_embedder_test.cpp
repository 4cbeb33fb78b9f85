// SPDX-License-Identifier: Apache-2.0
// The embedder with a server that the test plays: what is sent, what is read, the line, the parts
// of large requests, time limits and the circuit, all on a clock of the test.
#include "remote_embedder.hpp"

#include <gantry/embedding/failure.hpp>
#include <gantry/testkit/fake_host.hpp>

#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wire.hpp"

namespace gantry::embed_http {
namespace {

using namespace std::chrono_literals;

struct Asked {
  http::HttpRequest request;
  RemoteEmbedder::Done done;
  bool cancelled = false;
};

class Cancelling final : public http::Fetching {
 public:
  explicit Cancelling(std::shared_ptr<Asked> asked) : asked_(std::move(asked)) {}
  void cancel() override { asked_->cancelled = true; }

 private:
  std::shared_ptr<Asked> asked_;
};

Settings remote() {
  Settings settings;
  settings.protocol = "remote-http";
  settings.base_url = "http://peer";
  settings.api_key = "sesame";
  return settings;
}

Settings openai() {
  Settings settings = remote();
  settings.protocol = "openai";
  settings.base_url = "http://peer/v1";
  settings.model = "m";
  return settings;
}

struct World {
  // First, because what is still asked is answered when the host goes.
  std::map<std::string, std::optional<Result<Ref<EmbedResult>>>> results;
  std::optional<Result<Ref<EmbeddingSpace>>> space;
  testkit::FakeHost kit;
  std::vector<std::shared_ptr<Asked>> asked;
  RemoteEmbedder embedder{
      kit.host("embed_http"), [this](http::HttpRequest request, auto done) {
        asked.push_back(std::make_shared<Asked>(Asked{std::move(request), std::move(done)}));
        return std::make_shared<Cancelling>(asked.back());
      }};

  explicit World(const Settings& settings = remote()) {
    embedder.configure(settings);
    Bus& bus = kit.host("embed_http").bus();
    REQUIRE(
        bus.serve<Embed>([this](const Ref<EmbedRequest>& request, const CallInfo&,
                                Reply<Embed> reply) { embedder.embed(request, std::move(reply)); })
            .ok());
    REQUIRE(bus.serve<EmbeddingHealth>(
                   [this](const Ref<Nothing>&, const CallInfo&, Reply<EmbeddingHealth> reply) {
                     embedder.tell_health(std::move(reply));
                   })
                .ok());
  }
  ~World() {
    for (const auto& one : asked) one->done = nullptr;  // it holds the job that holds it
  }
  void embed(const std::string& name, std::vector<std::string> texts = {"a"}) {
    CallOptions options;
    options.timeout = 10min;  // longer than any limit of the embedder
    kit.host().bus().call<Embed>(
        {std::move(texts), ""},
        [this, name](const Result<Ref<EmbedResult>>& result) { results[name] = result; }, options);
    kit.pump();
  }
  void health() {
    kit.host().bus().call<EmbeddingHealth>(
        {}, [this](const Result<Ref<EmbeddingSpace>>& result) { space = result; });
    kit.pump();
  }
  void answer(std::size_t which, int status, std::string body) {
    http::HttpAnswer answer;
    answer.head.status = status;
    answer.body = std::move(body);
    asked.at(which)->done(std::move(answer));
    kit.pump();
  }
  void fail(std::size_t which, Code code = Code::Unavailable) {
    asked.at(which)->done(Error{code, "no connection", {}});
    kit.pump();
  }
  std::string code(const std::string& name) {
    if (!results[name]) return "none";
    if (results[name]->ok()) return "ok";
    const auto failure = embedding::failure_of(results[name]->error());
    return failure ? failure->code : std::string(code_name(results[name]->error().code));
  }
};

constexpr const char* kOne =
    R"({"embeddings":[[1,0]],"provider_id":"embedding-service","model_id":"m","model_name":"M","dimension":2})";

std::string header(const http::HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST_CASE("a service is asked in its words, and its space is kept") {
  World world;
  world.embed("a", {"x", "\"é\""});
  REQUIRE(world.asked.size() == 1);
  const http::HttpRequest& request = world.asked[0]->request;
  CHECK(request.method == "POST");
  CHECK(request.url == "http://peer/embed");
  CHECK(request.body == R"({"texts":["x","\"é\""]})");
  CHECK(header(request, "x-windie-embedding-key") == "sesame");
  world.answer(0, 200,
               R"({"embeddings":[[1,0],[0,1]],"provider_id":"s","model_id":"m","model_name":"M"})");
  REQUIRE(world.code("a") == "ok");
  const EmbedResult& result = ***world.results["a"];
  CHECK(result.embeddings[1].values == std::vector<float>{0, 1});
  CHECK(result.space.embedding_space_version == "s:m:2");
  CHECK(result.space.model_name == "M");
}

TEST_CASE("OpenAI's protocol: order by index, dimensions on demand") {
  Settings settings = openai();
  settings.dimensions = 2;
  World world(settings);
  world.embed("a", {"x", "y"});
  const http::HttpRequest& request = world.asked.at(0)->request;
  CHECK(request.url == "http://peer/v1/embeddings");
  CHECK(request.body ==
        R"({"model":"m","input":["x","y"],"encoding_format":"float","dimensions":2})");
  CHECK(header(request, "authorization") == "Bearer sesame");
  world.answer(
      0, 200,
      R"({"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}],"model":"m-2"})");
  REQUIRE(world.code("a") == "ok");
  CHECK((**world.results["a"])->embeddings[0].values == std::vector<float>{1, 0});
  CHECK((**world.results["a"])->space.embedding_space_version == "openai:m:2");
}

TEST_CASE("every answer is judged") {
  struct Row {
    const char* name;
    int status;
    const char* body;
    const char* code;
  };
  const Row rows[] = {
      {"good", 200, kOne, "ok"},
      {"without names", 200, R"({"embeddings":[[1]]})", "ok"},
      {"no JSON", 200, "<html>", "invalid_response"},
      {"nothing", 200, "", "invalid_response"},
      {"a list", 200, "[]", "invalid_response"},
      {"no vectors", 200, "{}", "invalid_response"},
      {"vectors that are no list", 200, R"({"embeddings":{}})", "invalid_response"},
      {"too few", 200, R"({"embeddings":[]})", "invalid_response"},
      {"too many", 200, R"({"embeddings":[[1],[1]]})", "invalid_response"},
      {"an empty vector", 200, R"({"embeddings":[[]]})", "invalid_response"},
      {"a vector of text", 200, R"({"embeddings":["abc"]})", "invalid_response"},
      {"numbers as text", 200, R"({"embeddings":[["1"]]})", "invalid_response"},
      {"null in a vector", 200, R"({"embeddings":[[1,null]]})", "invalid_response"},
      {"a number out of range", 200, R"({"embeddings":[[1e999]]})", "invalid_response"},
      {"201", 201, kOne, "provider_error"},
      {"204", 204, "", "provider_error"},
      {"301", 301, "", "provider_error"},
      {"400", 400, R"({"error":"sesame"})", "provider_error"},
      {"401", 401, "sesame", "provider_error"},
      {"403", 403, "sesame", "provider_error"},
      {"404", 404, "", "provider_error"},
      {"422", 422, "", "provider_error"},
      {"429", 429, "sesame", "rate_limited"},
      {"500", 500, "sesame", "provider_error"},
      {"502", 502, "", "provider_unavailable"},
      {"503", 503, "", "provider_unavailable"},
      {"504", 504, "", "provider_unavailable"},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    World world;
    world.embed("a");
    world.answer(0, row.status, row.body);
    CHECK(world.code("a") == row.code);
    if (world.code("a") == "ok") continue;
    CHECK(world.results["a"]->error().message.find("sesame") == std::string::npos);
  }
  for (const char* body :
       {R"({"data":[{"index":0}]})", R"({"data":[{"index":1,"embedding":[1]}]})",
        R"({"data":[{"index":-1,"embedding":[1]}]})", R"({"data":[[1]]})", R"({"data":[7]})"}) {
    INFO(body);
    World world(openai());
    world.embed("a");
    world.answer(0, 200, body);
    CHECK(world.code("a") == "invalid_response");
  }
  World twice(openai());
  twice.embed("a", {"x", "y"});
  twice.answer(0, 200, R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})");
  CHECK(twice.code("a") == "invalid_response");
}

TEST_CASE("what is not configured is said, with its cure") {
  const auto cure_of = [](Settings settings) {
    World world(settings);
    world.embed("a");
    CHECK(world.asked.empty());
    CHECK(world.code("a") == "provider_unavailable");
    return world.results["a"]->error().message;
  };
  CHECK(cure_of({}).find("embed_http.protocol") != std::string::npos);
  Settings settings = remote();
  settings.base_url = "peer";
  CHECK(cure_of(settings).find("embed_http.base_url") != std::string::npos);
  settings = remote();
  settings.api_key.clear();
  CHECK(cure_of(settings).find("WINDIE_EMBEDDING_SERVICE_API_KEY") != std::string::npos);
  settings = openai();
  settings.api_key.clear();
  CHECK(check(settings).ok());  // a server of one's own may want no key
  settings.base_url = "https://api.openai.com/v1";
  CHECK(cure_of(settings).find("OPENAI_API_KEY") != std::string::npos);
}

TEST_CASE("keys and addresses come from the environment when none is configured") {
  const auto variable = [](const char* name) { return std::optional<std::string>(name); };
  const auto openai_key = read_settings(R"({"protocol":"openai"})", variable);
  REQUIRE(openai_key.ok());
  CHECK(openai_key->api_key == "OPENAI_API_KEY");
  CHECK(openai_key->base_url == "https://api.openai.com/v1");
  const auto key = read_settings(R"({"protocol":"remote-http","base_url":"http://a//"})", variable);
  REQUIRE(key.ok());
  CHECK(key->api_key == "WINDIE_EMBEDDING_SERVICE_API_KEY");
  CHECK(key->base_url == "http://a");
  CHECK(read_settings(R"({"protocol":"openai","api_key":"k"})", variable)->api_key == "k");
}

TEST_CASE("a large request goes in parts, one after the other") {
  Settings settings = remote();
  settings.batch = 2;
  World world(settings);
  world.embed("a", {"1", "2", "3"});
  REQUIRE(world.asked.size() == 1);
  CHECK(world.asked[0]->request.body == R"({"texts":["1","2"]})");
  world.answer(0, 200, R"({"embeddings":[[1],[2]],"model_id":"m"})");
  REQUIRE(world.asked.size() == 2);
  CHECK(world.asked[1]->request.body == R"({"texts":["3"]})");
  SECTION("all is well") {
    world.answer(1, 200, R"({"embeddings":[[3]],"model_id":"m"})");
    REQUIRE(world.code("a") == "ok");
    CHECK((**world.results["a"])->embeddings[2].values == std::vector<float>{3});
  }
  SECTION("the model changes meanwhile") {
    world.answer(1, 200, R"({"embeddings":[[3]],"model_id":"n"})");
    CHECK(world.code("a") == "invalid_response");
  }
  SECTION("a later part fails") {
    world.answer(1, 503, "");
    CHECK(world.code("a") == "provider_unavailable");
  }
}

TEST_CASE("32 at a time, 5 s in line") {
  World world;
  for (int i = 0; i < 34; ++i) world.embed(std::to_string(i));
  CHECK(world.asked.size() == 32);
  world.kit.advance(2s);
  world.answer(0, 200, kOne);
  REQUIRE(world.asked.size() == 33);
  world.answer(32, 200, kOne);
  REQUIRE(world.code("32") == "ok");
  CHECK((**world.results["32"])->queue_wait_ms == 2000);
  CHECK(world.asked.size() == 34);  // the last one
  world.embed("late");
  world.kit.advance(5s - 1ns);
  CHECK(world.code("late") == "none");
  world.kit.advance(1ns);
  CHECK(world.code("late") == "capacity_exceeded");
}

TEST_CASE("a full line refuses at once") {
  Settings settings = remote();
  settings.max_concurrent = 1;
  settings.max_queue = 1;
  World world(settings);
  for (const char* name : {"a", "b", "c"}) world.embed(name);
  CHECK(world.code("c") == "capacity_exceeded");
  CHECK(world.code("b") == "none");
  world.embedder.stop();
  CHECK(world.code("b") == "none");
  world.kit.pump();
  CHECK(world.code("b") == "provider_unavailable");
}

TEST_CASE("a request has 30 s") {
  World world;
  world.embed("a");
  world.kit.advance(30s - 1ns);
  CHECK(world.code("a") == "none");
  world.kit.advance(1ns);
  CHECK(world.code("a") == "provider_timeout");
  CHECK(world.asked[0]->cancelled);
}

TEST_CASE("three failures in a row, and the server is left alone for a minute") {
  World world;
  for (const char* name : {"1", "2", "early"}) world.embed(name);
  world.embed("3");
  world.fail(0);
  world.fail(1, Code::DeadlineExceeded);
  CHECK(world.code("2") == "provider_timeout");
  world.answer(3, 502, "");
  world.embed("refused");
  CHECK(world.code("refused") == "circuit_open");
  CHECK(world.asked.size() == 4);
  world.health();
  REQUIRE(world.space.has_value());
  CHECK(embedding::failure_of(world.space->error())->code == "circuit_open");
  world.answer(2, 200, kOne);  // one that began before
  CHECK(world.code("early") == "ok");
  world.embed("still refused");
  CHECK(world.code("still refused") == "circuit_open");
  world.kit.advance(60s);
  world.embed("probe");
  world.embed("beside it");
  CHECK(world.code("beside it") == "circuit_open");
  world.answer(4, 200, kOne);
  world.embed("after");
  CHECK(world.asked.size() == 6);
}

TEST_CASE("refusals of the request do not open the circuit") {
  World world;
  for (std::size_t i = 0; i < 6; ++i) {
    world.embed(std::to_string(i));
    world.answer(i, i % 2 == 0 ? 400 : 429, "");
  }
  world.embed("last");
  CHECK(world.asked.size() == 7);
}

TEST_CASE("health is the service's, or that of what was made last") {
  World world;
  world.health();
  REQUIRE(world.asked.size() == 1);
  CHECK(world.asked[0]->request.method == "GET");
  CHECK(world.asked[0]->request.url == "http://peer/health");
  world.answer(0, 200, R"({"status":"healthy","provider_id":"s","model_id":"m","dimension":3})");
  REQUIRE(world.space->ok());
  CHECK((**world.space)->embedding_space_version == "s:m:3");
  world.health();
  world.answer(1, 200, R"({"status":"unhealthy"})");
  CHECK_FALSE(world.space->ok());

  World other(openai());
  other.health();
  CHECK(other.asked.at(0)->request.body.find(R"(["test"])") != std::string::npos);
  other.answer(0, 200, R"({"data":[{"index":0,"embedding":[1,2,3]}]})");
  REQUIRE(other.space->ok());
  CHECK((**other.space)->dimension == 3);
  other.health();
  CHECK(other.asked.size() == 1);  // known by now
}

TEST_CASE("parts have as many characters as a service takes") {
  const std::vector<std::string> texts(20, std::string(8192, 'x'));
  CHECK(next_batch(remote(), texts) == 8);
  Settings settings = remote();
  settings.batch = 3;
  CHECK(next_batch(settings, texts) == 3);
  CHECK(next_batch(remote(), std::span(texts).first(1)) == 1);
}

}  // namespace
}  // namespace gantry::embed_http
