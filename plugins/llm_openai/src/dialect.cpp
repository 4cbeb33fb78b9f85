// SPDX-License-Identifier: Apache-2.0
#include "dialect.hpp"

#include <algorithm>
#include <cctype>

namespace gantry::openai {
namespace {

constexpr std::string_view kHost = "api.openai.com";  // and us., eu., … in front of it

void add_headers(llm::HttpRequest& request, const llm::Endpoint& endpoint) {
  request.headers.emplace_back("Accept", "text/event-stream, application/json");
  if (!endpoint.api_key.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + endpoint.api_key.value);
  }
}

}  // namespace

bool is_openai(const llm::Endpoint& endpoint) {
  std::string host = endpoint.base_url;
  if (const auto at = host.find("://"); at != host.npos) host.erase(0, at + 3);
  host.resize(std::min(host.find_first_of(":/"), host.size()));
  for (char& c : host) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return host == kHost || (host.ends_with(kHost) && host[host.size() - kHost.size() - 1] == '.');
}

Result<llm::HttpRequest> Dialect::chat_request(const LlmChatRequest& request,
                                               const llm::Endpoint& endpoint,
                                               const LlmModel& model) const {
  llm::HttpRequest out;
  const bool responses = endpoint.api == kResponses;
  out.url = endpoint.base_url + (responses ? "/responses" : "/chat/completions");
  out.headers.emplace_back("Content-Type", "application/json");
  add_headers(out, endpoint);
  out.body = responses ? responses_body(request, model) : chat_body(request, endpoint, model);
  return out;
}

std::unique_ptr<llm::ChatReader> Dialect::reader(const LlmChatRequest&,
                                                 const llm::Endpoint& endpoint,
                                                 llm::Answer& answer) const {
  return endpoint.api == kResponses ? responses_reader(answer, endpoint)
                                    : chat_reader(answer, endpoint);
}

llm::HttpRequest Dialect::models_request(const llm::Endpoint& endpoint, const std::string&) const {
  llm::HttpRequest out;
  out.method = "GET";
  out.url = endpoint.base_url + "/models";
  add_headers(out, endpoint);
  return out;
}

}  // namespace gantry::openai
