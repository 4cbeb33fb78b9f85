// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>
#include <gantry/embedding/failure.hpp>

GANTRY_INSTANTIATE(gantry::embed_http::Settings)

namespace gantry::embed_http {

Result<Settings> read_settings(
    std::string_view json, const std::function<std::optional<std::string>(const char*)>& variable) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  if (settings.is_openai() && settings.base_url.empty()) {
    settings.base_url = "https://api.openai.com/v1";
  }
  while (settings.base_url.ends_with('/')) settings.base_url.pop_back();
  if (settings.api_key.empty()) {
    const char* name = settings.is_openai() ? "OPENAI_API_KEY" : "WINDIE_EMBEDDING_SERVICE_API_KEY";
    settings.api_key = variable(name).value_or("");
  }
  return settings;
}

Result<void> check(const Settings& settings) {
  const auto lacks = [&](std::string_view reason, std::string_view cure) {
    return embedding::missing(settings.provider_id(), reason, cure);
  };
  if (settings.protocol == "off") {
    return lacks("no server for embeddings is configured", "set embed_http.protocol and base_url");
  }
  const bool http =
      settings.base_url.starts_with("http://") || settings.base_url.starts_with("https://");
  if (!http) {
    return lacks("embed_http.base_url is not an address that begins with http:// or https://",
                 "set embed_http.base_url");
  }
  // Some servers of this kind want no key; OpenAI itself and embedding services do.
  const bool official = settings.base_url.starts_with("https://api.openai.com");
  if (!settings.api_key.empty() || (settings.is_openai() && !official)) return {};
  return lacks("there is no key for " + settings.base_url,
               settings.is_openai() ? "set embed_http.api_key or OPENAI_API_KEY"
                                    : "set embed_http.api_key or WINDIE_EMBEDDING_SERVICE_API_KEY");
}

}  // namespace gantry::embed_http
