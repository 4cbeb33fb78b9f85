// SPDX-License-Identifier: Apache-2.0
//
// The models of one plugin's endpoints: what is configured, what the providers list, and what is
// well known. On the plugin's strand.
#pragma once

#include <gantry/contracts/llm.hpp>
#include <gantry/host.hpp>
#include <gantry/llm/dialect.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gantry::llm {

/// A model as the configuration describes it; what is empty is what is known otherwise.
struct ModelSettings {
  std::string id;
  std::string display_name;
  std::int64_t context_window = 0;
  std::int64_t max_output_tokens = 0;
  std::optional<double> input_price;
  std::optional<double> output_price;
  std::optional<double> cached_input_price;
  std::optional<bool> tools;
  std::optional<bool> images_in;
  std::optional<bool> thinking;
};
BOOST_DESCRIBE_STRUCT(ModelSettings, (),
                      (id, display_name, context_window, max_output_tokens, input_price,
                       output_price, cached_input_price, tools, images_in, thinking))

struct CatalogueEndpoint {
  Endpoint endpoint;
  std::vector<ModelSettings> models;
  bool discover = true;
  /// The configuration names it or its models: whoever did that hears of a key that is missing. One
  /// that is there without having been asked for is just not available.
  bool meant = false;
};

class Catalogue {
 public:
  struct Found {
    Endpoint endpoint;  // with the key to use
    LlmModel model;
  };

  Catalogue(Host& host, const Dialect& dialect) : host_(host), dialect_(dialect) {}

  void configure(std::vector<CatalogueEndpoint> endpoints, std::string default_model,
                 Duration keep);
  /// Asks the providers when what they last said is too old, then answers.
  void list(const Ref<LlmModelsRequest>& request, std::function<void(LlmModelList)> done);
  /// Where a model is, and with which key. Errors are those of LlmErrorDetail.
  [[nodiscard]] Result<Found> find(const std::string& model, const std::string& provider,
                                   const std::vector<LlmCredential>& credentials) const;

 private:
  struct Discovery {
    std::int64_t at_ns = 0;
    bool known = false;
    std::vector<LlmModel> models;
    std::string problem;  // why it could not be asked; begins with the provider's name
    std::string cure;     // of the problem
  };

  void discover(const CatalogueEndpoint& place, const std::string& page);
  static void take_problem(Discovery& now, const std::string& message);
  void discovered(const std::string& name);
  [[nodiscard]] LlmModelList merged(const std::vector<LlmCredential>& credentials) const;
  [[nodiscard]] bool is_only_one_meant(const CatalogueEndpoint& place) const;
  [[nodiscard]] const std::vector<LlmModel>& models_of(const CatalogueEndpoint& place) const;
  [[nodiscard]] LlmModel describe(const CatalogueEndpoint& place, const std::string& id) const;
  [[nodiscard]] const CatalogueEndpoint* place_of(
      const std::string& model, const std::string& provider,
      const std::vector<LlmCredential>& credentials) const;

  Host& host_;
  const Dialect& dialect_;
  std::vector<CatalogueEndpoint> endpoints_;
  std::string default_model_;
  Duration keep_{0};
  std::map<std::string, Discovery> discoveries_;  // by endpoint
  std::map<std::string, Discovery> running_;
  // What models_of() has put together: each chat asks, and it may be hundreds.
  mutable std::map<const CatalogueEndpoint*, std::vector<LlmModel>> known_;
  std::vector<std::function<void()>> waiting_;
  std::uint64_t generation_ = 0;  // of the configuration
};

}  // namespace gantry::llm
