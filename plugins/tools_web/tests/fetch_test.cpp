// SPDX-License-Identifier: Apache-2.0
// web_fetch against a server of the test: names have the addresses that the test says.
#include <catch2/catch.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/probe.hpp>

#include <map>
#include <string>

#include "tiny_server.hpp"
#include "web_plugin.hpp"

using namespace gantry;
using namespace gantry::web;
using namespace gantry::web::testing;

namespace {

/// What names mean for the plugin under test, and which were asked for.
struct Names {
  std::map<std::string, std::vector<std::string>> known;
  std::vector<std::string> asked;
};
Names* names = nullptr;

class PluginWithNames final : public WebPlugin {
 public:
  explicit PluginWithNames(Host& host)
      : WebPlugin(host, [](const std::string& host_name) -> Result<std::vector<std::string>> {
          names->asked.push_back(host_name);
          const auto found = names->known.find(host_name);
          if (found != names->known.end()) return found->second;
          if (read_address(host_name)) return std::vector<std::string>{host_name};
          return unavailable("the name " + host_name + " has no address");
        }) {}
};

struct FetchWorld {
  Names own;
  TinyServer server;
  testkit::FakeHost kit;

  /// The double stands in for a public server: only its own address is allowed besides.
  explicit FetchWorld(const std::string& more = {}) {
    names = &own;
    own.known["public.example"] = {"127.0.0.1"};
    own.known["intern.example"] = {"10.0.0.1"};
    own.known["rebinding.example"] = {"127.0.0.2", "169.254.169.254"};
    REQUIRE(kit.load<PluginWithNames>("tools_web",
                                      R"({"callers":["*"],"fetch":{)"
                                      R"("allow_networks":["127.0.0.1/32"],"ports":[)" +
                                          std::to_string(server.port()) + "]" + more + "}}")
                .ok());
  }
  [[nodiscard]] std::string at(const std::string& host, const std::string& path) const {
    return "http://" + host + ":" + std::to_string(server.port()) + path;
  }
  ToolResult fetch(const std::string& url, const std::string& more = {}) {
    ToolCallRequest request;
    request.name = "web_fetch";
    request.arguments = Json(R"({"url":")" + url + "\"" + more + "}");
    const testkit::StreamProbe<ToolRun> run(kit.host(), request);
    kit.pump();
    REQUIRE(run.all().size() == 1);
    return run.all().front().result.value();
  }
  std::string text(const std::string& url) { return fetch(url).content.at(0).text; }
  /// The typed code of a failed call.
  std::string code(const std::string& url) {
    const ToolResult result = fetch(url);
    if (!result.is_error || !result.structured) return "no error";
    const std::string& json = result.structured->text;
    const std::size_t begin = json.find("\"code\":\"") + 8;
    return json.substr(begin, json.find('"', begin) - begin);
  }
};

}  // namespace

TEST_CASE("a page is fetched, honestly and without cookies") {
  FetchWorld world;
  world.server.put("/a?b=c",
                   answer("text/html", "<title>Hi</title><p>Hello", "Set-Cookie: a=b\r\n"));
  const std::string text = world.text(world.at("public.example", "/a?b=c#part"));
  CHECK(text.find("Title: Hi\n\nHello") != std::string::npos);
  (void)world.text(world.at("public.example", "/a?b=c"));
  REQUIRE(world.server.asked().size() == 2);
  for (const std::string& head : world.server.asked()) {
    CHECK(head.starts_with("GET /a?b=c HTTP/1.1\r\n"));
    CHECK(head.find("Host: public.example:") != std::string::npos);
    CHECK(head.find("User-Agent: Gantry/") != std::string::npos);
    CHECK(head.find("Cookie") == std::string::npos);
    CHECK(head.find("Referer") == std::string::npos);
  }
}

TEST_CASE("an escaped slash stays one") {
  FetchWorld world;
  world.server.put("/a%2Fb", answer("text/plain", "escaped"));
  CHECK(world.text(world.at("public.example", "/a%2Fb")).find("escaped") != std::string::npos);
}

TEST_CASE("what is not public is not connected to") {
  FetchWorld world;
  for (const char* host : {"intern.example", "rebinding.example", "10.0.0.1", "169.254.169.254",
                           "127.0.0.2", "[::1]", "[::ffff:127.0.0.3]", "[fd00::1]"}) {
    INFO(host);
    CHECK(world.code(world.at(host, "/")) == "permission_denied");
  }
  CHECK(world.server.asked().empty());
  CHECK(world.code("http://public.example:1/") == "permission_denied");
  CHECK(world.code("file:///etc/passwd") == "permission_denied");
  CHECK(world.code("http://user:pw@public.example/") == "permission_denied");
  CHECK(world.code(world.at("nowhere.example", "/")) == "unavailable");
}

