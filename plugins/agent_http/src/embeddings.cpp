// SPDX-License-Identifier: Apache-2.0
//
// Embeddings: what a provider says, in the words of this protocol.
#include <gantry/codec.hpp>
#include <gantry/contracts/embedding.hpp>
#include <gantry/embedding/answers.hpp>
#include <gantry/embedding/failure.hpp>
#include <gantry/embedding/vectors.hpp>

#include <memory>
#include <string>
#include <utility>

#include "handlers.hpp"

namespace gantry::agent_http {
namespace {

HttpResponse json_text(std::string body) {
  HttpResponse response;
  response.content_type = "application/json";
  response.body = Buffer::of(std::move(body));
  return response;
}

std::string unhealthy_text(std::string_view message) {
  return R"({"status":"unhealthy","message":")" + std::string(message) + "\"}";
}

std::string embedding_text(const EmbedResult& result) {
  std::string body = R"({"embedding":)";
  embedding::append_vector(result.embeddings.front().values, body);
  body += ',';
  embedding::append_space(result.space, body);
  body += '}';
  return body;
}

HttpResponse embedding_refusal(const Error& error) {
  const auto failure = embedding::failure_of(error);
  if (failure) {
    const bool away = failure->code == "provider_unavailable" || failure->code == "circuit_open" ||
                      failure->code == "capacity_exceeded";
    return detail_object(away ? 503 : 502, embedding::failure_text(*failure, error.message));
  }
  if (error.code == Code::Unavailable) return detail(503, "Embedding service not available");
  return detail(500, "Embedding generation failed: An internal error occurred");
}

}  // namespace

void embed(Exchange& exchange) {
  auto self = exchange.shared_from_this();
  EmbedRequest request;
  request.texts = {text_of(exchange.members(), "text")};
  request.model_name = text_of(exchange.members(), "model_name", "default");
  CallOptions options;
  options.timeout = embedding::kCallLimit;
  exchange.host().bus().call<Embed>(
      std::move(request),
      [self](const Result<Ref<EmbedResult>>& done) {
        if (!done.ok()) return self->fail(done.error(), embedding_refusal(done.error()));
        if ((*done)->embeddings.size() != 1) {
          const Error none = internal_error("the provider made no embedding");
          return self->fail(none, embedding_refusal(none));
        }
        self->answer(json_text(embedding_text(**done)));
      },
      options);
}

void embeddings_health(Exchange& exchange) {
  auto self = exchange.shared_from_this();
  exchange.host().bus().call<EmbeddingHealth>({}, [self](const Result<Ref<EmbeddingSpace>>& done) {
    if (done.ok()) return self->answer(json_text(embedding::healthy_text(**done)));
    const bool none = done.error().code == Code::Unavailable;
    self->answer(json_text(
        unhealthy_text(none ? "Embedding provider not available" : "Health check failed")));
  });
}

}  // namespace gantry::agent_http
