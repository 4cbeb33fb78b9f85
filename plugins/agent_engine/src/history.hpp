// SPDX-License-Identifier: Apache-2.0
#pragma once
// The history of a session: what its log says that the model is shown. Pure functions.

#include <gantry/contract.hpp>
#include <gantry/contracts/session.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "row_tokens.hpp"

namespace gantry::agent {

struct History {
  std::uint64_t revision = 0;    // grows with every change
  std::vector<HistoryRow> rows;  // changed by add() and replace()
  std::string system_prompt;     // empty: made for each turn
  mutable RowTokens tokens;      // of the rows; see estimate()
};
BOOST_DESCRIBE_STRUCT(History, (), (revision, rows, system_prompt))

/// What one event does to the history; most do nothing. Errors: data_loss (its body).
[[nodiscard]] Result<void> apply(History& history, const SessionEvent& event);

/// A message at the end of it.
void add(History& history, HistoryRow row);
/// Other rows than before.
void replace(History& history, std::vector<HistoryRow> rows);
/// The history's row for the result of a call of `turn`; `at_ms` is since 1970.
[[nodiscard]] HistoryRow row_of(const ToolResultBody& result, const std::string& turn,
                                std::int64_t at_ms);

/// Calls of the last answer that have no result yet, in order.
[[nodiscard]] std::vector<ModelToolCall> open_calls(const std::vector<HistoryRow>& rows);

/// Every call has its one output before the next message, every output its call. Errors:
/// invalid_argument, which names the row.
[[nodiscard]] Result<void> check_pairs(const std::vector<HistoryRow>& rows);

/// Text of a history as one who reads it for a summary sees it, newest kept within `bytes`.
[[nodiscard]] std::string transcript(const std::vector<HistoryRow>& rows, std::size_t bytes);

}  // namespace gantry::agent
