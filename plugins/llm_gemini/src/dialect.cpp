// SPDX-License-Identifier: Apache-2.0
#include "dialect.hpp"

#include <Poco/URI.h>
#include <gantry/llm/json.hpp>
#include <gantry/llm/listed_model.hpp>

#include <algorithm>

namespace gantry::gemini {
namespace {

/// The key goes in a header: addresses end up in logs.
llm::HttpRequest make_request(const llm::Endpoint& endpoint, const std::string& path) {
  llm::HttpRequest out;
  out.url = endpoint.base_url + path;
  out.headers = {{"Content-Type", "application/json"}, {"x-goog-api-key", endpoint.api_key.value}};
  return out;
}

/// The name of a model as a part of an address; it may come from anybody.
std::string in_path(const std::string& model) {
  std::string out;
  Poco::URI::encode(model, "/?#:%&=+ ", out);
  return "/models/" + out;
}

bool generates(const boost::json::value& entry) {
  const auto& methods = llm::array_of(entry, "supportedGenerationMethods");
  return std::any_of(methods.begin(), methods.end(), [](const boost::json::value& method) {
    return method.is_string() && method.get_string() == "generateContent";
  });
}

}  // namespace

Result<llm::HttpRequest> Dialect::chat_request(const LlmChatRequest& request,
                                               const llm::Endpoint& endpoint,
                                               const LlmModel& model) const {
  llm::HttpRequest out =
      make_request(endpoint, in_path(model.id) + ":streamGenerateContent?alt=sse");
  out.body = content_body(request, endpoint, model);
  return out;
}

std::unique_ptr<llm::ChatReader> Dialect::reader(const LlmChatRequest&,
                                                 const llm::Endpoint& endpoint,
                                                 llm::Answer& answer) const {
  return content_reader(answer, endpoint);
}

llm::HttpRequest Dialect::models_request(const llm::Endpoint& endpoint,
                                         const std::string& page) const {
  std::string path = "/models?pageSize=1000";
  if (!page.empty()) {
    std::string token;
    Poco::URI::encode(page, "/?#:%&=+ ", token);
    path += "&pageToken=" + token;
  }
  llm::HttpRequest out = make_request(endpoint, path);
  out.method = "GET";
  return out;
}

std::vector<LlmModel> Dialect::read_models(std::string_view body, const llm::Endpoint& endpoint,
                                           std::string& next) const {
  std::vector<LlmModel> models;
  next.clear();
  (void)llm::read_json(body, [&](const boost::json::value& root) {
    for (const auto& entry : llm::array_of(root, "models")) {
      constexpr std::string_view kBefore = "models/";
      std::string_view name = llm::text_of(entry, "name");
      if (name.starts_with(kBefore)) name.remove_prefix(kBefore.size());
      if (name.empty() || !generates(entry)) continue;
      LlmModel model = llm::listed_model(*this, endpoint, name, llm::text_of(entry, "displayName"));
      if (const auto window = llm::number_of(entry, "inputTokenLimit")) {
        model.context_window = window;
      }
      if (const auto most = llm::number_of(entry, "outputTokenLimit")) {
        model.max_output_tokens = most;
      }
      models.push_back(std::move(model));
    }
    next = llm::text_of(root, "nextPageToken");
  });
  return models;
}

std::optional<llm::HttpRequest> Dialect::count_request(const LlmCountRequest& request,
                                                       const llm::Endpoint& endpoint) const {
  llm::HttpRequest out = make_request(endpoint, in_path(request.model) + ":countTokens");
  out.body = count_body(request);
  return out;
}

std::optional<std::int64_t> Dialect::read_count(std::string_view body) const {
  return llm::number_of(llm::parse_or_null(body), "totalTokens");
}

}  // namespace gantry::gemini
