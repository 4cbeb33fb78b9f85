// SPDX-License-Identifier: Apache-2.0
// Who may ask: Host × Origin × token × content type × method for every route of the table. The
// expected status is the first refusal in the order of the checks; a request that passes them all
// may fail otherwise, but never with one of those statuses.
#include <catch2/catch.hpp>
#include <gantry/contracts/http.hpp>
#include <gantry/testkit/net_client.hpp>

#include <memory>
#include <optional>

#include "observer_server.hpp"
#include "routes.hpp"

namespace gantry::conformance {
namespace {

using rest_observer::Handling;
using rest_observer::Route;

constexpr const char* kToken = "opensesame";
constexpr const char* kListed = "http://ui.example";

struct Who {
  const char* name;
  const char* value;  ///< nullptr: the header is not sent
  bool passes;
};
constexpr Who kHosts[] = {{"host", nullptr, true},
                          {"host", "localhost", true},
                          {"host", "evil.example", false},
                          {"host", "127.0.0.1.evil.example", false}};
constexpr Who kOrigins[] = {{"origin", nullptr, true},
                            {"origin", kListed, true},
                            {"origin", "null", false},
                            {"origin", "http://evil.example", false},
                            {"origin", "http://ui.example.evil.example", false}};
constexpr Who kTokens[] = {{"authorization", "Bearer opensesame", true},
                           {"authorization", nullptr, false},
                           {"authorization", "Bearer opensesam", false},
                           {"authorization", "Basic opensesame", false}};
constexpr Who kTypes[] = {{"content-type", "application/json", true},
                          {"content-type", "text/plain", false},
                          {"content-type", nullptr, false}};
constexpr const char* kMethods[] = {"GET", "HEAD", "POST", "DELETE", "PUT", "OPTIONS"};

struct Attempt {
  std::string path;    ///< as in the table
  std::string target;  ///< with the names filled in
  std::string method;
  const Who* host;
  const Who* origin;
  const Who* token;  ///< nullptr: the server wants none
  const Who* type;
  bool open = false;  ///< the page that asks for the token, and its files
};

/// The status of the first check that refuses, or nothing.
std::optional<int> refusal_of(const Attempt& attempt) {
  if (!attempt.host->passes || !attempt.origin->passes) return 403;
  // What a browser asks before a request carries no credentials.
  if (attempt.method == "OPTIONS" && attempt.origin->value != nullptr) return 200;
  if (attempt.token != nullptr && !attempt.token->passes && !attempt.open) return 401;
  if (attempt.method == "POST" && attempt.origin->value != nullptr && !attempt.type->passes) {
    return 415;
  }
  if (attempt.method == "OPTIONS") return 200;
  if (rest_observer::find_route(attempt.path, attempt.method) == nullptr) return 405;
  return std::nullopt;
}

bool is_refusal(int status) {
  return status == 401 || status == 403 || status == 405 || status == 415;
}

/// A body that no tool can act on, so that the matrix moves nothing: only that it got there counts.
constexpr const char* kBody = R"({"action":"none","any_of":[],"window_uid":"gone"})";

std::string target_of(const Route& route) {
  std::string target(route.path);
  for (const char* name : {"{name}", "{snapshot_id}", "{file}"}) {
    const std::size_t at = target.find(name);
    if (at != std::string::npos) target.replace(at, std::string(name).size(), "list_windows");
  }
  return target;
}

class Matrix {
 public:
  explicit Matrix(bool with_token)
      : with_token_(with_token),
        server_(std::string("{port: 0, cors_origins: [\"") + kListed + "\"]" +
                (with_token ? std::string(", bearer_token: ") + kToken : "") + "}"),
        client_(std::make_unique<testkit::HttpClient>("127.0.0.1", server_.port())) {}

  void run() {
    std::string_view last;
    for (const Route& route : rest_observer::all_routes()) {
      if (route.path == last) continue;
      last = route.path;
      run_path(route);
    }
    CHECK(attempts_ > 5000);
  }

 private:
  void run_path(const Route& route) {
    Attempt attempt{std::string(route.path),
                    target_of(route),
                    {},
                    nullptr,
                    nullptr,
                    nullptr,
                    nullptr,
                    rest_observer::needs_no_token(route)};
    for (const char* method : kMethods) {
      attempt.method = method;
      for (const Who& host : kHosts) {
        attempt.host = &host;
        for (const Who& origin : kOrigins) {
          attempt.origin = &origin;
          run_credentials(attempt);
        }
      }
    }
  }

