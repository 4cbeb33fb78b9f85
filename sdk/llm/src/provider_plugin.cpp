// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/http/fetch.hpp>
#include <gantry/llm/provider_plugin.hpp>
#include <gantry/llm/token_estimate.hpp>

#include <cstdlib>
#include <utility>

GANTRY_INSTANTIATE(gantry::llm::ProviderSettings)

namespace gantry::llm {
namespace {

constexpr Duration kCountLimit = std::chrono::seconds(10);
constexpr Duration kKeptFor = std::chrono::seconds(60);  // a connection without a question
constexpr std::size_t kMostKept = 16;

std::string environment(std::string_view name) {
  if (name.empty()) return {};
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::string() : std::string(value);
}

std::string first_of(std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (!text.empty()) return text;
  }
  return {};
}

Error refuse(std::string message) {
  return Failure{Trouble::BadRequest, std::move(message), {}}.error();
}

/// What no provider would understand.
Result<void> check(const LlmChatRequest& request) {
  bool others = false;
  for (const LlmMessage& message : request.messages) {
    if (message.role == LlmRole::System && others) {
      return refuse("system messages may stand first only");
    }
    others = others || message.role != LlmRole::System;
    for (const LlmBlock& block : message.blocks) {
      if (block.image && block.image->data.empty()) {
        return refuse("an image has no bytes; load the artifact '" + block.image->artifact +
                      "' before asking");
      }
    }
  }
  if (!others) return refuse("there is no message to answer");
  if (request.tool_choice == LlmToolChoice::Named && request.tool_choice_name.empty()) {
    return refuse("tool_choice Named needs tool_choice_name");
  }
  return {};
}

}  // namespace

CatalogueEndpoint make_endpoint(const Vendor& vendor, const ProviderSettings& settings,
                                std::string_view plugin) {
  CatalogueEndpoint place;
  Endpoint& endpoint = place.endpoint;
  endpoint.name = vendor.name;
  endpoint.api = vendor.api;
  endpoint.base_url = first_of(
      {settings.base_url, environment(vendor.base_variable), std::string(vendor.base_url)});
  while (endpoint.base_url.ends_with('/')) endpoint.base_url.pop_back();
  endpoint.api_key.value = first_of(
      {settings.api_key, environment(vendor.key_variable), environment(vendor.other_key_variable)});
  endpoint.requires_key = vendor.requires_key;
  endpoint.key_hint = "set the key `api_key` of the plugin " + std::string(plugin) +
                      ", or the environment variable " + std::string(vendor.key_variable);
  endpoint.http = {settings.proxy, settings.ca_file};
  endpoint.default_max_output_tokens = settings.max_output_tokens;
  place.models = settings.models;
  place.discover = settings.discover;
  place.meant =
      !settings.base_url.empty() || !settings.default_model.empty() || !settings.models.empty();
  return place;
}

ProviderPlugin::ProviderPlugin(Host& host, std::unique_ptr<Dialect> dialect)
    : Plugin(host),
      dialect_(std::move(dialect)),
      pool_(std::make_shared<http::HttpPool>([&host] { return host.monotonic_ns(); }, kKeptFor,
                                             kMostKept)),
      catalogue_(host, *dialect_) {}

Result<void> ProviderPlugin::init() {
  GANTRY_TRY(configure());
  Bus& bus = host().bus();
  GANTRY_TRY(bus.serve<LlmModels>(
      [this](const Ref<LlmModelsRequest>& request, const CallInfo&, Reply<LlmModels> reply) {
        auto kept = std::make_shared<Reply<LlmModels>>(std::move(reply));
        sweep_later();
        catalogue_.list(request, [kept](LlmModelList list) { (*kept)(std::move(list)); });
      }));
  GANTRY_TRY(bus.serve<LlmCountTokens>(
      [this](const Ref<LlmCountRequest>& request, const CallInfo&, Reply<LlmCountTokens> reply) {
        count(request, std::move(reply));
      }));
  return bus.serve_stream<LlmChat>(
      [this](const Ref<LlmChatRequest>& request, const CallInfo&, Stream<LlmChunk> down) {
        return chat(request, std::move(down));
      });
}

