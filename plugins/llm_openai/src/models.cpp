// SPDX-License-Identifier: Apache-2.0
// What is known of models by their names, and the lists of GET /models. Prices are those that
// OpenAI has published for a million tokens; the configuration's go before them.
#include <gantry/llm/json.hpp>
#include <gantry/llm/listed_model.hpp>

#include <algorithm>
#include <charconv>

#include "dialect.hpp"

namespace gantry::openai {
namespace {

namespace bj = boost::json;

struct Known {
  std::string_view prefix;
  std::string_view family;
  std::int64_t window, most_output;
  double input, output, cached;  // 0: not known
  bool images, thinking;
};

/// The longest prefix that fits counts.
constexpr std::array kKnown{
    Known{"gpt-4.1", "gpt", 1'047'576, 32'768, 2, 8, 0.5, true, false},
    Known{"gpt-4.1-mini", "gpt", 1'047'576, 32'768, 0.4, 1.6, 0.1, true, false},
    Known{"gpt-4.1-nano", "gpt", 1'047'576, 32'768, 0.1, 0.4, 0.025, true, false},
    Known{"gpt-4o", "gpt", 128'000, 16'384, 2.5, 10, 1.25, true, false},
    Known{"gpt-4o-mini", "gpt", 128'000, 16'384, 0.15, 0.6, 0.075, true, false},
    Known{"gpt-5", "gpt", 400'000, 128'000, 0, 0, 0, true, true},
    Known{"gpt-5-2025", "gpt", 400'000, 128'000, 1.25, 10, 0.125, true, true},
    Known{"gpt-5-mini", "gpt", 400'000, 128'000, 0.25, 2, 0.025, true, true},
    Known{"gpt-5-nano", "gpt", 400'000, 128'000, 0.05, 0.4, 0.005, true, true},
    Known{"gpt-oss", "gpt", 131'072, 131'072, 0, 0, 0, false, true},
    Known{"o3", "o", 200'000, 100'000, 2, 8, 0.5, true, true},
    Known{"o3-mini", "o", 200'000, 100'000, 1.1, 4.4, 0.55, false, true},
    Known{"o4-mini", "o", 200'000, 100'000, 1.1, 4.4, 0.275, true, true},
    Known{"chatgpt-", "gpt", 128'000, 16'384, 0, 0, 0, true, false},
};

constexpr std::array<std::string_view, 5> kWellKnown{"gpt-5", "gpt-5-mini", "gpt-4.1", "gpt-4o",
                                                     "o4-mini"};

/// What GET /models of OpenAI lists besides models for conversations.
constexpr std::array<std::string_view, 12> kOtherKinds{
    "audio",      "realtime", "transcribe", "tts",     "image",  "embedding",
    "moderation", "search",   "instruct",   "whisper", "dall-e", "sora"};

const Known* known(std::string_view id) {
  if (const std::size_t slash = id.rfind('/'); slash != std::string_view::npos) {
    id = id.substr(slash + 1);  // openai/gpt-5 of a router
  }
  const Known* best = nullptr;
  for (const Known& row : kKnown) {
    if (!id.starts_with(row.prefix)) continue;
    if (best == nullptr || row.prefix.size() > best->prefix.size()) best = &row;
  }
  return best;
}

/// At least its name does not say that it is for something else.
bool may_chat(std::string_view id) {
  return std::none_of(kOtherKinds.begin(), kOtherKinds.end(),
                      [&](auto kind) { return id.find(kind) != std::string_view::npos; });
}

/// Of what OpenAI's interface lists: all for chats. At another address there may be others' models.
bool listed_for_chat(const llm::Endpoint& endpoint, std::string_view id) {
  if (is_openai(endpoint)) return known(id) != nullptr && may_chat(id);
  return endpoint.name != "openai" || may_chat(id);
}

/// A router's price is text, dollars for one token.
double price_of(const bj::value& pricing, std::string_view name) {
  const std::string_view text = llm::text_of(pricing, name);
  double price = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), price);
  return error == std::errc() && price > 0 ? price * 1e6 : 0;
}

bool has(const bj::array& list, std::string_view word) {
  return std::any_of(list.begin(), list.end(), [&](const bj::value& element) {
    const auto* text = element.if_string();
    return text != nullptr && std::string_view(text->data(), text->size()) == word;
  });
}

/// OpenRouter's entries say what a model can do and costs.
void read_router_entry(LlmModel& model, const bj::value& entry) {
  if (const auto* architecture = llm::member(entry, "architecture")) {
    model.capabilities.images_in = has(llm::array_of(*architecture, "input_modalities"), "image");
    model.capabilities.images_out = has(llm::array_of(*architecture, "output_modalities"), "image");
  }
  if (const auto& parameters = llm::array_of(entry, "supported_parameters"); !parameters.empty()) {
    model.capabilities.tools = has(parameters, "tools");
    model.capabilities.structured_output = has(parameters, "structured_outputs");
    model.capabilities.thinking = has(parameters, "reasoning");
    model.capabilities.temperature = has(parameters, "temperature");
  }
  if (const auto* pricing = llm::member(entry, "pricing")) {
    const double input = price_of(*pricing, "prompt"), output = price_of(*pricing, "completion");
    if (input > 0 && output > 0) {
      model.prices = LlmPrices{input, output, std::nullopt, std::nullopt};
      const double cached = price_of(*pricing, "input_cache_read");
      if (cached > 0) model.prices->cached_input = cached;
    }
  }
}

/// The context window, by the names that OpenRouter, vLLM, Mistral and llama-server give it.
std::optional<std::int64_t> window_of(const bj::value& entry) {
  for (const std::string_view name : {"context_length", "max_model_len", "max_context_length"}) {
    if (const auto found = llm::number_of(entry, name); found && *found > 0) return found;
  }
  const auto* meta = llm::member(entry, "meta");
  return meta == nullptr ? std::nullopt : llm::number_of(*meta, "n_ctx_train");
}

}  // namespace

void Dialect::describe(LlmModel& model, const llm::Endpoint& endpoint) const {
  model.local = endpoint.base_url.find("//127.") != std::string::npos ||
                endpoint.base_url.find("//localhost") != std::string::npos ||
                endpoint.base_url.find("//[::1]") != std::string::npos;
  LlmCapabilities& can = model.capabilities;
  can.tools = can.parallel_tool_calls = true;
  can.structured_output = true;
  const Known* row = known(model.id);
  if (row == nullptr) return;
  model.family = row->family;
  model.context_window = row->window;
  model.max_output_tokens = row->most_output;
  can.images_in = row->images;
  can.thinking = row->thinking;
  can.temperature = !row->thinking;
  if (row->thinking) {
    model.efforts = {LlmEffort::Low, LlmEffort::Medium, LlmEffort::High};
    if (row->prefix.starts_with("gpt-5")) {
      model.efforts.insert(model.efforts.begin(), LlmEffort::Minimal);
    }
  }
  // OpenAI's interface with a model of OpenAI's, at another address: a proxy before it.
  if (endpoint.name == "openai") can.web_search = can.images_out = endpoint.api == kResponses;
  if (!is_openai(endpoint)) return;
  if (row->input > 0) model.prices = LlmPrices{row->input, row->output, row->cached, std::nullopt};
  can.caching = true;
}

std::vector<std::string> Dialect::well_known(const llm::Endpoint& endpoint) const {
  if (!is_openai(endpoint)) return {};
  return {kWellKnown.begin(), kWellKnown.end()};
}

std::vector<LlmModel> Dialect::read_models(std::string_view body, const llm::Endpoint& endpoint,
                                           std::string& next) const {
  std::vector<LlmModel> models;
  next.clear();
  (void)llm::read_json(body, [&](const bj::value& root) {
    for (const bj::value& entry : llm::array_of(root, "data")) {
      const std::string_view id = llm::text_of(entry, "id");
      if (id.empty() || !listed_for_chat(endpoint, id)) continue;
      LlmModel model = llm::listed_model(*this, endpoint, id, llm::text_of(entry, "name"));
      if (const auto window = window_of(entry)) model.context_window = window;
      read_router_entry(model, entry);
      models.push_back(std::move(model));
    }
  });
  return models;
}

}  // namespace gantry::openai
