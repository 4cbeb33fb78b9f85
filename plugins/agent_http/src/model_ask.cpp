// SPDX-License-Identifier: Apache-2.0
#include "model_ask.hpp"

#include <gantry/contracts/kernel.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace gantry::agent_http {
namespace {

constexpr std::string_view kPlanner = "llm_rules";
/// The test provider answers only when nothing else can.
constexpr std::string_view kScripted = "llm_scripted";

/// What is known of the catalogues while they come in.
struct Choice {
  ModelWish wish;
  std::function<void(Result<ChosenModel>)> then;
  std::map<std::string, std::vector<LlmModel>> models;  // by plugin
  std::size_t open = 0;
};

const LlmModel* best_of(const std::vector<LlmModel>& models, const ModelWish& wish) {
  const std::string id = wish.model.substr(0, wish.model.rfind("@@"));
  const LlmModel* best = nullptr;
  for (const LlmModel& model : models) {
    if (!model.available || (!id.empty() && model.id != id) ||
        (!wish.provider.empty() && model.provider != wish.provider)) {
      continue;
    }
    if (best == nullptr || (model.is_default && !best->is_default)) best = &model;
  }
  return best;
}

Result<ChosenModel> pick(const Choice& choice) {
  const ChosenModel* scripted = nullptr;
  ChosenModel last;
  for (const auto& [plugin, models] : choice.models) {
    const LlmModel* best = best_of(models, choice.wish);
    if (best == nullptr) continue;
    if (plugin != kScripted) return ChosenModel{plugin, *best};
    last = {plugin, *best};
    scripted = &last;
  }
  if (scripted != nullptr) return *scripted;
  return not_found("no language model is available; configure one of the llm_* plugins");
}

void read_catalogues(Host& host, const std::shared_ptr<Choice>& choice,
                     const std::vector<std::string>& plugins) {
  choice->open = plugins.size();
  if (plugins.empty()) return choice->then(pick(*choice));
  for (const std::string& plugin : plugins) {
    CallOptions options;
    options.target = plugin;
    host.bus().call<LlmModels>(
        {},
        [choice, plugin](const Result<Ref<LlmModelList>>& list) {
          if (list.ok()) choice->models[plugin] = (*list)->models;
          if (--choice->open == 0) choice->then(pick(*choice));
        },
        options);
  }
}

}  // namespace

void choose_model(Host& host, const ModelWish& wish,
                  std::function<void(Result<ChosenModel>)> then) {
  auto choice = std::make_shared<Choice>();
  choice->wish = wish;
  choice->then = std::move(then);
  host.bus().call<KernelContracts>(
      {}, [&host, choice](const Result<Ref<ContractInfoList>>& contracts) {
        std::vector<std::string> plugins;
        if (contracts.ok()) {
          for (const ContractInfo& contract : (*contracts)->contracts) {
            if (contract.name == LlmModels::kName) plugins = contract.providers;
          }
        }
        std::erase(plugins, kPlanner);
        read_catalogues(host, choice, plugins);
      });
}

std::function<void()> ask_model(Host& host, const ChosenModel& chosen, std::string prompt,
                                std::function<void(Result<std::string>)> then) {
  struct Asking {
    std::string text;
    std::function<void(Result<std::string>)> then;
    Stream<Nothing> stream;  // keeps it open
  };
  auto asking = std::make_shared<Asking>();
  asking->then = std::move(then);
  LlmChatRequest request;
  request.model = chosen.model.id;
  request.provider = chosen.model.provider;
  LlmBlock block;
  block.text = std::move(prompt);
  request.messages.push_back({LlmRole::User, {std::move(block)}, false});
  StreamHandlers<LlmChunk> handlers;
  handlers.on_chunk = [asking](const Ref<LlmChunk>& chunk) {
    if (chunk->kind == LlmChunkKind::Text) asking->text += chunk->text;
  };
  handlers.on_end = [asking](const Error& error) {
    const auto done = std::exchange(asking->then, nullptr);
    asking->stream = {};
    if (!done) return;
    if (error.code != Code::Ok) return done(error);
    done(std::move(asking->text));
  };
  StreamOptions options;
  options.target = chosen.plugin;
  auto opened = host.bus().open_stream<LlmChat>(std::move(request), std::move(handlers), options);
  if (!opened.ok()) {
    std::exchange(asking->then, nullptr)(opened.error());
    return [] {};
  }
  // A stream that has ended already is not kept.
  if (asking->then) asking->stream = std::move(*opened);
  return [asking] {
    asking->then = nullptr;
    asking->stream = {};
  };
}

}  // namespace gantry::agent_http
