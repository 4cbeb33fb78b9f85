// SPDX-License-Identifier: Apache-2.0
#include "run_view.hpp"

#include <gantry/contract.hpp>

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <utility>

namespace gantry::chat_cortask {
namespace {

namespace json = boost::json;

constexpr std::string_view kWriteFile = "write_file";
constexpr std::string_view kRestarted =
    "The server was restarted before this answer was finished. Please send the message again.";
constexpr std::string_view kUnknownError = "Unknown error";

/// The body of an event; what cannot be read is empty, which only a damaged log can bring.
template <class T>
T body_of(const SessionEvent& event) {
  return from_json<T>(event.body.text).value_or(T{});
}

std::string argument(const Json& arguments, std::string_view name) {
  json::error_code problem;
  const json::value parsed = json::parse(arguments.text, problem);
  const json::object* object = problem ? nullptr : parsed.if_object();
  const json::value* found = object == nullptr ? nullptr : object->if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

/// Characters, as pages count them: not bytes.
std::size_t characters(std::string_view utf8) {
  std::size_t count = 0;
  for (const char c : utf8) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1 : 0;
  return count;
}

/// The words that existing clients know for the two usual questions; else the engine's sentence.
PermissionRequest permission_request(const Approval& approval) {
  PermissionRequest out;
  out.requestId = approval.id;
  out.description = approval.description;
  const std::string command = argument(approval.arguments, "command");
  if (approval.kind == ToolClass::Execute && !command.empty()) {
    out.description = "Execute command: " + command;
  } else if (approval.tool == kWriteFile) {
    std::string path = argument(approval.arguments, "file_path");
    if (path.empty()) path = argument(approval.arguments, "path");
    out.description = "Write to file: " + path;
    out.details = fmt::format("{} characters", characters(argument(approval.arguments, "content")));
  }
  return out;
}

std::string denied_text(const ToolResultBody& body, ToolClass kind) {
  if (kind == ToolClass::Execute) return "Permission denied: user rejected command execution";
  if (body.tool == kWriteFile) return "Permission denied: user rejected file write";
  return "Permission denied: user rejected " + body.name;
}

std::string result_text(const ToolResultBody& body, ToolClass kind) {
  if (body.end == ToolEnd::Denied) return denied_text(body, kind);
  if (body.end == ToolEnd::Rejected && body.tool.empty()) return "Unknown tool: " + body.name;
  return body.output;
}

}  // namespace

std::string error_text(const ErrorBody& error) {
  std::string text = error.message.empty() ? std::string(kUnknownError) : error.message;
  const std::string status = std::to_string(error.http_status);
  if (error.http_status <= 0 || text.starts_with(status)) return text;
  return status + ' ' + text;
}

RunView::RunView(std::string session_key, bool with_arguments, Send send)
    : session_key_(std::move(session_key)),
      with_arguments_(with_arguments),
      send_(std::move(send)) {
  split_ = [this](std::string_view text, bool thought) {
    if (thought) {
      emit(ThinkingDelta{.text = std::string(text)});
    } else {
      emit(TextDelta{.text = std::string(text)});
    }
  };
}

template <class Frame>
void RunView::emit(Frame frame) {
  frame.sessionKey = session_key_;
  send_(to_json(frame));
}

void RunView::take(const SessionEvent& event) {
  if (over_) return;
  if (event.kind != EventKind::TextDelta) flush();
  switch (event.kind) {
    case EventKind::ModelCallStarted: return splitter_.reset();
    case EventKind::ThinkingDelta: return emit(ThinkingDelta{.text = event.text});
    case EventKind::TextDelta: spoke_ = true; return on_text(event.text);
    case EventKind::Usage: return on_usage(body_of<UsageBody>(event));
    case EventKind::ToolCalls: return on_tool_calls(body_of<ToolCallsBody>(event));
    case EventKind::ToolResult: return on_tool_result(body_of<ToolResultBody>(event));
    case EventKind::ApprovalRequested: return on_approval(body_of<Approval>(event));
    case EventKind::ApprovalAnswered: approvals_.erase(body_of<Approval>(event).id); return;
    case EventKind::QuestionnaireRequested: {
      auto asked = body_of<Questionnaire>(event);
      QuestionnaireRequest frame;
      frame.requestId = asked.id;
      frame.data.title = std::move(asked.title);
      if (!asked.description.empty()) frame.data.description = std::move(asked.description);
      frame.data.questions = std::move(asked.questions);
      questionnaires_[asked.id] = frame;
      return emit(std::move(frame));
    }
    case EventKind::QuestionnaireAnswered:
      questionnaires_.erase(body_of<Questionnaire>(event).id);
      return;
    case EventKind::Notice: notice_ = event.text; return;  // the turn goes on
    case EventKind::Error: return fail(error_text(body_of<ErrorBody>(event)));
    case EventKind::TurnFinished: return on_finished(body_of<TurnFinishedBody>(event));
    case EventKind::TurnAccepted:
    case EventKind::TurnStarted:
    case EventKind::UserMessage:
    case EventKind::PromptBuilt:
    case EventKind::Image:
    case EventKind::Search:
    case EventKind::ModelCallFinished:
    case EventKind::AssistantMessage:
    case EventKind::ToolProgress:
    case EventKind::CompactionStarted:
    case EventKind::CompactionFinished:
    case EventKind::CompactionFailed:
    case EventKind::HistoryReplaced:
    case EventKind::HistoryUpdated: return;  // this protocol has no message for them
  }
}

void RunView::on_text(std::string_view text) { splitter_.feed(text, split_); }

void RunView::flush() { splitter_.flush(split_); }

void RunView::on_tool_calls(const ToolCallsBody& body) {
  for (const ToolCallItem& item : body.calls) {
    calls_[item.request] = {item.arguments, item.kind};
    emit(ToolCallStart{.toolName = item.name, .toolCallId = item.id});
    if (!with_arguments_) continue;
    emit(ToolCallDelta{.toolCallId = item.id, .text = item.arguments.text});
    emit(ToolCallEnd{.toolCallId = item.id});
  }
}

void RunView::on_tool_result(const ToolResultBody& body) {
  const auto call = calls_.extract(body.request);
  const Called called = call.empty() ? Called{Json("{}"), ToolClass::Read} : call.mapped();
  ToolResultFrame frame;
  frame.toolCallId = body.id;
  frame.toolName = body.name;
  frame.toolArgs = called.arguments;
  frame.content = result_text(body, called.kind);
  frame.isError = body.is_error;
  emit(std::move(frame));
}

void RunView::on_approval(const Approval& approval) {
  approvals_.insert(approval.id);
  emit(permission_request(approval));
}

void RunView::on_usage(const UsageBody& usage) {
  usage_.inputTokens += usage.prompt_tokens;
  usage_.outputTokens += usage.output_tokens_total;
}

void RunView::on_finished(const TurnFinishedBody& body) {
  const TokenUsage usage{body.input_tokens, body.output_tokens};
  switch (body.end) {
    case TurnEnd::Completed:
    case TurnEnd::Limit:
      // Without an answer the notice says why there is none.
      return spoke_ || notice_.empty() ? finish(usage, false) : fail(notice_);
    case TurnEnd::Cancelled:
    case TurnEnd::Abandoned: return finish(usage, true);
    case TurnEnd::Failed: return fail(body.reason);
    case TurnEnd::Restarted: return fail(kRestarted);
  }
}

void RunView::finish(TokenUsage usage, bool cancelled) {
  usage_ = usage;
  DoneFrame frame;
  frame.usage = usage;
  if (cancelled) frame.cancelled = true;
  emit(std::move(frame));
  over_ = true;
}

void RunView::cancel() {
  if (over_) return;
  flush();
  finish(usage_, true);
}

void RunView::fail(std::string_view text) {
  if (over_) return;
  emit(ErrorFrame{.error = std::string(text.empty() ? kUnknownError : text)});
  over_ = true;
}

void RunView::repeat_questions() {
  for (const auto& [id, frame] : questionnaires_) emit(frame);
}

}  // namespace gantry::chat_cortask
