// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which part of a history a compaction replaces. Pure functions.

#include <gantry/contracts/session.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "settings.hpp"

namespace gantry::agent {

/// Tokens of rows, about.
[[nodiscard]] std::int64_t estimate_rows(const std::vector<HistoryRow>& rows, std::size_t from,
                                         std::size_t to);

/// At what size of the whole prompt a history is compacted by itself.
[[nodiscard]] std::int64_t trigger_of(const CompactionSettings& settings,
                                      std::int64_t context_window);

struct CompactionPlan {
  std::vector<HistoryRow> removed;
  std::vector<HistoryRow> kept;  // no call without its output, no output without its call
};

/// The last `keep` messages of the user stay with all that came after them. When `must_fit`, fewer
/// stay, down to the steps of a single turn, until what stays has at most `target` tokens; the
/// user's last message always stays. Nothing removed: there is nothing to compact.
[[nodiscard]] CompactionPlan plan_compaction(const std::vector<HistoryRow>& rows, std::size_t keep,
                                             std::int64_t target, bool must_fit);

/// A summary without a model: what the user asked for and how it ended, oldest left out first.
[[nodiscard]] std::string extract_summary(const std::vector<HistoryRow>& rows, std::size_t bytes);

}  // namespace gantry::agent