TEST_CASE("the connection goes to the address that was judged: a name is asked once") {
  FetchWorld world;
  world.server.put("/", answer("text/plain", "here"));
  (void)world.text(world.at("public.example", "/"));
  CHECK(world.own.asked == std::vector<std::string>{"public.example"});
}

TEST_CASE("each redirect is judged") {
  FetchWorld world;
  world.server.put("/1", redirect("/2", "301 Moved Permanently"));
  world.server.put("/2", redirect(world.at("public.example", "/3"), "307 Temporary Redirect"));
  world.server.put("/3", answer("text/plain", "arrived"));
  const ToolResult arrived = world.fetch(world.at("public.example", "/1"));
  CHECK(arrived.content.at(0).text.find("arrived") != std::string::npos);
  CHECK(arrived.content.at(0).text.find("Redirected from ") != std::string::npos);
  struct Row {
    std::string to;
    const char* code;
  };
  const Row rows[] = {
      {world.at("intern.example", "/"), "permission_denied"},
      {"http://169.254.169.254/latest/meta-data/", "permission_denied"},
      {"//10.0.0.1/", "permission_denied"},
      {"http://[::1]:" + std::to_string(world.server.port()) + "/", "permission_denied"},
      {"http://a:b@public.example/", "permission_denied"},
      {"file:///etc/passwd", "permission_denied"},
      {"http://public.example:22/", "permission_denied"},
      {"javascript:alert(1)", "invalid_argument"},
      {"http://", "invalid_argument"},
  };
  for (const Row& row : rows) {
    INFO(row.to);
    world.server.put("/away", redirect(row.to));
    CHECK(world.code(world.at("public.example", "/away")) == row.code);
  }
}

TEST_CASE("redirects end") {
  FetchWorld world;
  world.server.put("/loop", redirect("/loop"));
  CHECK(world.code(world.at("public.example", "/loop")) == "failed_precondition");
  CHECK(world.server.asked().size() == 6);  // the first, and five more
  world.server.put("/none", answer("text/plain", "no way", {}, "302 Found"));
  CHECK(world.code(world.at("public.example", "/none")) == "failed_precondition");
}

TEST_CASE("a huge body is read as far as allowed") {
  FetchWorld world(R"(,"max_bytes":20000,"max_text":1000)");
  world.server.put("/huge", answer("text/plain", std::string(3'000'000, 'x')));
  const ToolResult result = world.fetch(world.at("public.example", "/huge"));
  CHECK_FALSE(result.is_error);
  CHECK(result.structured->text.find(R"("bytes":20000)") != std::string::npos);
  CHECK(result.structured->text.find(R"("truncated":true)") != std::string::npos);
  CHECK(result.content.at(0).text.size() < 1500);
  const ToolResult less = world.fetch(world.at("public.example", "/huge"), R"(,"max_bytes":10)");
  CHECK(less.content.at(0).text.find("offset 10 for what follows") != std::string::npos);
}

TEST_CASE("what a server does wrong is told by its kind") {
  FetchWorld world;
  world.server.put("/short",
                   "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                   "Content-Length: 100\r\n\r\nshort");
  CHECK(world.code(world.at("public.example", "/short")) == "data_loss");
  world.server.put("/gzip", answer("text/plain", "no gzip", "Content-Encoding: gzip\r\n"));
  CHECK(world.code(world.at("public.example", "/gzip")) == "data_loss");
  world.server.put("/junk", "this is not HTTP\r\n\r\n");
  CHECK(world.code(world.at("public.example", "/junk")) == "unavailable");
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 5000; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  world.server.put("/headers", many + "\r\n");
  CHECK(world.code(world.at("public.example", "/headers")) == "unavailable");
  world.server.put("/pdf", answer("application/pdf", "%PDF-1.7"));
  CHECK(world.code(world.at("public.example", "/pdf")) == "failed_precondition");
  CHECK(world.code(world.at("public.example", "/missing")) == "not_found");
}

TEST_CASE("arguments are checked") {
  FetchWorld world;
  CHECK(world.code("") == "invalid_argument");
  const auto code_with = [&](const std::string& more) {
    return world.fetch(world.at("public.example", "/"), more).structured->text;
  };
  CHECK(code_with(R"(,"offset":-1)").find("invalid_argument") != std::string::npos);
  CHECK(code_with(R"(,"headers":{})").find("invalid_argument") != std::string::npos);
}

TEST_CASE("hosts may be denied") {
  FetchWorld world(R"(,"deny_hosts":["public.example"])");
  CHECK(world.code(world.at("public.example", "/")) == "permission_denied");
  CHECK(world.code(world.at("www.public.example", "/")) == "permission_denied");
}
