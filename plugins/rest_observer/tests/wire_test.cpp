// SPDX-License-Identifier: Apache-2.0
// The wire without a socket. What routes answer end to end is in tests/conformance/observer.
#include "wire.hpp"

#include <catch2/catch.hpp>

#include <boost/json/value.hpp>

#include "ascii_json.hpp"
#include "cors.hpp"
#include "service.hpp"

namespace gantry::rest_observer {
namespace {

namespace json = boost::json;

std::string body_of(const HttpResponse& response) { return std::string(response.body.text()); }

TEST_CASE("JSON is compact, sorted and ASCII") {
  const json::value value{{"b", {1, 2.0, nullptr}},
                          {"a", "Grü\n\"😀"},
                          {"c", json::array{}},
                          {"d", 18446744073709551615U}};
  CHECK(ascii_json(value) ==
        R"({"a":"Gr\u00fc\n\"\ud83d\ude00","b":[1,2.0,null],"c":[],"d":18446744073709551615})");
  CHECK(ascii_json("\xFF\xED\xA0\x80") == R"("\ufffd\ufffd\ufffd\ufffd")");
  CHECK(ascii_json(json::array{json::array{}, json::array{1}}) == "[[],[1]]");
}

struct BodyRow {
  const char* body;
  const char* arguments;  ///< nullptr: refused
};

TEST_CASE("bodies are objects, or empty in all the ways that clients send nothing") {
  const BodyRow rows[] = {{R"({"x":1})", R"({"x":1})"},
                          {"null", "{}"},
                          {"{}", "{}"},
                          {"0", "{}"},
                          {"0.0", "{}"},
                          {"\"\"", "{}"},
                          {"[]", "{}"},
                          {"false", "{}"},
                          {"[1]", nullptr},
                          {"\"x\"", nullptr},
                          {"3", nullptr},
                          {"true", nullptr},
                          {"", nullptr},
                          {"{", nullptr},
                          {"1e999", nullptr},
                          {R"({"clicks":[{"a":-1e999}]})", nullptr},
                          {"NaN", nullptr}};
  for (const BodyRow& row : rows) {
    INFO(row.body);
    const Result<std::string> arguments = body_arguments(row.body, false);
    REQUIRE(arguments.ok() == (row.arguments != nullptr));
    if (arguments.ok()) CHECK(*arguments == row.arguments);
  }
  CHECK(*body_arguments("nonsense", true) == "{}");
  CHECK_FALSE(body_arguments("[1]", true).ok());
}

TEST_CASE("a query becomes an object of strings, the first of a name counts") {
  CHECK(query_arguments({{"depth", "3"}, {"roles", "A,B"}, {"depth", "4"}, {"x\"", ""}}) ==
        R"({"depth":"3","roles":"A,B","x\"":""})");
  CHECK(query_arguments({}) == "{}");
}

TEST_CASE("actions name their tools") {
  CHECK(action_of(R"({"action":"type"})").tool == "type_text");
  CHECK(action_of(R"({"action":"scroll"})").tool == "scroll");
  CHECK(action_of(R"({"action":"type","value":"a"})").arguments == R"({"text":"a"})");
  CHECK(action_of(R"({"action":"fly"})").tool.empty());
  CHECK(action_of(R"({"action":"fly"})").action == "fly");
  CHECK(action_of(R"({"action":7})").action == "7");
  CHECK(action_of("{}").action.empty());
}

ObserverToolResult failure() {
  ObserverToolResult result;
  result.ok = false;
  result.error_code = "ElementDisabled";
  result.message = "it is grey";
  result.result =
      Json(R"({"error":{"code":"ElementDisabled"},"ok":false,"step_id":4,"success":false})");
  return result;
}

TEST_CASE("a failure has the shape of its route") {
  const HttpResponse object = tool_response(failure(), ErrorShape::Object);
  CHECK(object.status == 409);
  CHECK(body_of(object) == failure().result.text + "\n");
  const HttpResponse text = tool_response(failure(), ErrorShape::Text);
  CHECK(text.status == 500);
  CHECK(body_of(text) == "{\"error\":\"it is grey\"}\n");
  const HttpResponse action = tool_response(failure(), ErrorShape::Action);
  CHECK(action.status == 409);
  CHECK(body_of(action) ==
        "{\"error\":\"it is grey\",\"error_object\":{\"code\":\"ElementDisabled\"},"
        "\"ok\":false,\"step_id\":4,\"success\":false}\n");
}

TEST_CASE("every error code has its status") {
  const std::pair<const char*, int> rows[] = {{"ElementNotFound", 404},
                                              {"WindowGone", 404},
                                              {"SnapshotExpired", 410},
                                              {"PermissionDenied", 403},
                                              {"ConfirmationRequired", 412},
                                              {"ConfirmationInvalid", 412},
                                              {"RateLimited", 429},
                                              {"BudgetExceeded", 429},
                                              {"BadRequest", 400},
                                              {"ScenarioInvalid", 400},
                                              {"PlatformUnsupported", 501},
                                              {"PredicateUnsupported", 501},
                                              {"PatternUnsupported", 501},
                                              {"Timeout", 408},
                                              {"ElementOccluded", 409},
                                              {"ElementDisabled", 409},
                                              {"WindowOccluded", 409},
                                              {"Internal", 500},
                                              {"Unheard", 500}};
  for (const auto& [code, status] : rows) {
    INFO(code);
    CHECK(status_of(code) == status);
  }
}

