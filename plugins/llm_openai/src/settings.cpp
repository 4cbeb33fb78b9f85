// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <gantry/codec.hpp>

#include <set>

#include "dialect.hpp"

namespace gantry::openai {
namespace {

struct EndpointSettings {
  std::string name;
  std::string base_url;
  std::string api_key;
  std::string api;
  std::optional<bool> requires_key;
  bool discover = true;
  std::vector<llm::ModelSettings> models;
};
BOOST_DESCRIBE_STRUCT(EndpointSettings, (),
                      (name, base_url, api_key, api, requires_key, discover, models))

struct Settings {
  std::string api = "auto";
  std::vector<EndpointSettings> endpoints;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (api, endpoints))

constexpr llm::Vendor kOpenAi{
    "openai", "https://api.openai.com/v1", "responses", "OPENAI_API_KEY", "", "OPENAI_BASE_URL"};
/// Present without configuration, and unavailable until a key is known.
constexpr std::array kOthers{
    llm::Vendor{"openrouter", "https://openrouter.ai/api/v1", kChat, "OPENROUTER_API_KEY", "", ""},
    llm::Vendor{"mistral", "https://api.mistral.ai/v1", kChat, "MISTRAL_API_KEY", "", ""},
    llm::Vendor{"kimi_coding", "https://api.kimi.com/coding/v1", kChat, "KIMI_API_KEY", "", ""},
};
/// Known by name, so that `- name: ollama` is enough.
constexpr std::array kLocal{
    llm::Vendor{"ollama", "http://127.0.0.1:11434/v1", kChat, "", "", "", false},
    llm::Vendor{"llama_server", "http://127.0.0.1:8080/v1", kChat, "", "", "", false},
    llm::Vendor{"vllm", "http://127.0.0.1:8000/v1", kChat, "", "", "", false},
    llm::Vendor{"litellm", "http://127.0.0.1:4000/v1", kChat, "LITELLM_API_KEY", "", "", false},
    llm::Vendor{"openwebui", "http://127.0.0.1:3000/api", kChat, "OWUI_API_KEY", "", ""},
};

llm::Vendor vendor_named(std::string_view name) {
  for (const llm::Vendor& vendor : kOthers) {
    if (vendor.name == name) return vendor;
  }
  for (const llm::Vendor& vendor : kLocal) {
    if (vendor.name == name) return vendor;
  }
  return {name, "", kChat, "", "", "", false};
}

void add_hint(llm::Endpoint& endpoint, const llm::Vendor& vendor) {
  endpoint.key_hint = "set `api_key` of its entry in the key `endpoints` of llm_openai";
  if (vendor.key_variable.empty()) return;
  endpoint.key_hint += ", or the environment variable " + std::string(vendor.key_variable);
}

Result<llm::CatalogueEndpoint> configured(const EndpointSettings& settings,
                                          const llm::ProviderSettings& common, bool meant) {
  const llm::Vendor vendor = vendor_named(settings.name);
  llm::ProviderSettings own = common;
  own.api_key = settings.api_key;
  own.base_url = settings.base_url;
  own.models = settings.models;
  own.discover = settings.discover;
  llm::CatalogueEndpoint place = llm::make_endpoint(vendor, own, kPlugin);
  place.meant = meant;
  add_hint(place.endpoint, vendor);
  if (place.endpoint.base_url.empty()) {
    return invalid_argument("endpoints: '" + settings.name + "' needs base_url");
  }
  if (!settings.api.empty() && settings.api != "auto") place.endpoint.api = settings.api;
  if (settings.requires_key) place.endpoint.requires_key = *settings.requires_key;
  return place;
}

}  // namespace

Result<std::vector<llm::CatalogueEndpoint>> read_endpoints(const llm::ProviderSettings& common,
                                                           const std::string& config) {
  GANTRY_ASSIGN(const Settings settings, from_json<Settings>(config));
  llm::ProviderSettings openai = common;
  // Where there are other servers it may be a model of theirs, and OpenAI is not meant.
  if (!settings.endpoints.empty()) openai.default_model.clear();
  std::vector<llm::CatalogueEndpoint> places{llm::make_endpoint(kOpenAi, openai, kPlugin)};
  llm::Endpoint& first = places.front().endpoint;
  if (settings.api != "auto") {
    first.api = settings.api;
  } else if (!is_openai(first)) {
    first.api = kChat;  // what every other server of this kind has
  }
  if (!is_openai(first)) {
    first.key_hint += "; a server that wants no key belongs in the key `endpoints`";
  }
  std::set<std::string> names{"openai"};
  for (const EndpointSettings& entry : settings.endpoints) {
    if (entry.name.empty()) return invalid_argument("endpoints: every entry needs a name");
    if (!names.insert(entry.name).second) {
      return invalid_argument("endpoints: the name '" + entry.name + "' is there twice");
    }
    GANTRY_ASSIGN(llm::CatalogueEndpoint place, configured(entry, common, true));
    places.push_back(std::move(place));
  }
  for (const llm::Vendor& vendor : kOthers) {
    if (names.contains(std::string(vendor.name))) continue;
    EndpointSettings entry;
    entry.name = vendor.name;
    GANTRY_ASSIGN(llm::CatalogueEndpoint place, configured(entry, common, false));
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace gantry::openai
