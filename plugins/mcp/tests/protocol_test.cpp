// SPDX-License-Identifier: Apache-2.0
//
// The protocol's core, by tables: what each message of a client answers, in each revision.
#include <catch2/catch.hpp>

#include "echo.hpp"
#include "messages.hpp"

namespace gantry::mcp {
namespace {

struct ErrorCase {
  const char* text;
  int code;
  const char* id;  // JSON text; "(missing)": none
};

TEST_CASE("what is no message of JSON-RPC says so") {
  constexpr ErrorCase kCases[] = {
      {"{", -32700, "null"},
      {"[]", -32600, "null"},
      {"7", -32600, "null"},
      {R"({"id":1,"method":"ping"})", -32600, "1"},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", -32600, "1"},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600, "null"},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", -32600, "null"},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600, "null"},
      {R"({"jsonrpc":"2.0","id":"a","method":7})", -32600, "a"},
      {R"({"jsonrpc":"2.0","id":"a","method":"ping","params":[1]})", -32600, "a"},
      {R"({"jsonrpc":"2.0","id":3})", -32600, "null"},
  };
  for (const ErrorCase& row : kCases) {
    World world;
    const json::value answer = world.send(row.text)->answer();
    INFO(row.text << " answered " << json_text(answer));
    CHECK(text_at(answer, "/error/code") == std::to_string(row.code));
    CHECK(text_at(answer, "/id") == row.id);
  }
}

TEST_CASE("initialize negotiates the revision") {
  const std::pair<const char*, const char*> kCases[] = {
      {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"}, {"2025-06-18", "2025-06-18"},
      {"2025-11-25", "2025-11-25"}, {"1999-01-01", "2025-11-25"}, {"2026-07-28", "2025-11-25"},
  };
  for (const auto& [wanted, got] : kCases) {
    World world;
    const auto answer =
        world
            .send(request("1", "initialize",
                          R"({"protocolVersion":")" + std::string(wanted) +
                              R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"}})"))
            ->answer();
    INFO(wanted);
    CHECK(text_at(answer, "/result/protocolVersion") == got);
    CHECK(text_at(answer, "/result/serverInfo/name") == "gantry");
    CHECK(at(answer, "/result/capabilities/tools") != nullptr);
  }
}

TEST_CASE("every revision with sessions serves the same methods") {
  struct Row {
    const char* method;
    const char* params;
    const char* pointer;
    const char* wanted;
  };
  constexpr Row kRows[] = {
      {"ping", "{}", "/result", "{}"},
      {"tools/list", "{}", "/result/tools/0/name", "echo"},
      {"tools/list", R"({"cursor":"7-1"})", "/error/code", "-32602"},
      {"tools/list", R"({"cursor":5})", "/error/code", "-32602"},
      {"tools/call", R"({"arguments":{}})", "/error/code", "-32602"},
      {"tools/call", R"({"name":"echo","arguments":[]})", "/error/code", "-32602"},
      {"resources/list", "{}", "/result/resources/0/uri", "fake://one"},
      {"resources/templates/list", "{}", "/result/resourceTemplates", "[]"},
      {"resources/read", R"({"uri":"fake://one"})", "/result/contents/0/text", "contents"},
      {"resources/read", R"({"uri":"fake://two"})", "/error/code", "-32002"},
      {"prompts/list", "{}", "/result/prompts/0/arguments/0/required", "true"},
      {"prompts/get", R"({"name":"greet","arguments":{"who":"Ann"}})",
       "/result/messages/0/content/text", "Hello, Ann"},
      {"prompts/get", R"({"name":"greet"})", "/error/code", "-32602"},
      {"prompts/get", R"({"name":"nope"})", "/error/code", "-32602"},
      {"completion/complete",
       R"({"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"who","value":""}})",
       "/result/completion/values/1", "Bob"},
      {"logging/setLevel", R"({"level":"warning"})", "/result", "{}"},
      {"logging/setLevel", R"({"level":"loud"})", "/error/code", "-32602"},
      {"resources/subscribe", R"({"uri":"fake://one"})", "/result", "{}"},
      {"no/such", "{}", "/error/code", "-32601"},
      {"server/discover", "{}", "/error/code", "-32602"},
  };
  for (const char* revision : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    for (const Row& row : kRows) {
      World world;
      world.initialize(revision);
      const auto answer = world.send(request("\"r\"", row.method, row.params))->answer();
      INFO(revision << ' ' << row.method << ' ' << row.params << ": " << json_text(answer));
      CHECK(text_at(answer, row.pointer) == row.wanted);
      CHECK(text_at(answer, "/id") == "r");
    }
  }
}

