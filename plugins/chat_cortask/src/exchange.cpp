// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include <gantry/codec.hpp>
#include <gantry/http_status.hpp>

#include <algorithm>
#include <charconv>

namespace gantry::chat_cortask {
namespace {

constexpr const char* kJson = "application/json; charset=utf-8";

}  // namespace

std::string_view header(const HttpRequest& request, std::string_view name) {
  for (const HttpHeader& row : request.headers) {
    if (row.name == name) return row.value;
  }
  return {};
}

std::optional<std::string> Exchange::query(std::string_view name) const {
  for (const HttpParameter& row : request_->query) {
    if (row.name == name) return row.value;
  }
  return std::nullopt;
}

std::int64_t Exchange::number(std::string_view name, std::int64_t usual, std::int64_t low,
                              std::int64_t high) const {
  const std::string given = query(name).value_or("");
  std::int64_t value = usual;
  const auto [end, problem] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (problem != std::errc() || end != given.data() + given.size()) return usual;
  return std::clamp(value, low, high);
}

std::optional<std::string> Exchange::text(std::string_view name) const {
  const boost::json::value* found = body.if_contains(name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->get_string());
}

void Exchange::answer(HttpResponse response) {
  if (reply_) std::exchange(reply_, nullptr)(std::move(response));
}

void Exchange::json(std::string text, int status) {
  HttpResponse response;
  response.status = status;
  response.content_type = kJson;
  response.body = Buffer::of(std::move(text));
  answer(std::move(response));
}

void Exchange::error(int status, std::string_view text) {
  std::string body = "{\"error\":";
  codec::write_string(body, text);
  body += '}';
  json(std::move(body), status);
}

void Exchange::fail(const Error& problem) {
  const int status = http_status_of(problem.code);
  if (status >= 500) {
    host().log().warn("a request failed", {{"path", request().path}, {"reason", problem.message}});
  }
  error(status, problem.message);
}

void Exchange::nothing() {
  HttpResponse response;
  response.status = 204;
  answer(std::move(response));
}

std::function<void(Result<void>)> Exchange::then_json(std::string json_text) {
  return [self = shared_from_this(), json_text = std::move(json_text)](const Result<void>& done) {
    if (!done.ok()) return self->fail(done.error());
    if (json_text.empty()) return self->nothing();
    self->json(json_text);
  };
}

}  // namespace gantry::chat_cortask
