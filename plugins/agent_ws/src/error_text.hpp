// SPDX-License-Identifier: Apache-2.0
#pragma once
// What clients may read of a failure. Texts that could tell of the inside become one sentence; the
// log and the metrics keep the code. Pure, any thread.

#include <gantry/contracts/turn.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>

namespace gantry::agent_ws {

inline constexpr std::string_view kInternalSentence =
    "Internal server error. Start a new chat and try again.";
inline constexpr std::string_view kTooManyRequests = "Too many concurrent requests. Please wait.";

/// The text of a failed request. Texts that only say what is wrong with the request pass, and so do
/// those of `unavailable`, which name what is missing and its cure; the rest is the sentence.
[[nodiscard]] std::string request_error_text(const Error& error);

/// The text of turn.start's refusal.
[[nodiscard]] std::string start_error_text(const Error& error);

/// The text of an error inside a turn.
[[nodiscard]] std::string turn_error_text(const ErrorBody& error);

/// The code of the published text under which a failure is counted.
[[nodiscard]] AgentErrorCode code_of(const Error& error);
[[nodiscard]] std::string code_text(AgentErrorCode code);

}  // namespace gantry::agent_ws