TEST_CASE("a session begins with initialize") {
  World world;
  CHECK(text_at(world.send(request("1", "tools/list", "{}"))->answer(), "/error/code") == "-32600");
  CHECK(text_at(world.send(request("2", "ping", "{}"))->answer(), "/result") == "{}");
}

TEST_CASE("notifications and responses are never answered") {
  World world;
  world.initialize("2025-11-25");
  for (const char* text : {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                           R"({"jsonrpc":"2.0","method":"no/such","params":{}})",
                           R"({"jsonrpc":"2.0","id":9,"result":{}})",
                           R"({"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}})"}) {
    const auto outlet = world.send(text);
    CHECK(outlet->response.empty());
    CHECK(outlet->sent.empty());
  }
}

TEST_CASE("a request without a session says who it is") {
  struct Row {
    std::string params;
    std::string pointer;
    std::string wanted;
  };
  const Row rows[] = {
      {modern(""), "/result/supportedVersions/0", "2026-07-28"},
      {modern(""), "/result/resultType", "complete"},
      {"{}", "/error/code", "-32602"},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})", "/error/code",
       "-32602"},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"v999",)"
       R"("io.modelcontextprotocol/clientCapabilities":{}}})",
       "/error/code", "-32022"},
  };
  for (const Row& row : rows) {
    World world;
    const auto answer = world.send(request("1", "server/discover", row.params))->answer();
    INFO(row.params << ": " << json_text(answer));
    CHECK(text_at(answer, row.pointer) == row.wanted);
  }
  World world;
  for (const char* gone : {"initialize", "ping", "logging/setLevel", "resources/subscribe"}) {
    const auto outlet = world.send(request("1", gone, modern("")));
    CHECK(text_at(outlet->answer(), "/error/code") == "-32601");
    CHECK(outlet->status == 404);
  }
  const auto list = world.send(request("1", "tools/list", modern("")))->answer();
  CHECK(text_at(list, "/result/cacheScope") == "public");
  CHECK(text_at(list, "/result/ttlMs") == "300000");
  const auto missing = world.send(request("1", "resources/read", modern(R"("uri":"x://y")")));
  CHECK(text_at(missing->answer(), "/error/code") == "-32602");
}

TEST_CASE("headers must say what the body says") {
  struct Row {
    Headers headers;
    int code;  // 0: none
  };
  const HttpHeader version{"mcp-protocol-version", "2026-07-28"};
  const HttpHeader method{"mcp-method", "tools/call"};
  const HttpHeader name{"mcp-name", "echo"};
  const HttpHeader region{"mcp-param-region", "north"};
  const Row rows[] = {
      {{version, method, name, region}, 0},
      {{version, method, {"mcp-name", "=?base64?ZWNobw==?="}, region}, 0},
      {{method, name, region}, kHeaderMismatch},
      {{{"mcp-protocol-version", "2025-11-25"}, method, name, region}, kHeaderMismatch},
      {{version, name, region}, kHeaderMismatch},
      {{version, {"mcp-method", "tools/list"}, name, region}, kHeaderMismatch},
      {{version, method, region}, kHeaderMismatch},
      {{version, method, {"mcp-name", "other"}, region}, kHeaderMismatch},
      {{version, method, name}, kHeaderMismatch},
      {{version, method, name, {"mcp-param-region", "south"}}, kHeaderMismatch},
  };
  for (const Row& row : rows) {
    World world;
    Peer peer;
    peer.principal = "local";
    peer.http = true;
    world.connect(peer);
    const auto outlet = world.send(
        request("1", "tools/call", modern(R"("name":"echo","arguments":{"region":"north"})")),
        row.headers);
    INFO(json_text(outlet->answer()));
    CHECK(world.source->runs.size() == (row.code == 0 ? 1U : 0U));
    if (row.code != 0) {
      CHECK(text_at(outlet->answer(), "/error/code") == std::to_string(row.code));
      CHECK(outlet->status == 400);
    }
  }
}

TEST_CASE("a result has what its revision knows") {
  for (const auto& [revision, structured, indented] :
       {std::tuple("2024-11-05", false, true), std::tuple("2025-03-26", false, false),
        std::tuple("2025-06-18", true, false), std::tuple("2025-11-25", true, false)}) {
    World world;
    world.initialize(revision);
    const auto outlet = world.send(request("1", "tools/call", R"({"name":"echo"})"));
    CHECK(outlet->response.empty());
    ToolUpdate update;
    update.result.emplace();
    update.result->content.push_back(text_block(R"({"a":1})"));
    update.result->structured = Json(R"({"a":1})");
    world.source->runs.at(0)->events.update(update);
    const auto answer = outlet->answer();
    INFO(revision);
    CHECK((at(answer, "/result/structuredContent") != nullptr) == structured);
    CHECK(text_at(answer, "/result/content/0/text") ==
          (indented ? "{\n  \"a\": 1\n}" : R"({"a":1})"));
    CHECK(world.connection->under_way() == 0);
  }
}

TEST_CASE("unknown tools: near names, and the first revision's own form") {
  World world;
  world.initialize("2025-11-25");
  const auto answer = world.send(request("1", "tools/call", R"({"name":"ecko"})"))->answer();
  CHECK(text_at(answer, "/error/code") == "-32602");
  CHECK(text_at(answer, "/error/data/near_matches/0") == "echo");
  ToolDescription typing;
  typing.name = "type_text";
  typing.input_schema = Json(R"({"type":"object"})");
  world.source->tools.push_back(std::move(typing));
  world.core.catalog.tools().invalidate();
  // Another name for what there is shares a word with it.
  const auto word = world.send(request("2", "tools/call", R"({"name":"type_into"})"))->answer();
  CHECK(text_at(word, "/error/data/near_matches/0") == "type_text");
  const auto prompt = world.send(request("3", "prompts/get", R"({"name":"greeet"})"))->answer();
  CHECK(text_at(prompt, "/error/data/near_matches/0") == "greet");
  const auto method = world.send(request("4", "tool/call", "{}"))->answer();
  CHECK(text_at(method, "/error/code") == "-32601");
  CHECK(text_at(method, "/error/data/near_matches/0") == "tools/call");
  World old;
  old.initialize("2024-11-05");
  const auto text = old.send(request("1", "tools/call", R"({"name":"nope"})"))->answer();
  CHECK(text_at(text, "/result/isError") == "true");
  CHECK(text_at(text, "/result/content/0/text").find("Unknown tool: nope") != std::string::npos);
}

/// A plugin that offers tools only: it knows nothing of resources and completes nothing.
class QuietSource final : public FakeSource {
 public:
  void list_prompts(Done<std::vector<PromptDescription>> done) override {
    done(std::vector<PromptDescription>());
  }
  void read_resource(ResourceReadRequest, Done<ResourceContents> done) override {
    done(why ? *why : not_found({}));
  }
  void complete(CompletionRequest, Done<Completions> done) override { done(not_found({})); }

  std::optional<Error> why;
};

TEST_CASE("of several plugins that cannot, the one that says why is heard") {
  World world;
  auto quiet = std::make_shared<QuietSource>();
  world.others.push_back(quiet);
  world.initialize("2025-11-25");
  const auto complete = [&](const char* prompt) {
    return text_at(world
                       .send(request("1", "completion/complete",
                                     std::string(R"({"ref":{"type":"ref/prompt","name":")") +
                                         prompt + R"("},"argument":{"name":"a","value":""}})"))
                       ->answer(),
                   "/error/message");
  };
  CHECK(complete("nope") == "nothing");  // in the words of the first
  const auto read = [&] {
    return text_at(world.send(request("2", "resources/read", R"({"uri":"fake://two"})"))->answer(),
                   "/error/message");
  };
  CHECK(read().find("there is no such resource; resources/list ") == 0);
  quiet->why = unavailable("the disk is gone", "put it back");
  CHECK(read().find("the disk is gone") != std::string::npos);
}

TEST_CASE("what a client has written is repeated up to a limit, in whole characters") {
  CHECK(echoed("short") == "short");
  CHECK(echoed(std::string(2048, 'x')) == std::string(2048, 'x'));
  CHECK(echoed(std::string(2049, 'x')) == std::string(2048, 'x') + "…");
  CHECK(echoed(std::string(2047, 'x') + "éé") == std::string(2047, 'x') + "…");
  World world;
  world.initialize("2025-11-25");
  const std::string longest(1'000'000, 'x');
  for (const std::string& message :
       {request("1", longest, "{}"), request("2", "tools/call", R"({"name":")" + longest + "\"}"),
        request("3", "prompts/get", R"({"name":")" + longest + "\"}"),
        request("4", "resources/read", R"({"uri":")" + longest + "\"}"),
        request("5", "logging/setLevel", R"({"level":")" + longest + "\"}")}) {
    const std::string answer = world.send(message)->response;
    CHECK(answer.find("\"error\"") != std::string::npos);
    CHECK(answer.size() < 5'000);
  }
}

