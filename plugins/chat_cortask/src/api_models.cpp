// SPDX-License-Identifier: Apache-2.0
// Providers and models: which there are, which are chosen, and asking one.
#include <gantry/contract.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/llm.hpp>
#include <gantry/uuid.hpp>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "api_wire.hpp"
#include "chats.hpp"
#include "one_answer.hpp"
#include "records.hpp"
#include "routes.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

struct KnownProvider {
  const char* id;
  const char* name;
  const char* model;  // until the provider's plugin says which is its default
};
constexpr KnownProvider kKnownProviders[] = {
    {"anthropic", "Anthropic", "claude-sonnet-4-5-20250929"},
    {"openai", "OpenAI", "gpt-4o"},
    {"google", "Google", "gemini-2.0-flash"},
    {"moonshot", "Moonshot", "moonshot-v1-8k"},
    {"grok", "Grok", "grok-3-latest"},
    {"openrouter", "OpenRouter", "openai/gpt-4o"},
    {"minimax", "MiniMax", "MiniMax-Text-01"},
    {"ollama", "Ollama", "llama3"},
};

using Models = std::vector<LlmModel>;

std::vector<LlmCredential> credentials_of(const Records& records) {
  std::vector<LlmCredential> out;
  for (const auto& [provider, key] : records.provider_keys()) out.push_back({provider, {key}});
  return out;
}

/// The models of all plugins, as they answer with the user's keys.
void find_models(Exchange& exchange, std::function<void(Exchange&, const Models&)> then) {
  struct Search {
    ExchangePtr exchange;
    std::function<void(Exchange&, const Models&)> then;
    Models models;
    std::vector<std::string> plugins;
    std::vector<LlmCredential> credentials;

    static void next(const std::shared_ptr<Search>& search) {
      if (search->plugins.empty()) return search->then(*search->exchange, search->models);
      CallOptions options;
      options.target = std::move(search->plugins.back());
      search->plugins.pop_back();
      search->exchange->host().bus().call<LlmModels>(
          {search->credentials, false},
          [search](const Result<Ref<LlmModelList>>& list) {
            if (list.ok()) {
              search->models.insert(search->models.end(), (*list)->models.begin(),
                                    (*list)->models.end());
            }
            next(search);
          },
          options);
    }
  };
  auto search = std::make_shared<Search>();
  search->exchange = exchange.shared_from_this();
  search->then = std::move(then);
  search->credentials = credentials_of(exchange.services().records);
  exchange.host().bus().call<KernelContracts>(
      {}, [search](const Result<Ref<ContractInfoList>>& contracts) {
        if (!contracts.ok()) return search->exchange->fail(contracts.error());
        for (const ContractInfo& contract : (*contracts)->contracts) {
          if (contract.name == LlmModels::kName) search->plugins = contract.providers;
        }
        Search::next(search);
      });
}

/// The known providers, and those of this daemon's own.
std::vector<ProviderView> provider_rows(const Models& models, const UserConfig& config) {
  std::vector<ProviderView> out;
  for (const KnownProvider& row : kKnownProviders)
    out.push_back({row.id, row.name, row.model, false, false});
  for (const LlmModel& model : models) {
    auto row = std::find_if(out.begin(), out.end(),
                            [&](const ProviderView& one) { return one.id == model.provider; });
    if (row == out.end()) {
      row = out.insert(out.end(), {model.provider, model.provider, model.id, false, false});
    }
    row->configured = row->configured || model.available;
    if (model.is_default) row->defaultModel = model.id;
  }
  for (ProviderView& row : out) {
    row.isDefault = row.id == config.provider;
    if (row.isDefault && !config.model.empty()) row.defaultModel = config.model;
  }
  return out;
}

/// The model that the user has chosen, with his keys.
TurnOptions chosen_model(const Services& services) {
  TurnOptions options;
  options.model = model_of(services.records.config(), services.settings);
  options.provider_keys = services.records.provider_keys();
  return options;
}

std::string model_key(const std::string& provider, const std::string& model) {
  return provider + "/" + model;
}

double price_in(const Exchange& exchange, std::string_view name) {
  const boost::json::value* found = exchange.body.if_contains(name);
  return found != nullptr && found->is_number() ? std::max(0.0, found->to_number<double>()) : 0.0;
}

}  // namespace

void list_providers(Exchange& exchange) {
  find_models(exchange, [](Exchange& self, const Models& models) {
    self.json(to_json(provider_rows(models, self.services().records.config())));
  });
}

