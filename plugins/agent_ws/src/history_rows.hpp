// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of a conversation: the engine's and the wire's. Pure, any thread.

#include <gantry/contracts/session.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "incoming.hpp"
#include "outgoing.hpp"

namespace gantry::agent_ws {

/// Names on the wire: user, assistant, tool, system; user_query, assistant_response, ….
[[nodiscard]] std::string role_name(RowRole role);
[[nodiscard]] std::string row_type_name(RowType type);

/// What a client asks to put in place of a history.
struct Rehydrated {
  std::vector<HistoryRow> rows;
  std::string system_prompt;  // the first that the entries have; may be empty
};

/// Entries in their order. Errors: invalid_argument (an entry contradicts itself).
[[nodiscard]] Result<Rehydrated> rows_from_messages(const RehydratePayload& payload);

/// Rows of a checkpoint. Errors: invalid_argument (a row of another conversation or revision).
[[nodiscard]] Result<Rehydrated> rows_from_model_history(const RehydratePayload& payload);

/// The payload of model-history-updated.
[[nodiscard]] ModelHistoryUpdated model_history_updated(const SessionHistoryRows& history,
                                                        const std::string& conversation_ref,
                                                        const std::string& revision_id,
                                                        std::string_view turn_ref,
                                                        std::int64_t at_ms);
/// A row of the prompt, its text as the model reads it.
[[nodiscard]] PromptMessage prompt_message(const HistoryRow& row);
[[nodiscard]] ModelHistoryOutRow wire_row(const HistoryRow& row,
                                          const std::string& conversation_ref,
                                          const std::string& revision_id);

}  // namespace gantry::agent_ws
