// SPDX-License-Identifier: Apache-2.0
#include "run_view.hpp"

#include <gantry/contract.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <utility>

#include "text.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr std::size_t kResultShown = 1000;  // characters of a tool's result
constexpr std::string_view kNothingSaid = "...";

RunEvent said(std::string_view type, std::string text) {
  RunEvent event;
  event.type = type;
  event.is_text = true;
  event.text = std::move(text);
  return event;
}

RunEvent happened(std::string_view type, json::value payload) {
  RunEvent event;
  event.type = type;
  event.payload = std::move(payload);
  return event;
}

template <class Body>
Body body_of(const SessionEvent& event) {
  auto body = from_json<Body>(event.body.text);
  return body.ok() ? std::move(*body) : Body{};
}

}  // namespace

json::value value_of(const Json& text) {
  json::error_code problem;
  json::value parsed = json::parse(text.text, problem);
  return problem ? json::value(nullptr) : parsed;
}

json::object usage_of(const RunEnd& end) {
  return {{"prompt_tokens", end.input_tokens},
          {"completion_tokens", end.output_tokens},
          {"total_tokens", end.input_tokens + end.output_tokens}};
}

std::vector<RunEvent> RunView::take(const SessionEvent& event) {
  std::vector<RunEvent> out;
  switch (event.kind) {
    case EventKind::UserMessage: {
      if (started_) {
        out.push_back(happened("activity", json::object{{"phase", "injected_message"}}));
        break;
      }
      started_ = true;
      const auto row = body_of<HistoryRow>(event);
      out.push_back(happened("run.started", json::object{{"message", row.text}}));
      break;
    }
    case EventKind::ThinkingDelta:
      end_.thinking += event.text;
      out.push_back(said("thinking", event.text));
      break;
    case EventKind::TextDelta: out.push_back(said("chunk", event.text)); break;
    case EventKind::Image: {
      const auto image = body_of<ImageRef>(event);
      if (end_.media.is_null()) end_.media = json::array();
      end_.media.get_array().push_back(
          json::object{{"path", image.artifact}, {"content_type", image.media_type}});
      break;
    }
    case EventKind::ToolCalls: take_calls(event, out); break;
    case EventKind::ToolResult: take_result(event, out); break;
    case EventKind::ToolProgress: {
      const auto body = body_of<ToolProgressBody>(event);
      out.push_back(happened("activity", json::object{{"phase", "tool_progress"},
                                                      {"tool", body.tool},
                                                      {"progress", body.progress}}));
      break;
    }
    case EventKind::CompactionStarted:
      out.push_back(happened("activity", json::object{{"phase", "compacting"}}));
      break;
    case EventKind::Notice:
      out.push_back(
          happened("activity", json::object{{"phase", "notice"}, {"message", event.text}}));
      break;
    case EventKind::ModelCallFinished: end_.model = body_of<ModelCallBody>(event).model; break;
    case EventKind::Error: end_.error = body_of<ErrorBody>(event).message; break;
    case EventKind::TurnFinished: take_end(event, out); break;
    default: break;
  }
  std::uint64_t index = 0;
  for (RunEvent& made : out) {
    made.seq = event.sequence * kSeqPerEntry + std::min(index++, kSeqPerEntry - 1);
  }
  return out;
}

void RunView::take_calls(const SessionEvent& event, std::vector<RunEvent>& out) {
  const auto body = body_of<ToolCallsBody>(event);
  for (const ToolCallItem& call : body.calls) {
    json::value arguments = value_of(call.arguments);
    out.push_back(happened(
        "tool.call", json::object{{"name", call.name}, {"id", call.id}, {"arguments", arguments}}));
    arguments_[call.request] = std::move(arguments);
  }
}

void RunView::take_result(const SessionEvent& event, std::vector<RunEvent>& out) {
  const auto body = body_of<ToolResultBody>(event);
  json::object payload{{"name", body.name}, {"id", body.id}, {"is_error", body.is_error}};
  const auto found = arguments_.find(body.request);
  payload["arguments"] = found == arguments_.end() ? json::value(json::object()) : found->second;
  if (found != arguments_.end()) arguments_.erase(found);
  payload["result"] = beginning(body.output, kResultShown);
  if (body.is_error) payload["content"] = beginning(body.output, kResultShown);
  out.push_back(happened("tool.result", std::move(payload)));
}

void RunView::take_end(const SessionEvent& event, std::vector<RunEvent>& out) {
  const auto body = body_of<TurnFinishedBody>(event);
  over_ = true;
  end_.end = body.end;
  end_.input_tokens = body.input_tokens;
  end_.output_tokens = body.output_tokens;
  end_.content =
      body.final_text.empty() || body.final_was_empty ? std::string(kNothingSaid) : body.final_text;
  switch (body.end) {
    case TurnEnd::Completed:
    case TurnEnd::Limit: {
      json::object payload{{"content", end_.content}, {"usage", usage_of(end_)}};
      if (!end_.thinking.empty()) payload["thinking"] = end_.thinking;
      if (!end_.media.is_null()) payload["media"] = end_.media;
      out.push_back(happened("run.completed", std::move(payload)));
      break;
    }
    case TurnEnd::Cancelled:
    case TurnEnd::Abandoned: out.push_back(happened("run.cancelled", nullptr)); break;
    case TurnEnd::Failed:
    case TurnEnd::Restarted:
      if (end_.error.empty()) end_.error = body.reason;
      if (end_.error.empty()) end_.error = "the run ended without an answer";
      out.push_back(happened("run.failed", json::object{{"error", end_.error}}));
      break;
  }
  out.back().terminal = true;
}

}  // namespace gantry::gateway
