// SPDX-License-Identifier: Apache-2.0
// web_search: doubles of SearXNG and Brave, and what is asked of them.
#include <catch2/catch.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <cstdlib>
#include <string>

#include "search.hpp"
#include "tiny_server.hpp"
#include "web_plugin.hpp"

using namespace gantry;
using namespace gantry::web;
using namespace gantry::web::testing;

namespace {

constexpr const char* kSearxng = R"({"query":"cats","number_of_results":3,"results":[)"
                                 R"({"url":"https://one.example/a","title":"One &amp; only",)"
                                 R"("content":"A <b>cat</b>","engine":"x","publishedDate":null},)"
                                 R"({"url":"javascript:alert","title":"no"},)"
                                 R"({"url":"https://www.two.example/","title":"Two","content":"",)"
                                 R"("publishedDate":"2026-01-02T00:00:00"},)"
                                 R"({"url":"https://three.example/","title":null}]})";
constexpr const char* kBrave =
    R"({"type":"search","query":{"original":"cats"},"web":{"type":"search","results":[)"
    R"({"title":"One","url":"https://one.example/","description":"First","age":"2 days ago",)"
    R"("profile":{"name":"x"}},{"title":"Two","url":"https://two.example/"}]}})";

struct SearchWorld {
  TinyServer server;
  testkit::FakeHost kit;

  /// `search` with %U for the server's address.
  explicit SearchWorld(std::string search) {
    ::unsetenv("BRAVE_SEARCH_API_KEY");
    if (const std::size_t at = search.find("%U"); at != std::string::npos) {
      search.replace(at, 2, server.url(""));
    }
    REQUIRE(kit.load<WebPlugin>("tools_web", R"({"callers":["*"],"search":)" + search + "}").ok());
  }
  testkit::StreamProbe<ToolRun> run(const std::string& arguments) {
    ToolCallRequest request;
    request.name = "web_search";
    request.arguments = Json(arguments);
    testkit::StreamProbe<ToolRun> out(kit.host(), request);
    kit.pump();
    return out;
  }
  ToolResult search(const std::string& arguments) {
    const auto done = run(arguments);
    REQUIRE(done.all().size() == 1);
    return done.all().front().result.value();
  }
  [[nodiscard]] std::string asked() const { return server.asked().at(0); }
};

}  // namespace

