// SPDX-License-Identifier: Apache-2.0
#include "client_settings.hpp"

#include <gantry/codec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_from.hpp>
#include <string_view>
#include <utility>

namespace gantry::agent_ws {
namespace {

namespace json = boost::json;

constexpr std::string_view kReplaceManifest = "replace_client_manifest";

Error invalid(std::string_view what) {
  return invalid_argument(fmt::format("Invalid settings: {}", what));
}

Result<void> one_of(std::string_view key, const std::optional<std::string>& value,
                    std::initializer_list<std::string_view> allowed) {
  if (!value || std::find(allowed.begin(), allowed.end(), *value) != allowed.end()) return {};
  return invalid(fmt::format("Unsupported {}: {}", key, value->substr(0, 64)));
}

// Bytes of what is kept for every user.
constexpr std::size_t kLongestName = 256;
constexpr std::size_t kLongestKey = 4096;

Result<void> short_enough(std::string_view key, const std::optional<std::string>& value,
                          std::size_t most) {
  if (!value || value->size() <= most) return {};
  return invalid(fmt::format("{} is longer than {} bytes", key, most));
}

Result<void> short_keys(const ProviderKeys& keys) {
  Result<void> fit;
  boost::mp11::mp_for_each<codec::Members<ProviderKeys>>([&](auto member) {
    const std::optional<ProviderKey>& given = keys.*member.pointer;
    if (!given || !fit.ok()) return;
    fit = short_enough(fmt::format("provider_api_keys.{}.api_key", member.name), given->api_key,
                       kLongestKey);
  });
  return fit;
}

template <class T>
void take(T& target, const std::optional<T>& given) {
  if (given) target = *given;
}

void put(std::string& target, const json::value& value) {
  if (value.is_string()) target = value.get_string();
}

void put(bool& target, const json::value& value) {
  if (value.is_bool()) target = value.get_bool();
}

/// The keys that carry a value, in the order in which they came; the two composite ones last.
std::vector<std::string> given_keys(const json::object& raw) {
  constexpr std::array<std::string_view, 2> kLast{"tools", "agent_definition"};
  std::vector<std::string> keys;
  for (const auto& entry : raw) {
    const std::string_view name(entry.key().data(), entry.key().size());
    if (entry.value().is_null() || std::find(kLast.begin(), kLast.end(), name) != kLast.end()) {
      continue;
    }
    keys.emplace_back(name);
  }
  for (const std::string_view name : kLast) {
    const json::value* found = raw.if_contains(name);
    if (found != nullptr && !found->is_null()) keys.emplace_back(name);
  }
  return keys;
}

}  // namespace

Result<std::vector<std::string>> ClientSettings::update(const UpdateSettingsPayload& payload,
                                                        const json::object& raw) {
  GANTRY_TRY(one_of("model_mode", payload.model_mode, {"online", "local"}));
  GANTRY_TRY(one_of("interaction_mode", payload.interaction_mode, {"chat", "agent"}));
  GANTRY_TRY(short_enough("model_provider", payload.model_provider, kLongestName));
  GANTRY_TRY(short_enough("selected_model_id", payload.selected_model_id, kLongestName));
  if (payload.provider_api_keys) GANTRY_TRY(short_keys(*payload.provider_api_keys));
  if (payload.tools) {
    GANTRY_TRY(one_of("tools.mode", payload.tools->mode, {kReplaceManifest}));
  }
  take(values_.model_mode, payload.model_mode);
  take(values_.model_provider, payload.model_provider);
  take(values_.selected_model_id, payload.selected_model_id);
  take(values_.interaction_mode, payload.interaction_mode);
  take(values_.speech_mode_enabled, payload.speech_mode_enabled);
  take(values_.wakeword_enabled, payload.wakeword_enabled);
  take(values_.wakeword_stt_enabled, payload.wakeword_stt_enabled);
  take(values_.browser_automation_enabled, payload.browser_automation_enabled);
  take(values_.include_query_screenshot, payload.include_query_screenshot);
  if (payload.provider_api_keys) {
    boost::mp11::mp_for_each<codec::Members<ProviderKeys>>([&](auto member) {
      const std::optional<ProviderKey>& given = (*payload.provider_api_keys).*member.pointer;
      if (!given) return;
      StoredKey& stored = keys_[member.name];
      take(stored.enabled, given->enabled);
      take(stored.key.value, given->api_key);
    });
  }
  std::vector<std::string> given = given_keys(raw);
  boost::mp11::mp_for_each<codec::Members<SettingDefaults>>([&](auto member) {
    if (std::find(given.begin(), given.end(), member.name) != given.end()) {
      changed_.insert(member.name);
    }
  });
  return given;
}

Json ClientSettings::saved() const {
  json::object out;
  boost::mp11::mp_for_each<codec::Members<SettingDefaults>>([&](auto member) {
    if (changed_.contains(member.name)) {
      out[member.name] = json::value_from(values_.*member.pointer);
    }
  });
  return Json(codec::serialize(out));
}

void ClientSettings::restore(const Json& saved) {
  json::error_code problem;
  const json::value value = json::parse(saved.text, problem);
  const json::object* kept = problem ? nullptr : value.if_object();
  if (kept == nullptr) return;
  boost::mp11::mp_for_each<codec::Members<SettingDefaults>>([&](auto member) {
    const json::value* found = kept->if_contains(member.name);
    if (found == nullptr || !changed_.insert(member.name).second) return;
    put(values_.*member.pointer, *found);
  });
}

Json ClientSettings::config() const {
  std::map<std::string, json::value> sorted;
  boost::mp11::mp_for_each<codec::Members<SettingDefaults>>(
      [&](auto member) { sorted[member.name] = json::value_from(values_.*member.pointer); });
  json::object keys;
  for (const auto& [provider, stored] : keys_) {
    keys[provider] = json::object{{"api_key", ""}, {"enabled", stored.enabled}};
  }
  sorted["provider_api_keys"] = std::move(keys);
  json::object out;
  for (auto& [name, value] : sorted) out[name] = std::move(value);
  return Json(codec::serialize(out));
}

void ClientSettings::choose(const std::optional<std::string>& model_id,
                            const std::optional<std::string>& model_provider,
                            const std::optional<std::string>& interaction_mode) {
  take(values_.selected_model_id, model_id);
  take(values_.model_provider, model_provider);
  take(values_.interaction_mode, interaction_mode);
}

void ClientSettings::show_model(std::string provider, std::string id) {
  values_.model_provider = std::move(provider);
  values_.selected_model_id = std::move(id);
}

std::map<std::string, std::string> ClientSettings::provider_keys() const {
  std::map<std::string, std::string> out;
  for (const auto& [provider, stored] : keys_) {
    if (stored.enabled && !stored.key.empty()) out[provider] = stored.key.value;
  }
  return out;
}

std::vector<LlmCredential> ClientSettings::credentials() const {
  std::vector<LlmCredential> out;
  for (auto& [provider, key] : provider_keys()) out.push_back({provider, {key}});
  return out;
}

}  // namespace gantry::agent_ws
