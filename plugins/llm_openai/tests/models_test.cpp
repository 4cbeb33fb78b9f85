// SPDX-License-Identifier: Apache-2.0
// Whose models are listed how: OpenAI is known by its address, for base_url moves its name.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "dialect.hpp"
#include "settings.hpp"

namespace gantry::openai {
namespace {

llm::Endpoint at(const std::string& address, const std::string& name = "openai") {
  llm::Endpoint endpoint;
  endpoint.name = name;
  endpoint.base_url = address;
  endpoint.api = kChat;
  return endpoint;
}

std::vector<std::string> listed(const llm::Endpoint& endpoint) {
  std::string next;
  std::vector<std::string> ids;
  for (const LlmModel& model : Dialect().read_models(
           R"({"data":[{"id":"qwen3-coder"},{"id":"gpt-4o"},{"id":"whisper-1"}]})", endpoint,
           next)) {
    ids.push_back(model.id);
  }
  return ids;
}

}  // namespace

TEST_CASE("OpenAI is known by its address") {
  const auto [address, own] = GENERATE(table<const char*, bool>({
      {"https://api.openai.com/v1", true},
      {"https://api.openai.com:443/v1", true},
      {"https://eu.api.openai.com/v1", true},
      {"http://127.0.0.1:9000/v1", false},
      {"https://API.OpenAI.com/v1", true},
      {"https://myapi.openai.com/v1", false},
      {"https://api.openai.com.example.org/v1", false},
      {"https://example.org/api.openai.com", false},
      {"", false},
  }));
  INFO(address);
  CHECK(is_openai(at(address)) == own);
  CHECK(is_openai(at(address, "lab")) == own);
}

TEST_CASE("a server that base_url names lists its own models, and none of OpenAI's") {
  const llm::Endpoint moved = at("http://127.0.0.1:9000/v1");
  CHECK(listed(moved) == std::vector<std::string>{"qwen3-coder", "gpt-4o"});
  CHECK(listed(at("http://127.0.0.1:9000/v1", "lab")).size() == 3);
  CHECK(Dialect().well_known(moved).empty());
  const llm::Endpoint own = at("https://api.openai.com/v1");
  CHECK(listed(own) == std::vector<std::string>{"gpt-4o"});
  CHECK_FALSE(Dialect().well_known(own).empty());
}

TEST_CASE("prices are OpenAI's; what its models can do is known behind a proxy, too") {
  LlmModel own;
  own.id = "gpt-5-mini";
  LlmModel moved = own;
  llm::Endpoint endpoint = at("https://api.openai.com/v1");
  endpoint.api = kResponses;
  Dialect().describe(own, endpoint);
  endpoint.base_url = "http://127.0.0.1:9000/v1";
  Dialect().describe(moved, endpoint);
  CHECK(own.prices);
  CHECK_FALSE(moved.prices);
  CHECK(own.capabilities.web_search);
  CHECK(moved.capabilities.web_search);
  endpoint.api = kChat;
  Dialect().describe(moved, endpoint);
  CHECK_FALSE(moved.capabilities.web_search);
}

TEST_CASE("the interface follows the address, and a key that is missing its cure") {
  const auto [address, api, hint] = GENERATE(table<const char*, std::string_view, bool>({
      {"", kResponses, false},
      {"https://eu.api.openai.com/v1/", kResponses, false},
      {"http://127.0.0.1:9000/v1", kChat, true},
  }));
  ::unsetenv("OPENAI_BASE_URL");
  llm::ProviderSettings settings;
  settings.base_url = address;
  const auto places = read_endpoints(settings, "{}");
  REQUIRE(places.ok());
  const llm::Endpoint& openai = places->front().endpoint;
  CHECK(openai.api == api);
  CHECK((openai.key_hint.find("`endpoints`") != std::string::npos) == hint);
}

}  // namespace gantry::openai