TEST_CASE("SearXNG") {
  SearchWorld world(R"({"base_url":"%U/"})");
  world.server.put("/search?format=json&q=cats%20%26%20dogs", answer("application/json", kSearxng));
  const ToolResult result = world.search(R"({"query":"cats & dogs"})");
  REQUIRE_FALSE(result.is_error);
  CHECK(result.content.at(0).text ==
        "1. One & only\n   https://one.example/a\n   A cat\n\n"
        "2. Two\n   https://www.two.example/\n   2026-01-02T00:00:00\n\n"
        "3. https://three.example/\n   https://three.example/");
  CHECK(result.structured->text.starts_with(
      R"({"results":[{"url":"https://one.example/a","title":"One & only","snippet":"A cat",)"));
  CHECK(result.structured->text.find(R"("provider":"searxng","rank":2,"query":"cats & dogs")") !=
        std::string::npos);
}

TEST_CASE("Brave, with a key that is told to it alone") {
  SearchWorld world(R"({"provider":"brave","base_url":"%U","api_key":"k-123"})");
  world.server.put("/res/v1/web/search?q=cats&count=2&text_decorations=false&freshness=pw",
                   answer("application/json", kBrave));
  const ToolResult result = world.search(R"({"query":"cats","count":2,"recency_days":5})");
  REQUIRE_FALSE(result.is_error);
  CHECK(result.content.at(0).text.find("2 days ago") != std::string::npos);
  CHECK(world.asked().find("X-Subscription-Token: k-123\r\n") != std::string::npos);
  world.server.put("/res/v1/web/search?q=dogs&count=8&text_decorations=false",
                   answer("application/json", R"({"type":"ErrorResponse","key":"k-123"})", {},
                          "401 Unauthorized"));
  const ToolResult refused = world.search(R"({"query":"dogs"})");
  CHECK(refused.is_error);
  CHECK(refused.structured->text.find("unauthenticated") != std::string::npos);
  CHECK(refused.content.at(0).text.find("k-123") == std::string::npos);
}

TEST_CASE("domains, time and number") {
  SearchWorld world(R"({"base_url":"%U","max_results":1})");
  world.server.put("/search?format=json&q=x%20%28site%3Atwo.example%29&time_range=month",
                   answer("application/json", kSearxng));
  const ToolResult result =
      world.search(R"({"query":"x","domains":["two.example"],"recency_days":30,"count":20})");
  CHECK(result.content.at(0).text.starts_with("1. Two\n"));
  CHECK(result.content.at(0).text.find("2. ") == std::string::npos);
}

TEST_CASE("nothing was found") {
  SearchWorld world(R"({"base_url":"%U"})");
  world.server.put("/search?format=json&q=x", answer("application/json", R"({"results":[]})"));
  const ToolResult result = world.search(R"({"query":"x"})");
  CHECK_FALSE(result.is_error);
  CHECK(result.content.at(0).text == "Nothing was found for 'x'.");
  CHECK(result.structured->text == R"({"results":[]})");
}

TEST_CASE("answers of engines that are none") {
  struct Row {
    std::string answer;
    const char* words;
  };
  const Row rows[] = {
      {answer("text/html", "<html>"), "data_loss"},
      {answer("application/json", R"({"a":1})"), "data_loss"},
      {answer("application/json", "x", {}, "403 Forbidden"), "search.formats"},
      {answer("application/json", "x", {}, "429 Too Many"), "resource_exhausted"},
      {answer("application/json", "x", {}, "404 Not Found"), "base_url"},
      {redirect("http://10.0.0.1/"), "redirects are not followed"},
  };
  for (const Row& row : rows) {
    INFO(row.words);
    SearchWorld world(R"({"base_url":"%U"})");
    world.server.put("/search?format=json&q=x", row.answer);
    const ToolResult result = world.search(R"({"query":"x"})");
    CHECK(result.is_error);
    CHECK(result.content.at(0).text.find(row.words) != std::string::npos);
    CHECK(world.server.asked().size() == 1);
  }
  SearchWorld world(R"({"base_url":"%U"})");
  world.server.put("/search?format=json&q=x", answer("text/plain", "x", {}, "500 Oops"));
  const auto down = world.run(R"({"query":"x"})");
  REQUIRE(down.ends().size() == 1);
  CHECK(down.ends().front().code == Code::Unavailable);
}

TEST_CASE("arguments of a search are checked") {
  SearchWorld world(R"({"base_url":"%U"})");
  for (const char* arguments :
       {R"({"query":""})", R"({})", R"({"query":"x","domains":["a b"]})",
        R"({"query":"x","domains":["a) OR (b"]})", R"({"query":"x","recency_days":0})",
        R"({"query":"x","more":1})", R"({"query":5})"}) {
    INFO(arguments);
    const ToolResult result = world.search(arguments);
    CHECK(result.is_error);
    CHECK(result.structured->text.find("invalid_argument") != std::string::npos);
  }
  CHECK(world.server.asked().empty());
}

TEST_CASE("without an engine the tool is listed with the reason, and says it when called") {
  SearchWorld world(R"({"provider":"auto"})");
  CallOptions options;
  const auto list = world.kit.host().bus().call_wait<ToolList>({});
  REQUIRE(list.ok());
  const ToolDescription& tool = (*list)->tools.at(1);
  CHECK(tool.name == "web_search");
  CHECK(tool.unavailable.find("cure: ") != std::string::npos);
  CHECK((*list)->tools.at(0).unavailable.empty());
  const auto refused = world.run(R"({"query":"x"})");
  REQUIRE(refused.ends().size() == 1);
  CHECK(refused.ends().front().code == Code::Unavailable);
  CHECK(refused.ends().front().message == tool.unavailable);
}

TEST_CASE("which engine is meant") {
  struct Row {
    SearchSettings settings;
    SearchProvider provider;
  };
  ::unsetenv("BRAVE_SEARCH_API_KEY");
  const auto with = [](const char* provider, const char* url, const char* key) {
    SearchSettings out;
    out.provider = provider;
    out.base_url = url;
    out.api_key = key;
    return out;
  };
  CHECK(provider_of(with("auto", "", "")) == SearchProvider::None);
  CHECK(provider_of(with("auto", "http://x", "")) == SearchProvider::Searxng);
  CHECK(provider_of(with("auto", "http://x", "k")) == SearchProvider::Searxng);
  CHECK(provider_of(with("auto", "", "k")) == SearchProvider::Brave);
  CHECK(provider_of(with("brave", "http://x", "")) == SearchProvider::None);
  CHECK(provider_of(with("searxng", "", "k")) == SearchProvider::None);
  CHECK(provider_of(with("none", "http://x", "k")) == SearchProvider::None);
  CHECK(no_search_reason(with("none", "", "")).find("switched off") != std::string::npos);
  ::setenv("BRAVE_SEARCH_API_KEY", "from-environment", 1);
  CHECK(provider_of(with("auto", "", "")) == SearchProvider::Brave);
  SearchArguments arguments;
  arguments.query = "x";
  const auto request = search_request(arguments, with("auto", "", ""));
  CHECK(request.headers.back().second == "from-environment");
  CHECK(search_request(arguments, with("searxng", "http://x", "")).headers.size() == 2);
  ::unsetenv("BRAVE_SEARCH_API_KEY");
}
