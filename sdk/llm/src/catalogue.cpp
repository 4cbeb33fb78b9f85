// SPDX-License-Identifier: Apache-2.0
#include <gantry/cure.hpp>
#include <gantry/http/fetch.hpp>
#include <gantry/llm/catalogue.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace gantry::llm {
namespace {

constexpr Duration kListLimit = std::chrono::seconds(5);
/// A failure is no list: a server that was started after the daemon is to be found soon.
constexpr Duration kProblemKept = std::chrono::seconds(10);
constexpr std::size_t kMostModels = 5000;

Endpoint with_key(Endpoint endpoint, const std::vector<LlmCredential>& credentials) {
  for (const LlmCredential& given : credentials) {
    if (given.provider == endpoint.name && !given.api_key.empty()) endpoint.api_key = given.api_key;
  }
  return endpoint;
}

void apply(LlmModel& model, const ModelSettings& settings) {
  if (!settings.display_name.empty()) model.display_name = settings.display_name;
  if (settings.context_window > 0) model.context_window = settings.context_window;
  if (settings.max_output_tokens > 0) model.max_output_tokens = settings.max_output_tokens;
  if (settings.input_price && settings.output_price) {
    model.prices = LlmPrices{*settings.input_price, *settings.output_price,
                             settings.cached_input_price, std::nullopt};
  }
  model.capabilities.tools = settings.tools.value_or(model.capabilities.tools);
  model.capabilities.images_in = settings.images_in.value_or(model.capabilities.images_in);
  model.capabilities.thinking = settings.thinking.value_or(model.capabilities.thinking);
  if (!model.capabilities.thinking) {
    model.efforts.clear();
  } else if (model.efforts.empty()) {
    model.efforts = {LlmEffort::Low, LlmEffort::Medium, LlmEffort::High};
  }
}

std::string no_key(const Endpoint& endpoint) {
  return "no API key for " + endpoint.name + " is known";
}

}  // namespace

void Catalogue::configure(std::vector<CatalogueEndpoint> endpoints, std::string default_model,
                          Duration keep) {
  endpoints_ = std::move(endpoints);
  default_model_ = std::move(default_model);
  keep_ = keep;
  discoveries_.clear();
  running_.clear();
  known_.clear();
  ++generation_;
}

void Catalogue::list(const Ref<LlmModelsRequest>& request, std::function<void(LlmModelList)> done) {
  waiting_.push_back(
      [this, request, done = std::move(done)] { done(merged(request->credentials)); });
  for (const CatalogueEndpoint& place : endpoints_) {
    if (!place.discover || !place.endpoint.usable() || running_.contains(place.endpoint.name)) {
      continue;
    }
    const Discovery& last = discoveries_[place.endpoint.name];
    const Duration keep = last.problem.empty() ? keep_ : std::min(keep_, kProblemKept);
    const bool fresh = last.known && host_.monotonic_ns() - last.at_ns < keep.count();
    if (fresh && !request->refresh) continue;
    running_.emplace(place.endpoint.name, Discovery{});
    discover(place, {});
  }
  discovered({});
}

void Catalogue::discover(const CatalogueEndpoint& place, const std::string& page) {
  const Endpoint endpoint = place.endpoint;
  http::fetch(host_, endpoint.http, dialect_.models_request(endpoint, page), kListLimit,
              [this, endpoint, generation = generation_](Result<http::HttpAnswer> answer) {
                const auto running = running_.find(endpoint.name);
                if (generation != generation_ || running == running_.end()) return discovered({});
                Discovery& now = running->second;
                std::string next;
                if (!answer.ok()) {
                  take_problem(now, named(endpoint, redact(answer.error().message, endpoint)));
                } else if (answer->head.status != 200 ||
                           (is_web_page(answer->head) && !answer->body.starts_with('{'))) {
                  take_problem(
                      now,
                      http_failure(answer->head, answer->body, endpoint, host_.wall_ns()).message);
                } else {
                  for (LlmModel& model : dialect_.read_models(answer->body, endpoint, next)) {
                    now.models.push_back(std::move(model));
                  }
                }
                for (const CatalogueEndpoint& again : endpoints_) {
                  if (again.endpoint.name != endpoint.name || next.empty()) continue;
                  if (now.models.size() < kMostModels) return discover(again, next);
                }
                discovered(endpoint.name);
              });
}

/// Reason and cure apart, for each is told in a place of its own, and once.
void Catalogue::take_problem(Discovery& now, const std::string& message) {
  std::tie(now.problem, now.cure) = split_cure(message);
  if (now.cure.empty()) now.cure = "check the address, the key and whether the server runs";
}

void Catalogue::discovered(const std::string& name) {
  if (const auto running = running_.find(name); running != running_.end()) {
    running->second.at_ns = host_.monotonic_ns();
    running->second.known = true;
    discoveries_[name] = std::move(running->second);
    running_.erase(running);
    known_.clear();
  }
  if (!running_.empty()) return;
  for (const auto& tell : std::exchange(waiting_, {})) tell();
}

LlmModel Catalogue::describe(const CatalogueEndpoint& place, const std::string& id) const {
  LlmModel model;
  model.id = id;
  model.provider = place.endpoint.name;
  dialect_.describe(model, place.endpoint);
  if (model.display_name.empty()) model.display_name = id;
  return model;
}

bool Catalogue::is_only_one_meant(const CatalogueEndpoint& place) const {
  return std::none_of(endpoints_.begin(), endpoints_.end(), [&](const CatalogueEndpoint& other) {
    return other.meant && &other != &place;
  });
}

