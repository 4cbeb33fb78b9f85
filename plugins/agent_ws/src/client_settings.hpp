// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a user has set, with keys of providers. Pure.

#include <gantry/contracts/llm.hpp>
#include <gantry/json.hpp>
#include <gantry/result.hpp>

#include <boost/json/object.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "incoming.hpp"
#include "settings.hpp"

namespace gantry::agent_ws {

/// An empty key means the configured one.
struct StoredKey {
  bool enabled = true;
  LlmSecret key;
};

class ClientSettings {
 public:
  explicit ClientSettings(SettingDefaults defaults) : values_(std::move(defaults)) {}

  /// Takes over what is given; `raw` is the payload as it came, for the order of its keys. Answers
  /// the keys that were given, then `tools` and `agent_definition`. On an error nothing changes.
  /// Errors: invalid_argument, "Invalid settings: …".
  Result<std::vector<std::string>> update(const UpdateSettingsPayload& payload,
                                          const boost::json::object& raw);

  /// The config of settings-loaded: sorted by name, keys of providers as "".
  [[nodiscard]] Json config() const;
  /// What the user has changed, for the store: without keys of providers, which stay in memory.
  [[nodiscard]] Json saved() const;
  /// Takes over what saved() gave, where nothing has been changed since. What it does not know or
  /// cannot read stays as it is.
  void restore(const Json& saved);
  /// Instead of what is set, for one look.
  void choose(const std::optional<std::string>& model_id,
              const std::optional<std::string>& model_provider,
              const std::optional<std::string>& interaction_mode);
  /// For showing: the model that answers while none is chosen.
  void show_model(std::string provider, std::string id);
  [[nodiscard]] const SettingDefaults& values() const { return values_; }
  /// Keys that are enabled and not empty, by provider.
  [[nodiscard]] std::map<std::string, std::string> provider_keys() const;
  [[nodiscard]] std::vector<LlmCredential> credentials() const;

 private:
  SettingDefaults values_;
  std::set<std::string> changed_;          // names of the members that the user has set
  std::map<std::string, StoredKey> keys_;  // by provider
};

}  // namespace gantry::agent_ws
