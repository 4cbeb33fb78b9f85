// SPDX-License-Identifier: Apache-2.0
#include "history.hpp"

#include <algorithm>
#include <utility>

#include "event.hpp"
#include "text.hpp"

namespace gantry::agent {
namespace {

template <class T>
Result<T> body_of(const SessionEvent& event) {
  auto body = from_json<T>(event.body.text);
  if (body.ok()) return body;
  return Error{Code::DataLoss,
               "the body of an event of the kind " + std::string(kind_name(event.kind)) +
                   " cannot be read: " + body.error().message,
               {}};
}

constexpr std::size_t kTranscriptRow = 4'000;

std::string_view speaker(const HistoryRow& row) {
  switch (row.role) {
    case RowRole::User: return "User";
    case RowRole::Tool: return "Tool";
    case RowRole::System: return "System";
    case RowRole::Assistant: break;
  }
  return row.type == RowType::ContextCompaction ? "Earlier summary" : "Assistant";
}

std::string transcript_row(const HistoryRow& row) {
  std::string out(speaker(row));
  if (row.role == RowRole::Tool) out += " " + row.tool;
  out += ": " + cut_middle(row.text, kTranscriptRow);
  for (const ModelToolCall& call : row.calls) {
    out += "\n  calls " + call.name + " " + cut_middle(call.arguments.text, kTranscriptRow / 4);
  }
  return out + "\n";
}

}  // namespace

void add(History& history, HistoryRow row) {
  history.rows.push_back(std::move(row));
  ++history.revision;
}

void replace(History& history, std::vector<HistoryRow> rows) {
  history.rows = std::move(rows);
  history.tokens.forget();
  ++history.revision;
}

HistoryRow row_of(const ToolResultBody& result, const std::string& turn, std::int64_t at_ms) {
  HistoryRow row;
  row.id = "row_" + (result.request.empty() ? result.id : result.request);
  row.turn = turn;
  row.at_ms = at_ms;
  row.role = RowRole::Tool;
  row.type = RowType::ToolOutput;
  row.text = result.output;
  row.call = result.id;
  row.tool = result.name;
  row.is_error = result.is_error;
  row.images = result.images;
  return row;
}

Result<void> apply(History& history, const SessionEvent& event) {
  switch (event.kind) {
    case EventKind::UserMessage:
    case EventKind::AssistantMessage: {
      GANTRY_ASSIGN(auto row, body_of<HistoryRow>(event));
      add(history, std::move(row));
      return {};
    }
    case EventKind::ToolResult: {
      GANTRY_ASSIGN(const auto result, body_of<ToolResultBody>(event));
      add(history, row_of(result, event.turn, event.at_ms));
      return {};
    }
    case EventKind::CompactionFinished: {
      GANTRY_ASSIGN(auto report, body_of<CompactionReport>(event));
      if (!report.skipped.empty()) return {};
      replace(history, std::move(report.rows));
      return {};
    }
    case EventKind::HistoryReplaced: {
      GANTRY_ASSIGN(auto replaced, body_of<SessionHistoryRows>(event));
      replace(history, std::move(replaced.rows));
      history.system_prompt = std::move(replaced.system_prompt);
      return {};
    }
    default: return {};
  }
}

std::vector<ModelToolCall> open_calls(const std::vector<HistoryRow>& rows) {
  const auto last = std::find_if(rows.rbegin(), rows.rend(),
                                 [](const HistoryRow& row) { return row.role != RowRole::Tool; });
  if (last == rows.rend()) return {};
  std::vector<ModelToolCall> open = last->calls;
  for (auto row = rows.rbegin(); row != last; ++row) {
    std::erase_if(open, [&](const ModelToolCall& call) { return call.id == row->call; });
  }
  return open;
}

Result<void> check_pairs(const std::vector<HistoryRow>& rows) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const HistoryRow& row = rows[i];
    const std::string where = "row " + std::to_string(i + 1) + ": ";
    if (row.role == RowRole::Tool) {
      const auto call = std::find(open.begin(), open.end(), row.call);
      if (call == open.end()) {
        return invalid_argument(where + "the tool output '" + row.call + "' has no call before it");
      }
      open.erase(call);
      continue;
    }
    if (!open.empty()) {
      return invalid_argument(where + "the tool call '" + open.front() +
                              "' before it has no output");
    }
    for (const ModelToolCall& call : row.calls) {
      if (row.role != RowRole::Assistant || call.id.empty() ||
          std::find(open.begin(), open.end(), call.id) != open.end()) {
        return invalid_argument(where + "tool calls need the role assistant and ids of their own");
      }
      open.push_back(call.id);
    }
  }
  if (open.empty()) return {};
  return invalid_argument("the tool call '" + open.front() + "' at the end has no output");
}

std::string transcript(const std::vector<HistoryRow>& rows, std::size_t bytes) {
  std::string out;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    std::string text = transcript_row(*row);
    if (out.size() + text.size() > bytes) break;
    out.insert(0, text);
  }
  return out;
}

}  // namespace gantry::agent