/// Lets nobody hear of its resources.
class ClosedSource final : public FakeSource {
 public:
  void may_watch(WatchRequest request, Done<void> done) override {
    asked = request.uris;
    if (closed) return done(Error{Code::PermissionDenied, "not for you", {}});
    done({});
  }
  std::vector<std::string> asked;
  bool closed = true;
};

TEST_CASE("who may not hear of a resource is refused the subscription, with the code") {
  World world;
  const auto source = std::make_shared<ClosedSource>();
  world.others.push_back(source);
  world.initialize("2025-11-25");
  const auto subscribe = [&] {
    return world.send(request("1", "resources/subscribe", R"({"uri":"fake://x"})"))->answer();
  };
  const auto answer = subscribe();
  CHECK(text_at(answer, "/error/data/code") == "permission_denied");
  CHECK(text_at(answer, "/error/data/uri") == "fake://x");
  CHECK(source->asked == std::vector<std::string>{"fake://x"});
  CHECK(world.core.hub.wanted().empty());
  source->closed = false;
  CHECK(subscribe().at("result").is_object());
  CHECK(world.core.hub.wanted().contains("fake://x"));
}

TEST_CASE("cancelling stops the run and answers nothing") {
  World world;
  world.initialize("2025-11-25");
  const auto outlet = world.send(request("5", "tools/call", R"({"name":"echo"})"));
  world.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})");
  CHECK(world.source->runs.at(0)->cancelled);
  CHECK(outlet->response.empty());
  CHECK(world.connection->under_way() == 0);
}

