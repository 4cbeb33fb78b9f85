// SPDX-License-Identifier: Apache-2.0
#include "run_view.hpp"

#include <gantry/contract.hpp>

#include <utility>

namespace gantry::chat_aide {
namespace {

constexpr std::string_view kDenied = "denied by user";

/// The body of an event; what cannot be read is empty, which only a damaged log can bring.
template <class T>
T body_in(const SessionEvent& event) {
  return from_json<T>(event.body.text).value_or(T{});
}

}  // namespace

std::string run_error_text(const ErrorBody& error) {
  std::string words = error.message.empty() ? "the run failed" : error.message;
  if (error.http_status <= 0) return words;
  const std::string status = std::to_string(error.http_status);
  return "Provider error: " + (words.starts_with(status) ? words : status + " " + words);
}

void RunView::take(const SessionEvent& event) {
  if (over_) return;
  switch (event.kind) {
    case EventKind::TextDelta: {
      TextFrame frame;
      frame.content = event.text;
      return sinks_.send(to_json(frame));
    }
    case EventKind::Image: pictured_ = true; return sinks_.image(body_in<ImageRef>(event));
    case EventKind::ToolCalls: return on_calls(body_in<ToolCallsBody>(event));
    case EventKind::ToolResult: return on_result(body_in<ToolResultBody>(event));
    case EventKind::ApprovalRequested: return on_asked(body_in<Approval>(event));
    case EventKind::ApprovalAnswered: return on_answered(body_in<Approval>(event));
    case EventKind::Error: return fail(run_error_text(body_in<ErrorBody>(event)));
    case EventKind::TurnFinished: return on_finished(body_in<TurnFinishedBody>(event));
    default: return;  // this protocol has no message for them
  }
}

void RunView::on_calls(const ToolCallsBody& body) {
  for (const ToolCallItem& item : body.calls) {
    started_.insert(item.request);
    ToolStartFrame frame;
    frame.call_id = item.request;
    frame.tool_name = item.name;
    frame.arguments = item.arguments;
    sinks_.send(to_json(frame));
  }
}

void RunView::on_result(const ToolResultBody& body) {
  const auto waited = waiting_.find(body.request);
  ToolDoneFrame frame;
  frame.call_id = body.request;
  frame.tool_name = body.name;
  frame.success = body.end == ToolEnd::Done && !body.is_error;
  frame.result_summary =
      body.end == ToolEnd::Denied ? std::string(kDenied) : summary_of(body.output);
  frame.confirmed = waited != waiting_.end() && waited->second.given;
  if (waited != waiting_.end()) waiting_.erase(waited);
  sinks_.send(to_json(frame));
}

void RunView::on_asked(const Approval& approval) {
  ConfirmationFrame frame;
  frame.call_id = approval.request;
  frame.tool_name = approval.tool;
  frame.arguments = approval.arguments;
  frame.description = approval.description;
  const std::string text = to_json(frame);
  waiting_[approval.request] = {approval.id, text, true, false};
  sinks_.send(text);
}

void RunView::on_answered(const Approval& approval) {
  const auto waited = waiting_.find(approval.request);
  if (waited == waiting_.end()) return;
  waited->second.open = false;
  waited->second.given =
      approval.decision == Decision::Allow || approval.decision == Decision::AllowAlways;
}

void RunView::on_finished(const TurnFinishedBody& body) {
  if (body.end != TurnEnd::Completed) {
    return fail(body.reason.empty() ? "the run was ended" : "the run was ended: " + body.reason);
  }
  DoneFrame frame;
  frame.text = body.final_text;
  // What the engine made up for an answer without words came in no piece; a picture needs none.
  if (body.final_was_empty && pictured_) frame.text.clear();
  if (body.final_was_empty && !pictured_) {
    TextFrame words;
    words.content = body.final_text;
    sinks_.send(to_json(words));
  }
  frame.tool_calls_made = body.tool_calls;
  frame.usage = {body.input_tokens, body.output_tokens};
  frame.session_id = session_id_;
  over_ = true;
  sinks_.send(to_json(frame));
}

void RunView::fail(std::string message) {
  if (std::exchange(over_, true)) return;
  sinks_.send(error_frame(std::move(message)));
}

std::string RunView::approval_of(const std::string& call_id) const {
  const auto found = waiting_.find(call_id);
  return found != waiting_.end() && found->second.open ? found->second.approval : std::string();
}

std::vector<std::string> RunView::open_questions() const {
  std::vector<std::string> out;
  for (const auto& [call, waiting] : waiting_) {
    if (waiting.open) out.push_back(waiting.frame);
  }
  return out;
}

std::vector<std::string> RunView::open_approvals() const {
  std::vector<std::string> out;
  for (const auto& [call, waiting] : waiting_) {
    if (waiting.open) out.push_back(waiting.approval);
  }
  return out;
}

}  // namespace gantry::chat_aide