  void run_credentials(Attempt& attempt) {
    for (const Who& token : kTokens) {
      attempt.token = with_token_ ? &token : nullptr;
      for (const Who& type : kTypes) {
        attempt.type = &type;
        try_one(attempt);
        if (attempt.method != "POST") break;  // nothing else has a body
      }
      if (!with_token_) break;
    }
  }

  void try_one(const Attempt& attempt) {
    testkit::Headers headers;
    for (const Who* who : {attempt.host, attempt.origin, attempt.token, attempt.type}) {
      if (who != nullptr && who->value != nullptr) headers.emplace_back(who->name, who->value);
    }
    if (attempt.method == "OPTIONS" && attempt.origin->value != nullptr) {
      headers.emplace_back("access-control-request-method", "POST");
    }
    const std::string_view body = attempt.method == "POST" ? kBody : "";
    const testkit::HttpReply reply =
        client_->request(attempt.method, attempt.target, headers, body);
    if (reply.header("connection") == "close") {
      client_ = std::make_unique<testkit::HttpClient>("127.0.0.1", server_.port());
    }
    ++attempts_;
    const std::optional<int> expected = refusal_of(attempt);
    const bool good = expected ? reply.status == *expected : !is_refusal(reply.status);
    if (good) return;
    INFO(describe(attempt) << "\nbody: " << reply.body.substr(0, 300));
    CHECK(reply.status == expected.value_or(200));
  }

  static std::string describe(const Attempt& attempt) {
    std::string out = attempt.method + " " + attempt.target;
    for (const Who* who : {attempt.host, attempt.origin, attempt.token, attempt.type}) {
      if (who == nullptr) continue;
      out += std::string("\n  ") + who->name + ": " + (who->value ? who->value : "(none)");
    }
    return out;
  }

  bool with_token_;
  ObserverServer server_;
  std::unique_ptr<testkit::HttpClient> client_;
  std::size_t attempts_ = 0;
};

TEST_CASE("every route asks who is there, in the same order") { Matrix(false).run(); }

TEST_CASE("with a token every route but the page asks for it, and preflights pass") {
  Matrix(true).run();
}

TEST_CASE("what others serve beside the observer asks for its token too") {
  ObserverServer server(std::string("{port: 0, bearer_token: ") + kToken + "}");
  Bus& bus = server.kernel().host().bus();
  REQUIRE(bus.serve<HttpHandle>(
                 [](const HttpRequest&) -> Result<HttpResponse> { return HttpResponse{}; })
              .ok());
  MountRequest mount;
  mount.listener = "observer";
  mount.routes.emplace_back();
  mount.routes.back().path = "/beside";
  REQUIRE(bus.call_wait<HttpMount>(mount).ok());
  testkit::HttpClient client("127.0.0.1", server.port());
  CHECK(client.get("/beside").status == 401);
  CHECK(client.get("/beside", {{"authorization", "Bearer opensesame"}}).status == 200);
  CHECK(client.get("/").status == 200);
}

TEST_CASE("a page of another origin cannot raise a window by a link, an image or a form") {
  ObserverServer server("{port: 0}");
  struct Row {
    testkit::Headers headers;
    int status;
  };
  const Row rows[] = {{{}, 200},
                      {{{"sec-fetch-site", "none"}}, 200},
                      {{{"sec-fetch-site", "same-origin"}}, 200},
                      {{{"sec-fetch-site", "cross-site"}}, 403},
                      {{{"sec-fetch-site", "same-site"}}, 403},
                      {{{"sec-fetch-site", ""}, {"referer", "http://evil.example/page"}}, 403},
                      {{{"referer", "https://evil.example"}}, 403},
                      {{{"origin", "null"}}, 403}};
  for (const Row& row : rows) {
    testkit::HttpClient client("127.0.0.1", server.port());
    INFO((row.headers.empty() ? "no header" : row.headers.back().second));
    const auto reply = client.get("/api/bring_to_foreground?window_index=0", row.headers);
    INFO(reply.body);
    CHECK(reply.status == row.status);
  }
  testkit::HttpClient client("127.0.0.1", server.port());
  const auto own = "http://127.0.0.1:" + std::to_string(server.port());
  CHECK(client.get("/api/bring_to_foreground?window_index=0", {{"referer", own + "/"}}).status ==
        200);
  CHECK(client.request("HEAD", "/api/bring_to_foreground?window_index=0").status == 405);
}

}  // namespace
}  // namespace gantry::conformance