Result<void> ProviderPlugin::start() {
  host().bus().publish<LlmModelsChanged>({host().name()});
  return {};
}

Result<void> ProviderPlugin::reconfigure() {
  GANTRY_TRY(configure());
  host().bus().publish<LlmModelsChanged>({host().name()});
  return {};
}

Result<void> ProviderPlugin::configure() {
  const std::string config = host().config_json();
  GANTRY_ASSIGN(ProviderSettings settings, from_json<ProviderSettings>(config));
  GANTRY_ASSIGN(std::vector<CatalogueEndpoint> places, endpoints(settings, config));
  for (CatalogueEndpoint& place : places) {
    place.endpoint.http.pool = pool_;
    if (!place.meant || place.endpoint.usable()) continue;
    host().log().warn("a provider that is configured has no API key",
                      {{"provider", place.endpoint.name}, {"cure", place.endpoint.key_hint}});
  }
  limits_.connect = std::chrono::milliseconds(settings.connect_timeout);
  limits_.first_byte = std::chrono::milliseconds(settings.first_byte_timeout);
  limits_.idle = std::chrono::milliseconds(settings.idle_timeout);
  limits_.max_retry_wait = std::chrono::milliseconds(settings.max_retry_wait);
  catalogue_.configure(std::move(places), settings.default_model,
                       std::chrono::milliseconds(settings.discover_ttl));
  return {};
}

void ProviderPlugin::stop(Deadline) {
  for (const auto& [id, run] : std::exchange(runs_, {})) run->cancel();
  sweep_.cancel();
  pool_->clear();
}

void ProviderPlugin::sweep_later() {
  if (std::exchange(sweeping_, true)) return;
  sweep_ = host().after(kKeptFor, [this] {
    sweeping_ = false;
    if (pool_->sweep() != 0) sweep_later();
  });
}

Result<StreamHandlers<Nothing>> ProviderPlugin::chat(const Ref<LlmChatRequest>& request,
                                                     Stream<LlmChunk> down) {
  GANTRY_TRY(check(*request));
  GANTRY_ASSIGN(Catalogue::Found found,
                catalogue_.find(request->model, request->provider, request->credentials));
  chats_.add();
  const std::uint64_t id = ++last_id_;
  auto answer = std::make_shared<Answer>(std::move(down), host().name(), found.model.id, [request] {
    return estimate_tokens(request->messages, request->tools);
  });
  auto run = std::make_shared<ChatRun>(
      host(), *dialect_,
      ChatRun::Question{request, std::move(found.endpoint), std::move(found.model)}, limits_,
      answer, [this, id] {
        runs_.erase(id);
        sweep_later();
      });
  runs_.emplace(id, run);
  run->start();
  StreamHandlers<Nothing> handlers;
  handlers.on_writable = [answer] { answer->writable(); };
  handlers.on_end = [weak = std::weak_ptr(run)](const Error&) {
    if (const auto open = weak.lock()) open->leave();
  };
  return handlers;
}

void ProviderPlugin::count(const Ref<LlmCountRequest>& request, Reply<LlmCountTokens> reply) {
  const auto found = catalogue_.find(request->model, request->provider, request->credentials);
  std::optional<HttpRequest> ask;
  if (request->exact && found.ok()) {
    LlmCountRequest named = *request;
    named.model = found->model.id;
    ask = dialect_->count_request(named, found->endpoint);
  }
  if (!ask) return reply(estimated_count(*request));
  auto kept = std::make_shared<Reply<LlmCountTokens>>(std::move(reply));
  sweep_later();
  http::fetch(
      host(), found->endpoint.http, std::move(*ask), kCountLimit,
      [this, request, kept, provider = found->endpoint.name](Result<http::HttpAnswer> answer) {
        const bool good = answer.ok() && answer->head.status == 200;
        const auto tokens = good ? dialect_->read_count(answer->body) : std::nullopt;
        if (tokens) return (*kept)(LlmTokenCount{*tokens, true, "counted by " + provider});
        (*kept)(estimated_count(*request));
      });
}

}  // namespace gantry::llm