TEST_CASE("progress goes to who asked for it, and only grows") {
  World world;
  world.initialize("2025-11-25");
  const auto outlet =
      world.send(request("5", "tools/call", R"({"name":"echo","_meta":{"progressToken":"p"}})"));
  for (const double step : {1.0, 1.0, 0.5, 2.0}) {
    ToolUpdate update;
    update.progress = ToolProgress{step, 3.0, "going"};
    world.source->runs.at(0)->events.update(update);
  }
  REQUIRE(outlet->sent.size() == 2);
  const json::value last = json::parse(outlet->sent.back());
  CHECK(text_at(last, "/method") == "notifications/progress");
  CHECK(text_at(last, "/params/progressToken") == "p");
  CHECK(at(last, "/params/progress")->to_number<double>() == 2.0);
}

TEST_CASE("a client has a bounded number of requests under way, and loses none of them") {
  World world;
  world.initialize("2025-11-25");
  std::vector<std::shared_ptr<Recorder>> outlets;
  const auto call = [&](int id) {
    return world.send(request(std::to_string(id), "tools/call", R"({"name":"echo"})"));
  };
  for (std::size_t i = 0; i < kMostUnderWay; ++i) outlets.push_back(call(static_cast<int>(i)));
  CHECK(world.connection->under_way() == kMostUnderWay);
  const auto refused = call(1000);
  CHECK(text_at(refused->answer(), "/error/code") == "-32000");
  CHECK(text_at(refused->answer(), "/error/data/limit") == std::to_string(kMostUnderWay));
  CHECK(refused->status == 429);
  CHECK(world.source->runs.size() == kMostUnderWay);  // nothing of it has begun
  // Cancelling is no request, and makes room.
  world.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
  CHECK(call(1001)->response.empty());
  CHECK(text_at(call(1002)->answer(), "/error/code") == "-32000");
  for (std::size_t i = 0; i < kMostUnderWay; ++i) {
    if (i == 7) continue;
    ToolUpdate update;
    update.result.emplace();
    world.source->runs.at(i)->events.update(update);
    CHECK_FALSE(outlets.at(i)->response.empty());
  }
  CHECK(outlets.at(7)->response.empty());
  CHECK(world.connection->under_way() == 1);
}

