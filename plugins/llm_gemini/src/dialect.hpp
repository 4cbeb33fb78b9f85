// SPDX-License-Identifier: Apache-2.0
#pragma once
// Google's Gemini interface (v1beta), generateContent.

#include <gantry/llm/dialect.hpp>

namespace gantry::gemini {

inline constexpr std::string_view kPlugin = "llm_gemini";

/// The body of POST /models/{model}:streamGenerateContent, as JSON text.
[[nodiscard]] std::string content_body(const LlmChatRequest& request, const llm::Endpoint& endpoint,
                                       const LlmModel& model);
/// The body of POST /models/{model}:countTokens.
[[nodiscard]] std::string count_body(const LlmCountRequest& request);

[[nodiscard]] std::unique_ptr<llm::ChatReader> content_reader(llm::Answer& answer,
                                                              const llm::Endpoint& endpoint);

/// Gemini 3 and later are told a level of thinking, before that a number of tokens; and they insist
/// on the signatures of calls.
[[nodiscard]] bool has_levels(std::string_view model);

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

}  // namespace gantry::gemini
