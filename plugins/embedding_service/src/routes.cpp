// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <gantry/agent_http/answers.hpp>
#include <gantry/agent_http/text.hpp>
#include <gantry/contracts/embedding.hpp>
#include <gantry/embedding/answers.hpp>
#include <gantry/embedding/failure.hpp>
#include <gantry/embedding/vectors.hpp>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

namespace gantry::embedding_service {
namespace {

namespace json = boost::json;
using agent_http::Exchange;

constexpr std::array kEmbed = {agent_http::Field{.name = "texts",
                                                 .kind = agent_http::FieldKind::Texts,
                                                 .required = true,
                                                 .min = 1,
                                                 .max = embedding::kMostTexts,
                                                 .item_max = embedding::kLongestText,
                                                 .item_min = 1}};

const Settings& settings_of(const Exchange& exchange) {
  return static_cast<const ServiceExchange&>(exchange).settings();
}

bool same_key(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::optional<HttpResponse> embed_key(const Exchange& exchange) {
  const std::string& key = settings_of(exchange).api_key;
  if (key.empty()) {
    return agent_http::detail(503, "Embedding service authentication is not configured");
  }
  const std::string_view given =
      agent_http::trim(agent_http::header_of(exchange.request(), "x-windie-embedding-key"));
  if (given.empty()) return agent_http::detail(401, "Missing embedding service credentials");
  if (same_key(given, key)) return std::nullopt;
  return agent_http::detail(403, "Invalid embedding service credentials");
}

HttpResponse json_text(std::string body) {
  HttpResponse response;
  response.content_type = "application/json";
  response.body = Buffer::of(std::move(body));
  return response;
}

/// The space under the name that this service gives it.
EmbeddingSpace named(const Exchange& exchange, EmbeddingSpace space) {
  const std::string& name = settings_of(exchange).provider_id;
  if (name.empty()) return space;
  space.provider_id = name;
  space.embedding_space_version = space_version(space);
  return space;
}

std::string vectors_text(const EmbedResult& result, const EmbeddingSpace& space) {
  std::string body = R"({"embeddings":[)";
  for (std::size_t i = 0; i < result.embeddings.size(); ++i) {
    if (i > 0) body += ',';
    embedding::append_vector(result.embeddings[i].values, body);
  }
  body += "],";
  embedding::append_space(space, body);
  fmt::format_to(std::back_inserter(body), R"(,"queue_wait_ms":{:.3f},"service_time_ms":{:.3f}}})",
                 result.queue_wait_ms, result.service_time_ms);
  return body;
}

HttpResponse refusal(const Error& error) {
  if (const auto failure = embedding::failure_of(error)) {
    return agent_http::detail_object(failure->status_code,
                                     embedding::failure_text(*failure, error.message));
  }
  if (error.code == Code::Unavailable) {
    return agent_http::detail(503, "Embedding provider not available");
  }
  return agent_http::detail(500, "Embedding generation failed: An internal error occurred");
}

/// All texts together may be so long.
std::optional<agent_http::Issue> too_long(const json::value& body, const json::array& texts) {
  std::size_t all = 0;
  for (const json::value& text : texts) all += agent_http::characters(text.get_string());
  if (all <= embedding::kMostCharacters) return std::nullopt;
  return agent_http::Issue{
      "value_error",
      {"body"},
      fmt::format("Value error, texts exceed {} characters in total", embedding::kMostCharacters),
      body,
      json::object{{"error", json::object()}}};
}

void embed(Exchange& exchange) {
  const json::array& texts = exchange.members().at("texts").get_array();
  if (const auto issue = too_long(exchange.body, texts)) {
    return exchange.answer(agent_http::invalid({*issue}));
  }
  EmbedRequest request;
  for (const json::value& text : texts) request.texts.emplace_back(text.get_string());
  auto self = exchange.shared_from_this();
  CallOptions options;
  options.timeout = embedding::kCallLimit;
  exchange.host().bus().call<Embed>(
      std::move(request),
      [self](const Result<Ref<EmbedResult>>& done) {
        if (!done.ok()) return self->fail(done.error(), refusal(done.error()));
        self->answer(json_text(vectors_text(**done, named(*self, (*done)->space))));
      },
      options);
}

void health(Exchange& exchange) {
  auto self = exchange.shared_from_this();
  exchange.host().bus().call<EmbeddingHealth>({}, [self](const Result<Ref<EmbeddingSpace>>& done) {
    if (done.ok()) return self->answer(json_text(embedding::healthy_text(named(*self, **done))));
    const bool none = done.error().code == Code::Unavailable;
    self->fail(done.error(), agent_http::detail(503, none ? "Embedding provider not available"
                                                          : "Embedding service unhealthy"));
  });
}

const agent_http::Model kEmbedBody{kEmbed, true};
const std::array<agent_http::Route, 2> kRoutes = {{
    {"POST", "/embed", &embed_key, &kEmbedBody, &embed},
    {"GET", "/health", nullptr, nullptr, &health},
}};

}  // namespace

std::span<const agent_http::Route> all_routes() { return kRoutes; }

}  // namespace gantry::embedding_service