TEST_CASE("calls say which session they are of, whatever the client calls itself") {
  World world;
  const auto caller_in = [&](const std::string& session, const std::string& name) {
    Peer peer;
    peer.principal = "local";
    peer.session = session;
    world.connect(peer);
    world.send(request("1", "initialize",
                       R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                       R"("clientInfo":{"version":"1","name":")" +
                           name + "\"}}"));
    world.send(request("2", "tools/call", R"({"name":"echo"})"));
    return world.source->runs.back()->request.caller;
  };
  CHECK(caller_in("http-1", "x") == "mcp:x@http-1");
  CHECK(caller_in("http-2", "x") == "mcp:x@http-2");
  CHECK(caller_in("http-3", "") == "mcp:http-3");
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\u00e4";
  CHECK(caller_in("http-4", "y" + umlauts) == "mcp:y" + umlauts.substr(0, 62) + "@http-4");
}

TEST_CASE("a result that is too big is linked, and can be read") {
  World world;
  world.core.settings.max_bytes = 20'000;
  world.initialize("2025-11-25");
  const auto outlet = world.send(request("1", "tools/call", R"({"name":"echo"})"));
  ToolUpdate update;
  update.result.emplace();
  const std::string big = quoted(std::string(30'000, 'x'));
  update.result->content.push_back(text_block(big));
  update.result->structured = Json(big);
  world.source->runs.at(0)->events.update(update);
  CHECK(outlet->response.size() < 20'000);
  const auto answer = outlet->answer();
  CHECK(text_at(answer, "/result/content/1/type") == "resource_link");
  const std::string uri = text_at(answer, "/result/content/1/uri");
  const auto whole =
      world.send(request("2", "resources/read", R"({"uri":)" + quoted(uri) + "}"))->answer();
  CHECK(text_at(whole, "/result/contents/0/text") == big);
}

TEST_CASE("tools with unusable names are left out, and pages join to the whole list") {
  World world;
  ToolDescription bad;
  bad.name = "has space";
  world.source->tools.push_back(bad);
  for (int i = 0; i < 30; ++i) {
    ToolDescription tool;
    tool.name = "tool_" + std::to_string(i);
    world.source->tools.push_back(tool);
  }
  world.core.settings.max_bytes = 1'000;
  world.initialize("2025-11-25");
  std::vector<std::string> names;
  std::string cursor;
  int pages = 0;
  do {
    const auto answer =
        world
            .send(request("1", "tools/list",
                          cursor.empty() ? "{}" : R"({"cursor":)" + quoted(cursor) + "}"))
            ->answer();
    for (const json::value& tool : at(answer, "/result/tools")->get_array()) {
      names.push_back(text_at(tool, "/name"));
    }
    cursor =
        at(answer, "/result/nextCursor") == nullptr ? "" : text_at(answer, "/result/nextCursor");
    ++pages;
  } while (!cursor.empty() && pages < 100);
  CHECK(pages > 1);
  CHECK(names.size() == 31);
  CHECK(world.environment.warnings.size() == 1);
}

}  // namespace
}  // namespace gantry::mcp
