// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/llm/dialect.hpp>

using namespace gantry::llm;

namespace {

Endpoint endpoint() {
  Endpoint out;
  out.name = "lab";
  out.api_key.value = "k-1234567890";
  return out;
}

}  // namespace

TEST_CASE("refusals are understood by their words before their status") {
  const auto [status, body, kind] = GENERATE(table<int, const char*, const char*>({
      {400, R"({"error":{"message":"This model's maximum context length is 10 tokens"}})",
       "context_overflow"},
      {400,
       R"({"type":"error","error":{"type":"invalid_request_error",)"
       R"("message":"prompt is too long: 5"}})",
       "context_overflow"},
      {400,
       R"({"error":{"code":400,"status":"INVALID_ARGUMENT",)"
       R"("message":"The input token count (9) exceeds"}})",
       "context_overflow"},
      {400,
       R"({"error":{"code":400,"status":"INVALID_ARGUMENT","message":"no",)"
       R"("details":[{"reason":"API_KEY_INVALID"}]}})",
       "bad_key"},
      {500, R"({"error":{"message":"the request exceeds the available context size"}})",
       "context_overflow"},
      {429,
       R"({"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"pay"}})",
       "quota"},
      {429, "slow down", "rate_limit"},
      {400, R"({"error":"model 'x' not found, try pulling it first"})", "bad_request"},
      {404, R"({"error":"model 'x' not found, try pulling it first"})", "unknown_model"},
      {422, R"({"detail":"extra fields"})", "bad_request"},
      {503, "", "overloaded"},
      {529, R"({"type":"error","error":{"type":"overloaded_error","message":"busy"}})",
       "overloaded"},
      {503, R"([{"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}}])", "overloaded"},
      {302, "<html>", "bad_request"},
  }));
  const Failure failure = http_failure({status, {}}, body, endpoint(), 0);
  INFO(body);
  CHECK(kind_of(failure.trouble) == kind);
  CHECK(failure.detail.http_status == status);
  CHECK_THAT(failure.message, Catch::StartsWith("lab answered " + std::to_string(status)));
}

TEST_CASE("the wait that a provider asks for is found wherever it says it") {
  const auto [name, value, body, expected] =
      GENERATE(table<const char*, const char*, const char*, std::int64_t>({
          {"retry-after", "2", "{}", 2000},
          {"retry-after", "1.5", "{}", 1500},
          {"retry-after-ms", "250", "{}", 250},
          {"retry-after", "Thu, 01 Jan 1970 00:00:10 GMT", "{}", 7000},
          {"retry-after", "Thu, 01 Jan 1970 00:00:01 GMT", "{}", 0},
          {"x", "", R"({"error":{"details":[{"retryDelay":"3.5s"}]}})", 3500},
      }));
  HttpHead head{429, {}};
  head.headers[name] = value;
  const Failure failure = http_failure(head, body, endpoint(), 3'000'000'000);
  INFO(value << body);
  CHECK(failure.detail.retry_after_ms == expected);
}

TEST_CASE("a wait that nobody can read is none") {
  const std::string value = GENERATE("soon", "-5", "1e99", "");
  HttpHead head{429, {{"retry-after", value}}};
  CHECK_FALSE(http_failure(head, "{}", endpoint(), 0).detail.retry_after_ms);
}

TEST_CASE("a wait is told in words") {
  const auto [value, body, words] = GENERATE(table<const char*, const char*, const char*>({
      {"20", "slow", "lab answered 429: slow; the model server asks to wait 20 s"},
      {"1.2", "Slow down.", "lab answered 429: Slow down. The model server asks to wait 2 s."},
      {"3600", "", "lab answered 429; the model server asks to wait 60 min"},
      {"0", "slow", "lab answered 429: slow"},
  }));
  CHECK(http_failure({429, {{"retry-after", value}}}, body, endpoint(), 0).message == words);
  CHECK(
      stream_failure(R"({"error":{"message":"slow","details":[{"retryDelay":"3s"}]}})", endpoint())
          .message ==
      "lab ended its answer with an error: slow; the model server asks to wait 3 s");
}

TEST_CASE("a web page is told as one, with what may be wrong with the address") {
  const auto [status, api, url, words] =
      GENERATE(table<int, const char*, const char*, const char*>({
          {200, "chat", "http://127.0.0.1:3000",
           "lab answered 200 with a web page, which is no answer of a model server (cure: check "
           "its base_url: is the path /v1 missing?)"},
          {404, "chat", "http://127.0.0.1:3000/api",
           "lab answered 404 with a web page, which is no answer of a model server (cure: check "
           "its base_url)"},
          {405, "", "http://127.0.0.1:3000",
           "lab answered 405 with a web page, which is no answer of a model server (cure: check "
           "its base_url)"},
          {502, "chat", "http://127.0.0.1:3000", "lab answered 502 with a web page"},
      }));
  Endpoint at = endpoint();
  at.api = api;
  at.base_url = url;
  const HttpHead head{status, {{"content-type", "Text/HTML; charset=utf-8"}}};
  const Failure failure = http_failure(head, "<html>prompt is too long", at, 0);
  CHECK(is_web_page(head));
  CHECK(failure.message == words);
  CHECK(kind_of(failure.trouble) == (status == 502 ? "overloaded" : "unknown_model"));
  CHECK_FALSE(is_web_page({200, {{"content-type", "text/event-stream"}}}));
}

TEST_CASE("words are told with the provider's name in front, once") {
  CHECK(named(endpoint(), "no answer") == "lab: no answer");
  CHECK(named(endpoint(), "lab answered 500") == "lab answered 500");
  CHECK(named(endpoint(), "lab: no answer") == "lab: no answer");
  CHECK(named(endpoint(), "labour is short") == "lab: labour is short");
}

TEST_CASE("words of a provider are told without keys and control characters, and not at length") {
  const Endpoint at = endpoint();
  CHECK(redact("Incorrect key k-1234567890.", at) == "Incorrect key ***.");
  CHECK(redact("sk-proj-abcdefghijkl is wrong", at) == "*** is wrong");
  CHECK(redact("key AIzaSyA1234567890\nline", at) == "key *** line");
  CHECK(redact("a sk-short word", at) == "a sk-short word");
  CHECK(redact(std::string(5000, 'a'), at).size() < 700);
  CHECK(redact(std::string(599, 'a') + "öö", at) == std::string(599, 'a') + "…");
}

TEST_CASE("proxies are for others than this machine") {
  ::unsetenv("no_proxy");
  ::unsetenv("NO_PROXY");
  CHECK(gantry::http::proxy_for("https", "127.0.0.1", "http://p:1").empty());
  CHECK(gantry::http::proxy_for("https", "localhost", "http://p:1").empty());
  CHECK(gantry::http::proxy_for("https", "example.org", "http://p:1") == "http://p:1");
  ::setenv("HTTPS_PROXY", "http://e:2", 1);
  CHECK(gantry::http::proxy_for("https", "api.example.org", "") == "http://e:2");
  ::setenv("NO_PROXY", "other.org, .example.org", 1);
  CHECK(gantry::http::proxy_for("https", "api.example.org", "").empty());
  CHECK(gantry::http::proxy_for("https", "notexample.org", "") == "http://e:2");
  ::unsetenv("HTTPS_PROXY");
  ::unsetenv("NO_PROXY");
}
