// SPDX-License-Identifier: Apache-2.0
#include "api.hpp"

#include <gantry/contracts/kernel.hpp>

#include <memory>
#include <utility>

#include "routes.hpp"

namespace gantry::control {
namespace {

// The one answer that is not JSON.
HttpResponse metrics_text(const std::string& json) {
  const auto metrics = from_json<MetricsText>(json);
  if (!metrics.ok()) return refusal(metrics.error());
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = Buffer::copy(metrics->text);
  return response;
}

}  // namespace

void Api::handle(const HttpRequest& request, Reply<HttpHandle> reply) {
  auto question = read_question(request, max_timeout_ms_);
  if (!question.ok()) return reply(refusal(question.error()));
  CallOptions options;
  options.timeout = std::chrono::milliseconds(question->timeout_ms);
  options.target = question->target;
  auto shared = std::make_shared<Reply<HttpHandle>>(std::move(reply));
  host_.bus().call_json(
      question->contract, question->json,
      [shared, is_text = question->is_text](Result<std::string> result) {
        if (!result.ok()) return (*shared)(refusal(result.error()));
        (*shared)(is_text ? metrics_text(*result) : answer(*result));
      },
      options);
}

}  // namespace gantry::control
