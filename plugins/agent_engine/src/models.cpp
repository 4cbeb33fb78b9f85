// SPDX-License-Identifier: Apache-2.0
#include "models.hpp"

#include <gantry/contracts/kernel.hpp>
#include <gantry/cure.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <tuple>
#include <utility>

namespace gantry::agent {
namespace {

/// Models that are no language models: asked only when nothing else is there, in this order.
constexpr std::array<std::string_view, 2> kLastResorts{"llm_rules", "llm_scripted"};

/// Plugins keep their lists for minutes (`discover_ttl`), and each answer copies all their models.
constexpr Duration kLookAgain = std::chrono::seconds(10);

constexpr const char* kCheck =
    "check its address, its key and whether it runs, or name another model";

struct EffortName {
  std::string_view name;
  LlmEffort effort;
};
constexpr std::array<EffortName, 6> kEfforts{{{"none", LlmEffort::None},
                                              {"minimal", LlmEffort::Minimal},
                                              {"low", LlmEffort::Low},
                                              {"medium", LlmEffort::Medium},
                                              {"high", LlmEffort::High},
                                              {"max", LlmEffort::Max}}};

bool last_resort(std::string_view plugin) {
  return std::find(kLastResorts.begin(), kLastResorts.end(), plugin) != kLastResorts.end();
}

/// A row without an id: of this plugin's providers one could not be asked, and `reason` says why.
LlmModel silent(const std::string& plugin, const std::string& reason) {
  LlmModel row;
  row.provider = plugin;
  std::tie(row.reason, row.cure) = split_cure(reason);
  if (row.cure.empty()) row.cure = kCheck;
  return row;
}

/// Whose problem it is: it begins with the provider's name.
std::string_view provider_of(std::string_view problem) {
  return problem.substr(0, problem.find_first_of(": "));
}

bool named(const LlmModel& model, std::string_view name) {
  if (model.id == name) return true;
  return name.size() == model.provider.size() + 1 + model.id.size() &&
         name.starts_with(model.provider) && name[model.provider.size()] == '/' &&
         name.ends_with(model.id);
}

}  // namespace

void Models::choose(const std::string& name, const std::vector<LlmCredential>& credentials,
                    Chosen chosen) {
  const std::string wanted = name.empty() ? settings_.model : name;
  if (!credentials.empty()) {
    // What a session's own keys make available is known to that session only, and only now.
    return ask(credentials, [this, wanted, chosen = std::move(chosen)](Asked& asked) {
      models_.swap(asked.models);
      const auto picked = pick(wanted);
      models_.swap(asked.models);
      chosen(picked);
    });
  }
  if (known_) {
    auto picked = pick(wanted);
    // A model that is not known may have come to its server since, or its server have come back.
    if (picked.ok() || (whole_ && picked.error().code != Code::NotFound)) {
      if (wanted.empty() && picked.ok()) tell_passed_over(*picked);
      chosen(std::move(picked));
      return look_again();
    }
  }
  learn([this, wanted, chosen = std::move(chosen)] {
    const auto picked = pick(wanted);
    if (wanted.empty() && picked.ok()) tell_passed_over(*picked);
    chosen(picked);
  });
}

void Models::look_again() {
  if (looking_ || host_.monotonic_ns() - asked_ns_ < kLookAgain.count()) return;
  looking_ = true;
  learn([this] { looking_ = false; });
}

void Models::learn(std::function<void()> then) {
  asked_ns_ = host_.monotonic_ns();
  ask({}, [this, changes = changes_, then = std::move(then)](Asked& asked) {
    models_ = std::move(asked.models);
    known_ = changes == changes_;
    whole_ = asked.whole;
    then();
  });
}

void Models::ask(const std::vector<LlmCredential>& credentials, std::function<void(Asked&)> then) {
  const ContextScope scope = store_.detach();
  host_.bus().call<KernelContracts>({}, [this, credentials, then = std::move(then)](
                                            const Result<Ref<ContractInfoList>>& contracts) {
    std::vector<std::string> plugins;
    if (contracts.ok()) {
      for (const ContractInfo& contract : (*contracts)->contracts) {
        if (contract.name == LlmModels::kName) plugins = contract.providers;
      }
    }
    // Used when all have answered: turns that begin meanwhile choose among all models or ask too.
    auto gathered = std::make_shared<Asked>();
    gathered->open = plugins.size();
    if (plugins.empty()) return then(*gathered);
    for (const std::string& plugin : plugins) {
      CallOptions options;
      options.target = plugin;
      host_.bus().call<LlmModels>(
          {credentials, false},
          [this, plugin, gathered, then](const Result<Ref<LlmModelList>>& list) {
            std::vector<LlmModel>& models = gathered->models[plugin];
            if (list.ok()) {
              models = (*list)->models;
              for (const std::string& problem : (*list)->problems) {
                models.push_back(silent(plugin, problem));
              }
              if (!(*list)->problems.empty())
                gathered->whole = false;  // it may answer the next time
            } else {
              models.push_back(silent(plugin, plugin + ": " + list.error().message));
              gathered->whole = false;
              host_.log().warn("the models of a plugin are not known",
                               {{"plugin", plugin}, {"reason", list.error().message}});
            }
            if (--gathered->open == 0) then(*gathered);
          },
          options);
    }
  });
}

Result<ChosenModel> Models::pick(const std::string& name) const {
  if (name.empty()) return pick_default();
  std::string_view plain = name;
  ChosenModel chosen;
  if (const auto at = plain.rfind("@@"); at != std::string_view::npos) {
    const std::string_view variant = plain.substr(at + 2);
    const auto* const effort =
        std::find_if(kEfforts.begin(), kEfforts.end(),
                     [variant](const EffortName& row) { return row.name == variant; });
    if (effort != kEfforts.end()) chosen.effort = effort->effort;
    plain = plain.substr(0, at);
  }
  const LlmModel* unavailable_one = nullptr;
  for (const auto& [plugin, models] : models_) {
    for (const LlmModel& model : models) {
      if (!named(model, plain)) continue;
      if (!model.available) {
        unavailable_one = &model;
        continue;
      }
      chosen.plugin = plugin;
      chosen.model = model;
      return chosen;
    }
  }
  if (unavailable_one != nullptr)
    return unavailable(unavailable_one->reason, unavailable_one->cure);
  const std::string_view provider = plain.substr(0, plain.find('/'));
  std::string unasked;
  for (const auto& [plugin, models] : models_) {
    for (const LlmModel& model : models) {
      if (!model.id.empty()) continue;
      if (provider.size() < plain.size() && provider_of(model.reason) == provider) {
        return unavailable("the model '" + name + "' cannot be asked: " + model.reason, model.cure);
      }
      // Why is told to who asks for one of its models: it has addresses and a server's own words.
      unasked += "; " + std::string(provider_of(model.reason)) + " cannot be asked";
    }
  }
  if (const LlmModel* one = provider.size() < plain.size() ? locked(provider) : nullptr) {
    return unavailable("the model '" + name + "' cannot be asked: " + one->reason, one->cure);
  }
  return not_found("there is no model '" + name + "'" + offered() + unasked);
}

const LlmModel* Models::locked(std::string_view provider) const {
  const LlmModel* one = nullptr;
  for (const auto& [plugin, models] : models_) {
    for (const LlmModel& model : models) {
      if (model.id.empty() || model.provider != provider) continue;
      if (model.available) return nullptr;
      one = &model;
    }
  }
  return one;
}

void Models::tell_passed_over(const ChosenModel& chosen) {
  std::string names, reasons;
  for (const auto& [plugin, models] : models_) {
    for (const LlmModel& model : models) {
      if (!model.id.empty() || last_resort(plugin)) continue;
      names += std::string(provider_of(model.reason)) + ' ';
      reasons += (reasons.empty() ? "" : "; ") + unavailable(model.reason, model.cure).message;
    }
  }
  if (names != passed_over_ && !names.empty()) {
    host_.log().warn(
        "another model answers than one that is configured",
        {{"model", chosen.model.provider + '/' + chosen.model.id}, {"reason", reasons}});
  }
  passed_over_ = std::move(names);
}

std::string Models::offered() const {
  constexpr std::size_t kShown = 3;
  std::string out;
  for (const auto& [plugin, models] : models_) {
    std::size_t count = 0;
    for (const LlmModel& model : models) {
      if (model.id.empty() || !model.available) continue;
      if (count < kShown) {
        out += (out.empty() ? "; there are " : ", ") + model.provider + '/' + model.id;
      }
      ++count;
    }
    if (count > kShown) {
      out += " and " + std::to_string(count - kShown) + " more of " + plugin;
    }
  }
  if (out.empty()) return out;
  return out + " (all of one: `gantry call gantry.llm.models/1 --target PLUGIN`)";
}

Result<ChosenModel> Models::pick_default() const {
  const auto best_of = [this](std::string_view plugin) -> const LlmModel* {
    const auto found = models_.find(std::string(plugin));
    if (found == models_.end()) return nullptr;
    const auto& models = found->second;
    auto best = std::find_if(models.begin(), models.end(), [](const LlmModel& model) {
      return model.available && model.is_default;
    });
    if (best == models.end()) {
      best = std::find_if(models.begin(), models.end(),
                          [](const LlmModel& model) { return model.available; });
    }
    return best == models.end() ? nullptr : &*best;
  };
  for (const auto& [plugin, models] : models_) {
    if (last_resort(plugin)) continue;
    if (const LlmModel* best = best_of(plugin)) return ChosenModel{plugin, *best, {}};
  }
  // Who has configured a model wants its answer or its failure, and not the planner's word for it.
  for (const auto& [plugin, models] : models_) {
    const auto problem = std::find_if(models.begin(), models.end(),
                                      [](const LlmModel& model) { return model.id.empty(); });
    if (problem == models.end() || last_resort(plugin)) continue;
    return unavailable("the model that is configured cannot be asked: " + problem->reason,
                       problem->cure);
  }
  for (const std::string_view plugin : kLastResorts) {
    if (const LlmModel* best = best_of(plugin)) return ChosenModel{std::string(plugin), *best, {}};
  }
  return failed_precondition(
      "no language model is there; enable one of the llm_* plugins, llm_rules needs nothing else");
}

}  // namespace gantry::agent
