// SPDX-License-Identifier: Apache-2.0
#pragma once
// Anthropic's Messages interface (version 2023-06-01).

#include <gantry/llm/dialect.hpp>

namespace gantry::anthropic {

inline constexpr std::string_view kPlugin = "llm_anthropic";

/// The body of POST /v1/messages, as JSON text.
[[nodiscard]] std::string messages_body(const LlmChatRequest& request,
                                        const llm::Endpoint& endpoint, const LlmModel& model);
/// The body of POST /v1/messages/count_tokens.
[[nodiscard]] std::string count_body(const LlmCountRequest& request);

[[nodiscard]] std::unique_ptr<llm::ChatReader> messages_reader(llm::Answer& answer,
                                                               const llm::Endpoint& endpoint);

/// Models before Claude 4.6 think up to a number of tokens; later ones as hard as they are told.
[[nodiscard]] bool thinks_by_budget(std::string_view model);

class Dialect final : public llm::Dialect {
 public:
  [[nodiscard]] Result<llm::HttpRequest> chat_request(const LlmChatRequest& request,
                                                      const llm::Endpoint& endpoint,
                                                      const LlmModel& model) const override;
  [[nodiscard]] std::unique_ptr<llm::ChatReader> reader(const LlmChatRequest& request,
                                                        const llm::Endpoint& endpoint,
                                                        llm::Answer& answer) const override;
  void describe(LlmModel& model, const llm::Endpoint& endpoint) const override;
  [[nodiscard]] std::vector<std::string> well_known(const llm::Endpoint& endpoint) const override;
  [[nodiscard]] llm::HttpRequest models_request(const llm::Endpoint& endpoint,
                                                const std::string& page) const override;
  [[nodiscard]] std::vector<LlmModel> read_models(std::string_view body,
                                                  const llm::Endpoint& endpoint,
                                                  std::string& next) const override;
  [[nodiscard]] std::optional<llm::HttpRequest> count_request(
      const LlmCountRequest& request, const llm::Endpoint& endpoint) const override;
  [[nodiscard]] std::optional<std::int64_t> read_count(std::string_view body) const override;
};

}  // namespace gantry::anthropic