const std::vector<LlmModel>& Catalogue::models_of(const CatalogueEndpoint& place) const {
  const auto [row, missing] = known_.try_emplace(&place);
  std::vector<LlmModel>& models = row->second;
  if (!missing) return models;
  const auto add = [&](LlmModel model) {
    const bool there = std::any_of(models.begin(), models.end(),
                                   [&](const LlmModel& other) { return other.id == model.id; });
    if (!there) models.push_back(std::move(model));
  };
  const auto found = discoveries_.find(place.endpoint.name);
  for (const ModelSettings& settings : place.models) add(describe(place, settings.id));
  if (found != discoveries_.end() && !found->second.models.empty()) {
    for (const LlmModel& model : found->second.models) {
      const auto same = std::find_if(models.begin(), models.end(),
                                     [&](const LlmModel& m) { return m.id == model.id; });
      if (same != models.end()) {
        *same = model;
      } else {
        models.push_back(model);
      }
    }
  } else {
    for (const std::string& id : dialect_.well_known(place.endpoint)) add(describe(place, id));
  }
  if (models.empty() && place.meant && !default_model_.empty() && is_only_one_meant(place)) {
    add(describe(place, default_model_));  // whoever named it knows that it is there
  }
  for (LlmModel& model : models) {
    for (const ModelSettings& settings : place.models) {
      if (settings.id == model.id) apply(model, settings);
    }
  }
  return models;
}

LlmModelList Catalogue::merged(const std::vector<LlmCredential>& credentials) const {
  static const Discovery kNeverAsked;
  LlmModelList list;
  for (const CatalogueEndpoint& place : endpoints_) {
    const Endpoint endpoint = with_key(place.endpoint, credentials);
    const auto found = discoveries_.find(endpoint.name);
    const Discovery& last = found == discoveries_.end() ? kNeverAsked : found->second;
    // What was said to the daemon's key says nothing of a session's own.
    const bool own_key = endpoint.api_key.value != place.endpoint.api_key.value;
    const std::string problem = own_key ? std::string() : last.problem;
    if (!problem.empty()) {
      list.problems.push_back(unavailable(problem, last.cure).message);
    } else if (place.meant && !endpoint.usable()) {
      list.problems.push_back(
          unavailable(endpoint.name + ": no API key is known", endpoint.key_hint).message);
    } else if (place.meant && (last.known || !place.discover) && models_of(place).empty()) {
      list.problems.push_back(
          unavailable(endpoint.name + ": it lists no model", "name one in its `models`").message);
    }
    for (LlmModel model : models_of(place)) {
      model.available = endpoint.usable() && problem.empty();
      if (!endpoint.usable()) {
        model.reason = no_key(endpoint);
        model.cure = endpoint.key_hint;
      } else if (!problem.empty()) {
        model.reason = problem;
        model.cure = last.cure;
      }
      list.models.push_back(std::move(model));
    }
  }
  const auto by_default =
      std::find_if(list.models.begin(), list.models.end(), [&](const LlmModel& model) {
        return default_model_.empty() ? model.available : model.id == default_model_;
      });
  if (by_default != list.models.end()) {
    by_default->is_default = true;
    std::rotate(list.models.begin(), by_default, by_default + 1);
  }
  return list;
}

/// The endpoint that was named; else the one that has the model; else the first one with a key.
const CatalogueEndpoint* Catalogue::place_of(const std::string& model, const std::string& provider,
                                             const std::vector<LlmCredential>& credentials) const {
  const CatalogueEndpoint* usable = nullptr;
  for (const CatalogueEndpoint& place : endpoints_) {
    if (!provider.empty()) {
      if (place.endpoint.name == provider) return &place;
      continue;
    }
    const bool can = with_key(place.endpoint, credentials).usable();
    const auto& models = models_of(place);
    const bool has =
        std::any_of(models.begin(), models.end(), [&](const LlmModel& m) { return m.id == model; });
    if (has && can) return &place;
    if (can && usable == nullptr) usable = &place;
  }
  if (usable == nullptr && provider.empty() && !endpoints_.empty()) return &endpoints_.front();
  return usable;
}

Result<Catalogue::Found> Catalogue::find(const std::string& model, const std::string& provider,
                                         const std::vector<LlmCredential>& credentials) const {
  std::string id = model.empty() ? default_model_ : model;
  const CatalogueEndpoint* place = place_of(id, provider, credentials);
  if (place == nullptr) {
    Failure failure{Trouble::UnknownModel,
                    "there is no provider '" + provider + "' in the plugin " + host_.name(),
                    {}};
    failure.detail.provider = provider;
    return failure.error();
  }
  const Endpoint endpoint = with_key(place->endpoint, credentials);
  if (!endpoint.usable()) {
    Failure failure{Trouble::NoKey, no_key(endpoint) + " (cure: " + endpoint.key_hint + ")", {}};
    failure.detail.provider = endpoint.name;
    return failure.error();
  }
  const auto& models = models_of(*place);
  if (id.empty() && !models.empty()) id = models.front().id;
  if (id.empty()) {
    Failure failure{Trouble::UnknownModel,
                    "no model was named, and " + endpoint.name + " has no default_model",
                    {}};
    failure.detail.provider = endpoint.name;
    return failure.error();
  }
  for (const LlmModel& known : models) {
    if (known.id == id) return Found{endpoint, known};
  }
  return Found{endpoint, describe(*place, id)};
}

}  // namespace gantry::llm
