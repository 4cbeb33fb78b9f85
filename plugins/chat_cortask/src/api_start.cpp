// SPDX-License-Identifier: Apache-2.0
// What a page asks first: whether the server is ready, whether it was set up, and its settings.
#include <gantry/contract.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "api_wire.hpp"
#include "records.hpp"
#include "routes.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

namespace json = boost::json;

constexpr const char* kVersion = "0.1.0";
constexpr std::int64_t kMostTurns = 200;
constexpr double kUsualTemperature = 0.7;
constexpr double kHottest = 2.0;

ConfigView view_of(const UserConfig& config, const Settings& settings, bool with_folder) {
  ConfigView view;
  view.agent = {config.agent.maxTurns, config.agent.temperature.value_or(kUsualTemperature),
                config.agent.maxTokens};
  view.server = {settings.port, settings.host};
  view.spending = config.spending;
  view.memory = config.memory;
  if (with_folder) view.dataDir = settings.data_dir;
  return view;
}

std::optional<double> number_in(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  if (found == nullptr || !found->is_number()) return std::nullopt;
  return found->to_number<double>();
}

/// A limit: null clears it, a number sets it, anything else leaves it.
template <class T>
void take_limit(const json::object& object, std::string_view name, std::optional<T>& limit) {
  const json::value* found = object.if_contains(name);
  if (found == nullptr) return;
  if (found->is_null()) limit.reset();
  constexpr double kLargest = 1e15;
  if (const auto number = number_in(object, name)) {
    limit = static_cast<T>(std::clamp(*number, 0.0, kLargest));
  }
}

void take_text(const json::object& object, std::string_view name, std::string& text) {
  const json::value* found = object.if_contains(name);
  if (found != nullptr && found->is_string()) text = std::string(found->get_string());
}

void take_agent(const json::object& given, AgentLimits& agent) {
  if (const auto turns = number_in(given, "maxTurns")) {
    agent.maxTurns =
        static_cast<std::int64_t>(std::clamp(*turns, 1.0, static_cast<double>(kMostTurns)));
  }
  if (const auto temperature = number_in(given, "temperature")) {
    agent.temperature = std::round(std::clamp(*temperature, 0.0, kHottest) * 100) / 100;
  }
  take_limit(given, "maxTokens", agent.maxTokens);
}

void take_spending(const json::object& given, SpendingLimits& spending) {
  const json::value* enabled = given.if_contains("enabled");
  if (enabled != nullptr && enabled->is_bool()) spending.enabled = enabled->get_bool();
  std::string period = spending.period;
  take_text(given, "period", period);
  if (is_period(period)) spending.period = std::move(period);
  take_limit(given, "maxTokens", spending.maxTokens);
  take_limit(given, "maxCostUsd", spending.maxCostUsd);
}

void take_memory(const json::object& given, MemoryChoice& memory) {
  take_text(given, "embeddingProvider", memory.embeddingProvider);
  std::string model;
  take_text(given, "embeddingModel", model);
  if (!model.empty()) memory.embeddingModel = std::move(model);
}

const json::object* object_in(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}

std::string member_text(const json::object& object, std::string_view name) {
  std::string out;
  take_text(object, name, out);
  return out;
}

}  // namespace

void health(Exchange& exchange) { exchange.json(to_json(HealthView{"ok", kVersion, true})); }

/// Nobody is asked: how this server is updated is its packages' business.
void check_updates(Exchange& exchange) {
  UpdateView view;
  view.currentVersion = kVersion;
  view.error = "updates come with the packages that the server was installed from";
  exchange.json(to_json(view));
}

void onboarding_status(Exchange& exchange) {
  Records& records = exchange.services().records;
  OnboardingView view;
  view.completed = records.config().onboarded;
  view.hasProvider = !records.config().provider.empty() || !records.provider_keys().empty();
  view.hasWorkspace = !exchange.services().workspaces.list().empty();
  exchange.json(to_json(view));
}

void complete_onboarding(Exchange& exchange) {
  const json::object* provider = object_in(exchange.body, "provider");
  const std::string type = provider == nullptr ? "" : member_text(*provider, "type");
  if (type.empty()) return exchange.error(400, "Provider configuration required");
  Records& records = exchange.services().records;
  UserConfig config = records.config();
  config.onboarded = true;
  config.provider = type;
  config.model.clear();
  const std::string key = member_text(*provider, "apiKey");
  const auto finish = exchange.then_json(R"({"success":true})");
  if (key.empty()) return records.set_config(std::move(config), finish);
  records.set_credential("provider." + type + ".apiKey", key,
                         [&records, config, finish](const Result<void>& kept) {
                           if (!kept.ok()) return finish(kept);
                           records.set_config(config, finish);
                         });
}

void read_config(Exchange& exchange) {
  const Services& services = exchange.services();
  exchange.json(to_json(view_of(services.records.config(), services.settings, true)));
}

void change_config(Exchange& exchange) {
  const Services& services = exchange.services();
  UserConfig config = services.records.config();
  if (const auto* given = object_in(exchange.body, "agent")) take_agent(*given, config.agent);
  if (const auto* given = object_in(exchange.body, "spending")) {
    take_spending(*given, config.spending);
  }
  if (const auto* given = object_in(exchange.body, "memory")) take_memory(*given, config.memory);
  services.records.set_config(
      config, exchange.then_json(to_json(view_of(config, services.settings, false))));
}

}  // namespace gantry::chat_cortask
