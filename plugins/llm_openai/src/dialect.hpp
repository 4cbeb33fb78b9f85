// SPDX-License-Identifier: Apache-2.0
#pragma once
// OpenAI's two interfaces, Chat Completions and Responses, and whoever speaks the first of them.

#include <gantry/llm/dialect.hpp>

namespace gantry::openai {

inline constexpr std::string_view kPlugin = "llm_openai";
inline constexpr std::string_view kChat = "chat";
inline constexpr std::string_view kResponses = "responses";

/// Whether an endpoint is OpenAI's own, by its address: it refuses what others need, and the other
/// way round. One named openai may have been moved to any server.
[[nodiscard]] bool is_openai(const llm::Endpoint& endpoint);

/// The body of POST /chat/completions, as JSON text.
[[nodiscard]] std::string chat_body(const LlmChatRequest& request, const llm::Endpoint& endpoint,
                                    const LlmModel& model);
/// The body of POST /responses.
[[nodiscard]] std::string responses_body(const LlmChatRequest& request, const LlmModel& model);

[[nodiscard]] std::unique_ptr<llm::ChatReader> chat_reader(llm::Answer& answer,
                                                           const llm::Endpoint& endpoint);
[[nodiscard]] std::unique_ptr<llm::ChatReader> responses_reader(llm::Answer& answer,
                                                                const llm::Endpoint& endpoint);

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
};

}  // namespace gantry::openai
