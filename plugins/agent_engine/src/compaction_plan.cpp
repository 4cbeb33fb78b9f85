// SPDX-License-Identifier: Apache-2.0
#include "compaction_plan.hpp"

#include <gantry/llm/token_estimate.hpp>

#include <algorithm>

#include "text.hpp"

namespace gantry::agent {
namespace {

constexpr std::int64_t kRowFrame = 6;
constexpr std::int64_t kImage = 1'100;
constexpr std::size_t kLine = 300;

std::int64_t estimate_row(const HistoryRow& row) {
  std::int64_t tokens = kRowFrame + llm::estimate_tokens(row.text) +
                        llm::estimate_tokens(row.thinking) +
                        static_cast<std::int64_t>(row.images.size()) * kImage;
  for (const ModelToolCall& call : row.calls) {
    tokens +=
        kRowFrame + llm::estimate_tokens(call.name) + llm::estimate_tokens(call.arguments.text);
  }
  return tokens;
}

bool is_user(const HistoryRow& row) {
  return row.role == RowRole::User && row.type != RowType::ContextCompaction;
}

/// Where the last `keep` messages of the user begin; 0 when there are not more.
std::size_t begin_of_last(const std::vector<HistoryRow>& rows, std::size_t keep) {
  std::size_t seen = 0;
  for (std::size_t i = rows.size(); i > 0; --i) {
    if (is_user(rows[i - 1]) && ++seen == keep) return i - 1;
  }
  return 0;
}

CompactionPlan split(const std::vector<HistoryRow>& rows, std::size_t at) {
  const auto border = rows.begin() + static_cast<std::ptrdiff_t>(at);
  return {{rows.begin(), border}, {border, rows.end()}};
}

/// Cuts inside the last turn, before an answer of the model.
CompactionPlan split_last_turn(const std::vector<HistoryRow>& rows, std::size_t user,
                               std::int64_t target) {
  std::size_t at = 0;
  for (std::size_t i = user + 2; i < rows.size(); ++i) {
    if (rows[i].role != RowRole::Assistant) continue;
    at = i;
    if (estimate_rows(rows, i, rows.size()) <= target) break;
  }
  if (at == 0) return split(rows, user);
  CompactionPlan plan = split(rows, at);
  plan.kept.insert(plan.kept.begin(), rows[user]);
  plan.removed.erase(plan.removed.begin() + static_cast<std::ptrdiff_t>(user));
  return plan;
}

}  // namespace

std::int64_t estimate_rows(const std::vector<HistoryRow>& rows, std::size_t from, std::size_t to) {
  std::int64_t tokens = 0;
  for (std::size_t i = from; i < to; ++i) tokens += estimate_row(rows[i]);
  return tokens;
}

std::int64_t trigger_of(const CompactionSettings& settings, std::int64_t context_window) {
  if (settings.trigger_tokens > 0) return settings.trigger_tokens;
  return context_window / 100 * settings.trigger_percent;
}

CompactionPlan plan_compaction(const std::vector<HistoryRow>& rows, std::size_t keep,
                               std::int64_t target, bool must_fit) {
  std::size_t at = begin_of_last(rows, keep);
  if (!must_fit) return split(rows, at);
  while (keep > 1 && (at == 0 || estimate_rows(rows, at, rows.size()) > target)) {
    at = begin_of_last(rows, --keep);
  }
  if (estimate_rows(rows, at, rows.size()) <= target || rows.empty() || !is_user(rows[at])) {
    return split(rows, at);
  }
  return split_last_turn(rows, at, target);
}

std::string extract_summary(const std::vector<HistoryRow>& rows, std::size_t bytes) {
  std::vector<std::string> lines;
  std::string answer;
  const auto end_turn = [&] {
    if (!answer.empty()) lines.push_back("  - ended with: " + answer);
    answer.clear();
  };
  for (const HistoryRow& row : rows) {
    const std::string text(cut_end(visible_text(row.text), kLine));
    if (row.type == RowType::ContextCompaction) {
      lines.push_back(row.text);
    } else if (is_user(row)) {
      end_turn();
      lines.push_back("- The user said: " + text);
    } else if (row.role == RowRole::Assistant && !text.empty()) {
      answer = text;
    }
  }
  end_turn();
  std::string out;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (out.size() + line->size() + 1 > bytes) break;
    out.insert(0, *line + "\n");
  }
  return out;
}

}  // namespace gantry::agent