TEST_CASE("an engine that does not answer is told apart from one that is missing") {
  CHECK(bus_failure(Error{Code::DeadlineExceeded, "late", {}}, ErrorShape::Object).status == 408);
  const HttpResponse missing = bus_failure(unavailable("no plugin"), ErrorShape::Object);
  CHECK(missing.status == 501);
  CHECK(body_of(missing).find("\"code\":\"PlatformUnsupported\"") != std::string::npos);
  CHECK(bus_failure(unavailable("no plugin"), ErrorShape::Text).status == 500);
}

HttpRequest request(std::string method, std::string route, std::string origin = {}) {
  HttpRequest out;
  out.method = std::move(method);
  out.route = route;
  out.path = route;
  if (!origin.empty()) out.headers.push_back({"origin", std::move(origin)});
  return out;
}

std::string header_of(const HttpResponse& response, std::string_view name) {
  for (const HttpHeader& h : response.headers) {
    if (h.name == name) return h.value;
  }
  return {};
}

TEST_CASE("only listed origins are told that they may read") {
  HttpResponse response;
  Cors({"http://a"}).apply(request("GET", "/", "http://b"), response);
  CHECK(response.headers.empty());
  Cors().apply(request("GET", "/", "http://a"), response);
  CHECK(response.headers.empty());
  Cors({"http://a"}).apply(request("GET", "/", "http://a"), response);
  CHECK(header_of(response, "Access-Control-Allow-Origin") == "http://a");
  CHECK(header_of(response, "Vary") == "Origin");
  CHECK(header_of(response, "Access-Control-Allow-Methods").empty());
  HttpResponse any;
  Cors({"*"}).apply(request("OPTIONS", "/", "http://b"), any);
  CHECK(header_of(any, "Access-Control-Allow-Origin") == "http://b");
  CHECK_FALSE(header_of(any, "Access-Control-Allow-Methods").empty());
}

/// A service whose engine records what it is asked and whose clock stands still.
struct Bench {
  std::vector<ObserverToolRequest> asked;
  std::int64_t now_ns = 10'000'000'000;
  int refreshes = 0;
  bool started = true;
  Service service{{[this](ObserverToolRequest call, Service::ToolDone done) {
                     asked.push_back(std::move(call));
                     ObserverToolResult result;
                     result.result = Json(R"({"ok":true})");
                     done(make_body<ObserverToolResult>(std::move(result)));
                   },
                   [this] { return now_ns; }, [this] { ++refreshes; },
                   [this](const std::function<void(bool)>& answer) { answer(started); }},
                  Cors()};

  HttpResponse handle(const HttpRequest& request) {
    HttpResponse answer;
    service.handle(request, [&](HttpResponse response) { answer = std::move(response); });
    return answer;
  }
};

TEST_CASE("health is answered from memory, and only while there is something true to say") {
  Bench bench;
  CHECK(bench.handle(request("GET", "/api/healthz")).status == 503);
  CHECK(bench.refreshes == 1);
  ObserverStatusReport status;
  status.started_ns = 3'000'000'000;
  bench.service.set_status(status);
  CHECK(bench.handle(request("GET", "/api/healthz")).status == 503);  // no adapter has answered
  status.probed = true;
  bench.service.set_status(status);
  const HttpResponse healthy = bench.handle(request("GET", "/api/healthz"));
  CHECK(healthy.status == 200);
  CHECK(body_of(healthy).find("\"uptime_s\":7,") != std::string::npos);
  bench.now_ns += 2'000'000'000;
  CHECK(body_of(bench.handle(request("GET", "/api/healthz"))).find("\"uptime_s\":9,") !=
        std::string::npos);
  CHECK(bench.refreshes == 2);
  bench.service.clear_status();
  CHECK(bench.handle(request("GET", "/api/healthz")).status == 503);
  CHECK(bench.handle(request("GET", "/api/metrics")).status == 503);
  CHECK(bench.asked.empty());
}

TEST_CASE("nobody is told that all is well before all plugins have started") {
  Bench bench;
  bench.started = false;
  ObserverStatusReport status;
  status.probed = true;
  bench.service.set_status(status);
  CHECK(bench.handle(request("GET", "/api/healthz")).status == 503);
  bench.started = true;
  CHECK(bench.handle(request("GET", "/api/healthz")).status == 200);
}

TEST_CASE("routes ask for their tool, plainly where the first version answered plainly") {
  Bench bench;
  HttpRequest sketch = request("GET", "/api/sketch");
  sketch.query = {{"window_index", "1"}};
  sketch.peer = "127.0.0.1:9";
  CHECK(bench.handle(sketch).status == 200);
  REQUIRE(bench.asked.size() == 1);
  CHECK(bench.asked[0].tool == "get_screen_sketch");
  CHECK(bench.asked[0].arguments.text == R"({"window_index":"1"})");
  CHECK(bench.asked[0].caller == "rest:127.0.0.1:9");
  CHECK(bench.asked[0].plain);
  CHECK(bench.handle(request("GET", "/api/windows")).status == 200);
  CHECK_FALSE(bench.asked[1].plain);
}

TEST_CASE("a tool that acts is not reached by GET, nor by accident") {
  Bench bench;
  HttpRequest click = request("GET", "/api/tool/{name}");
  click.path_parameters = {{"name", "click_at"}};
  CHECK(bench.handle(click).status == 503);  // it is not known yet which tools act
  bench.service.set_tools({{"click_at", "list_windows"}, {"click_at"}, {}});
  CHECK(bench.handle(click).status == 405);
  CHECK(bench.asked.empty());
  click.path_parameters = {{"name", "list_windows"}};
  CHECK(bench.handle(click).status == 200);
}

}  // namespace
}  // namespace gantry::rest_observer
