// SPDX-License-Identifier: Apache-2.0
//
// ProviderPlugin: a plugin that serves the contracts of models with one Dialect over HTTP. Derived
// plugins say where their endpoints come from. On the plugin's strand.
#pragma once

#include <gantry/contracts/llm.hpp>
#include <gantry/http/pool.hpp>
#include <gantry/llm/catalogue.hpp>
#include <gantry/llm/chat_run.hpp>
#include <gantry/plugin.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::llm {

/// The keys that every provider's plugin.yaml has. Times in milliseconds.
struct ProviderSettings {
  std::string api_key;
  std::string base_url;
  std::string default_model;
  std::vector<ModelSettings> models;
  bool discover = true;
  std::int64_t discover_ttl = 600'000;
  std::string proxy;
  std::string ca_file;
  std::int64_t max_output_tokens = 0;
  std::int64_t connect_timeout = 10'000;
  std::int64_t first_byte_timeout = 300'000;
  std::int64_t idle_timeout = 120'000;
  std::int64_t max_retry_wait = 10'000;
};
BOOST_DESCRIBE_STRUCT(ProviderSettings, (),
                      (api_key, base_url, default_model, models, discover, discover_ttl, proxy,
                       ca_file, max_output_tokens, connect_timeout, first_byte_timeout,
                       idle_timeout, max_retry_wait))

/// A provider as it is out of the box.
struct Vendor {
  std::string_view name;
  std::string_view base_url;
  std::string_view api;                 // of OpenAI's kind only
  std::string_view key_variable;        // of the environment
  std::string_view other_key_variable;  // empty: none
  std::string_view base_variable;       // empty: none
  bool requires_key = true;
};

/// The endpoint of a vendor with these settings: configuration goes before the environment. It is
/// meant when the settings (not the environment) say where it is or which models it has.
[[nodiscard]] CatalogueEndpoint make_endpoint(const Vendor& vendor,
                                              const ProviderSettings& settings,
                                              std::string_view plugin);

class ProviderPlugin : public Plugin {
 public:
  ProviderPlugin(Host& host, std::unique_ptr<Dialect> dialect);

  Result<void> init() override;
  Result<void> start() override;
  Result<void> reconfigure() override;
  void stop(Deadline deadline) override;

 protected:
  /// The endpoints that a configuration (JSON) makes.
  [[nodiscard]] virtual Result<std::vector<CatalogueEndpoint>> endpoints(
      const ProviderSettings& settings, const std::string& config) const = 0;

 private:
  /// Reads the configuration: at the start and after each change of it.
  Result<void> configure();
  Result<StreamHandlers<Nothing>> chat(const Ref<LlmChatRequest>& request, Stream<LlmChunk> down);
  void count(const Ref<LlmCountRequest>& request, Reply<LlmCountTokens> reply);
  /// A question has been answered: its connection, if it is kept, is closed when it stays idle.
  void sweep_later();

  std::unique_ptr<Dialect> dialect_;
  std::shared_ptr<http::HttpPool> pool_;  // connections to the providers
  Catalogue catalogue_;
  Limits limits_;
  std::map<std::uint64_t, std::shared_ptr<ChatRun>> runs_;
  std::uint64_t last_id_ = 0;
  bool sweeping_ = false;
  Timer sweep_;
  Metric chats_ = host().counter("chats_total", "Questions to models");
};

}  // namespace gantry::llm
