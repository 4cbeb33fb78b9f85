// SPDX-License-Identifier: Apache-2.0
#include "dialect.hpp"

#include <gantry/llm/json.hpp>
#include <gantry/llm/listed_model.hpp>

namespace gantry::anthropic {
namespace {

llm::HttpRequest make_request(const llm::Endpoint& endpoint, std::string_view path) {
  llm::HttpRequest out;
  out.url = endpoint.base_url + std::string(path);
  out.headers = {{"Content-Type", "application/json"},
                 {"anthropic-version", "2023-06-01"},
                 {"x-api-key", endpoint.api_key.value}};
  return out;
}

}  // namespace

Result<llm::HttpRequest> Dialect::chat_request(const LlmChatRequest& request,
                                               const llm::Endpoint& endpoint,
                                               const LlmModel& model) const {
  llm::HttpRequest out = make_request(endpoint, "/v1/messages");
  out.headers.emplace_back("Accept", "text/event-stream");
  out.body = messages_body(request, endpoint, model);
  return out;
}

std::unique_ptr<llm::ChatReader> Dialect::reader(const LlmChatRequest&,
                                                 const llm::Endpoint& endpoint,
                                                 llm::Answer& answer) const {
  return messages_reader(answer, endpoint);
}

llm::HttpRequest Dialect::models_request(const llm::Endpoint& endpoint,
                                         const std::string& page) const {
  llm::HttpRequest out = make_request(
      endpoint, "/v1/models?limit=1000" + (page.empty() ? std::string() : "&after_id=" + page));
  out.method = "GET";
  return out;
}

std::vector<LlmModel> Dialect::read_models(std::string_view body, const llm::Endpoint& endpoint,
                                           std::string& next) const {
  std::vector<LlmModel> models;
  next.clear();
  (void)llm::read_json(body, [&](const boost::json::value& root) {
    for (const auto& entry : llm::array_of(root, "data")) {
      const std::string_view id = llm::text_of(entry, "id");
      if (id.empty()) continue;
      LlmModel model = llm::listed_model(*this, endpoint, id, llm::text_of(entry, "display_name"));
      if (const auto window = llm::number_of(entry, "max_input_tokens")) {
        model.context_window = window;
      }
      if (const auto most = llm::number_of(entry, "max_tokens")) model.max_output_tokens = most;
      models.push_back(std::move(model));
    }
    const auto* more = llm::member(root, "has_more");
    if (more != nullptr && more->is_bool() && more->get_bool()) {
      next = llm::text_of(root, "last_id");
    }
  });
  return models;
}

std::optional<llm::HttpRequest> Dialect::count_request(const LlmCountRequest& request,
                                                       const llm::Endpoint& endpoint) const {
  llm::HttpRequest out = make_request(endpoint, "/v1/messages/count_tokens");
  out.body = count_body(request);
  return out;
}

std::optional<std::int64_t> Dialect::read_count(std::string_view body) const {
  return llm::number_of(llm::parse_or_null(body), "input_tokens");
}

}  // namespace gantry::anthropic
