// SPDX-License-Identifier: Apache-2.0
#include "error_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/describe/enum_to_string.hpp>

#include "text.hpp"

namespace gantry::agent_ws {
namespace {

/// Texts with one of these say what is wrong with the request.
constexpr std::array<std::string_view, 6> kHarmless{"invalid",  "required",  "missing",
                                                    "expected", "not found", "not allowed"};
constexpr std::size_t kLongest = 2000;

constexpr std::string_view kInvalidQuery = "Invalid query: ";
constexpr std::string_view kRateLimit = "Rate limit exceeded";
constexpr std::string_view kEndedEarly =
    "OpenAI Responses stream ended without final response payload";

struct ProviderName {
  std::string_view id;
  std::string_view name;
};
constexpr std::array kProviders = {
    ProviderName{"openai", "OpenAI"},   ProviderName{"anthropic", "Anthropic"},
    ProviderName{"google", "Google"},   ProviderName{"openrouter", "OpenRouter"},
    ProviderName{"mistral", "Mistral"}, ProviderName{"kimi_coding", "Kimi"},
    ProviderName{"ollama", "Ollama"},
};

std::string_view provider_name(std::string_view id) {
  const auto found = std::find_if(kProviders.begin(), kProviders.end(),
                                  [id](const ProviderName& row) { return row.id == id; });
  return found == kProviders.end() ? std::string_view() : found->name;
}

std::string shortened(const std::string& text) { return beginning(text, kLongest); }

bool harmless(std::string_view text) {
  const std::string small = lowered(text);
  return std::any_of(kHarmless.begin(), kHarmless.end(), [&small](std::string_view word) {
    return small.find(word) != std::string::npos;
  });
}

/// 502, 503, 504 and Anthropic's 529 pass by themselves.
bool passes_by_itself(int status) {
  return status == 502 || status == 503 || status == 504 || status == 529;
}

std::string provider_error_text(const ErrorBody& error) {
  const std::string_view name = provider_name(error.provider);
  if (passes_by_itself(error.http_status)) {
    return fmt::format("{} is temporarily unavailable (HTTP {}). Please retry shortly.",
                       name.empty() ? "The model provider" : name, error.http_status);
  }
  if (name.empty()) {
    return fmt::format("LLM API error (HTTP {}). Please retry.", error.http_status);
  }
  return fmt::format("{} API error (HTTP {})", name, error.http_status);
}

struct CodeRow {
  Code code;
  AgentErrorCode counted;
};
constexpr std::array kCodes = {
    CodeRow{Code::InvalidArgument, AgentErrorCode::PARSE_VALIDATION_ERROR},
    CodeRow{Code::OutOfRange, AgentErrorCode::INPUT_SIZE_LIMIT_ERROR},
    CodeRow{Code::DeadlineExceeded, AgentErrorCode::PARSE_TIMEOUT_ERROR},
    CodeRow{Code::Unavailable, AgentErrorCode::CONFIG_ERROR},
    CodeRow{Code::DataLoss, AgentErrorCode::MEMORY_STORE_ERROR},
};

}  // namespace

std::string request_error_text(const Error& error) {
  if (error.code == Code::Unavailable || harmless(error.message)) return shortened(error.message);
  return std::string(kInternalSentence);
}

std::string start_error_text(const Error& error) {
  switch (error.code) {
    case Code::ResourceExhausted:
      // The engine says which limit it was; the words of the others are those of the user's.
      if (error.detail.find("\"process\"") != std::string::npos) {
        return "Backend query capacity is saturated. Please retry shortly.";
      }
      return "Too many active queries for this user. Wait for an existing query to finish or stop "
             "it.";
    case Code::InvalidArgument:
      if (harmless(error.message)) return shortened(error.message);
      [[fallthrough]];
    case Code::NotFound:
    case Code::AlreadyExists: return shortened(std::string(kInvalidQuery) + error.message);
    default: return request_error_text(error);
  }
}

std::string turn_error_text(const ErrorBody& error) {
  if (error.code == AgentErrorCode::LLM_RATE_LIMIT) {
    return error.message.starts_with(kRateLimit)
               ? shortened(error.message)
               : fmt::format("{}. Please wait and try again.", kRateLimit);
  }
  if (error.message == kEndedEarly) return error.message;
  // What is not configured: which model, which key, and the cure.
  if (error.code == AgentErrorCode::CONFIG_ERROR) return shortened(error.message);
  if (error.http_status > 0) return provider_error_text(error);
  return std::string(kInternalSentence);
}

AgentErrorCode code_of(const Error& error) {
  const auto row = std::find_if(kCodes.begin(), kCodes.end(), [&error](const CodeRow& entry) {
    return entry.code == error.code;
  });
  return row == kCodes.end() ? AgentErrorCode::SESSION_ERROR : row->counted;
}

std::string code_text(AgentErrorCode code) {
  return boost::describe::enum_to_string(code, "SESSION_ERROR");
}

}  // namespace gantry::agent_ws