void choose_provider(Exchange& exchange) {
  const auto provider = exchange.text("providerId");
  const auto model = exchange.text("model");
  if (!provider || !model || provider->empty() || model->empty()) {
    return exchange.error(400, "providerId and model are required");
  }
  find_models(
      exchange, [provider = *provider, model = *model](Exchange& self, const Models& models) {
        Records& records = self.services().records;
        const auto rows = provider_rows(models, records.config());
        const bool known = std::any_of(rows.begin(), rows.end(),
                                       [&](const ProviderView& row) { return row.id == provider; });
        if (!known) return self.error(400, "There is no provider '" + provider + "'");
        UserConfig config = records.config();
        config.provider = provider;
        config.model = model;
        records.set_config(std::move(config), self.then_json(to_json(ChosenView{provider, model})));
      });
}

void test_provider(Exchange& exchange) {
  const std::string provider = exchange.parameters[0];
  find_models(exchange, [provider](Exchange& self, const Models& models) {
    const auto rows = provider_rows(models, self.services().records.config());
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const ProviderView& one) { return one.id == provider; });
    if (row == rows.end() || !row->configured) return self.error(400, "No API key configured");
    TurnOptions options;
    options.model = provider + "/" + row->defaultModel;
    options.provider_keys = self.services().records.provider_keys();
    ask_once(self.host(), "Say hello in one short sentence.", std::move(options),
             [exchange = self.shared_from_this()](const Result<OneAnswer>& answer) {
               TestView view;
               view.success = answer.ok();
               if (!answer.ok()) {
                 view.error = answer.error().message;
                 return exchange->json(to_json(view), 500);
               }
               view.response = answer->text;
               view.usage = TokenUsage{answer->input_tokens, answer->output_tokens};
               exchange->json(to_json(view));
             });
  });
}

void available_models(Exchange& exchange) {
  const std::string provider = exchange.parameters[0];
  find_models(exchange, [provider](Exchange& self, const Models& models) {
    std::vector<ModelView> out;
    for (const LlmModel& model : models) {
      if (model.provider != provider || !model.available) continue;
      ModelView row;
      row.id = model.id;
      row.name = model.display_name.empty() ? model.id : model.display_name;
      row.contextWindow = model.context_window;
      if (model.prices) {
        row.inputPricePer1m = model.prices->input;
        row.outputPricePer1m = model.prices->output;
      }
      out.push_back(std::move(row));
    }
    if (out.empty()) return self.error(400, "No credentials configured for " + provider);
    self.json(to_json(out));
  });
}

void enabled_models(Exchange& exchange) {
  const auto provider = exchange.query("provider");
  std::vector<EnabledModel> out;
  for (const auto& [key, row] : exchange.services().records.models.rows()) {
    if (!provider || row.provider == *provider) out.push_back(row);
  }
  exchange.json(to_json(out));
}

void enable_model(Exchange& exchange) {
  const auto provider = exchange.text("provider");
  const auto model = exchange.text("modelId");
  if (!provider || !model || provider->empty() || model->empty()) {
    return exchange.error(400, "provider and modelId are required");
  }
  Records& records = exchange.services().records;
  EnabledModel row;
  row.id = random_uuid();
  row.provider = *provider;
  row.modelId = *model;
  row.label = exchange.text("label").value_or(*model);
  row.inputPricePer1m = price_in(exchange, "inputPricePer1m");
  row.outputPricePer1m = price_in(exchange, "outputPricePer1m");
  row.enabledAt = records.now_text();
  records.models.put(model_key(*provider, *model), row, exchange.then_json(to_json(row)));
}

void disable_model(Exchange& exchange) {
  exchange.services().records.models.erase(
      model_key(exchange.text("provider").value_or(""), exchange.text("modelId").value_or("")),
      exchange.then_json(R"({"success":true})"));
}

void complete_prompt(Exchange& exchange) {
  const auto prompt = exchange.text("prompt");
  if (!prompt || prompt->empty()) return exchange.error(400, "prompt is required");
  ask_once(exchange.host(), *prompt, chosen_model(exchange.services()),
           [self = exchange.shared_from_this()](const Result<OneAnswer>& answer) {
             if (!answer.ok()) return self->error(500, answer.error().message);
             self->json(to_json(CompletionView{answer->text}));
           });
}

}  // namespace gantry::chat_cortask
