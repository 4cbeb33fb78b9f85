// SPDX-License-Identifier: Apache-2.0
#include "cli/conversation.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "cli/printable.hpp"
#include "cli/told.hpp"
#include "config/diagnostic.hpp"

namespace gantry::cli {
namespace {

constexpr int kPollMs = 250;
constexpr std::size_t kShown = 160;

std::atomic<int> presses{0};
/// A turn runs whose stop has not been told to the daemon yet: who left now would lose it.
std::atomic<bool> stop_owed{false};

extern "C" void leave(int) { _exit(kInterrupted); }

/// The first asks for the turn to be stopped. Whoever presses once more does not want to wait for
/// its end; but a stop that is still to be told goes first, unless the daemon does not take it
/// within a second.
extern "C" void on_interrupt(int) {
  const int before = presses.fetch_add(1);
  if (before == 0) return;
  if (!stop_owed) _exit(kInterrupted);
  if (before == 1) alarm(1);
}

/// While it stands a turn runs, or is about to.
struct StopOwed {
  StopOwed() { stop_owed = true; }
  ~StopOwed() {
    stop_owed = false;
    alarm(0);
  }
  StopOwed(const StopOwed&) = delete;
  StopOwed& operator=(const StopOwed&) = delete;
};

template <class T>
std::optional<T> body_of(const SessionEvent& event) {
  const gantry_body* decoded = nullptr;
  gantry_error error{};
  const auto status = type_of<T>().decode(to_str(event.body.text), &decoded, &error);
  if (status != GANTRY_OK) {
    (void)adopt_error(status, error);
    return std::nullopt;
  }
  return *Ref<T>::adopt(decoded);
}

template <class T>
std::string encoded(const T& value) {
  gantry_buf text{};
  if (type_of<T>().encode(&value, &text) != GANTRY_OK) return "{}";
  return std::string(Buffer::adopt(text).text());
}

/// The first line, shortened.
std::string brief(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  std::string out = printable(text.substr(0, kShown));
  return out.size() < text.size() ? out + "…" : out;
}

std::string member(const boost::json::value& value, const char* name) {
  const auto* object = value.if_object();
  const auto* found = object == nullptr ? nullptr : object->if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string().c_str()) : "";
}

int exit_code(TurnEnd end) {
  if (end == TurnEnd::Completed) return kOk;
  return end == TurnEnd::Cancelled ? kInterrupted : kFailed;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = &on_interrupt;  // without SA_RESTART: a question that is open ends
  sigaction(SIGINT, &action, nullptr);
  action.sa_handler = &leave;
  sigaction(SIGALRM, &action, nullptr);
}
bool was_interrupted() { return presses.load() > 0; }
bool was_interrupted_twice() { return presses.load() > 1; }
void forget_interrupt() { presses.store(0); }

std::optional<std::string> read_line(const std::string& prompt) {
  std::fputs(prompt.c_str(), stderr);
  // Ctrl-C is taken while waiting and at no other moment: one that came between a look at it and a
  // read would leave the read waiting for a line that nobody types.
  sigset_t interrupt;
  sigset_t before;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt, &before);
  pollfd terminal{STDIN_FILENO, POLLIN, 0};
  const bool typed = !was_interrupted() && ppoll(&terminal, 1, nullptr, &before) == 1;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::string line;
  if (!typed || was_interrupted() || !std::getline(std::cin, line)) {
    std::cin.clear();
    return std::nullopt;
  }
  return line;
}

Conversation::Conversation(Access& access, const Invocation& invocation, std::string key)
    : access_(access),
      invocation_(invocation),
      session_{"local", "terminal", std::move(key)},
      interactive_(isatty(STDIN_FILENO) != 0 && !invocation.json) {}

TurnStartRequest Conversation::request(const std::string& text) const {
  TurnStartRequest out;
  out.session = session_;
  out.text = text;
  out.caller = "gantry";
  out.options.model = invocation_.model;
  std::error_code gone;
  out.options.workspace_path = std::filesystem::current_path(gone).string();
  ToolPolicy& policy = out.options.tools;
  policy.daemon_tools = {"*"};
  // Where nobody can be asked nothing is done that would need it.
  const ApprovalMode acts = invocation_.yes ? ApprovalMode::Allow
                            : interactive_  ? ApprovalMode::Ask
                                            : ApprovalMode::Deny;
  policy.act = policy.execute = acts;
  policy.questionnaires = interactive_;
  policy.approval_timeout_ms = 600'000;
  return out;
}

int Conversation::say(const std::string& text) {
  answer_.clear();
  stop_reason_.clear();
  const StopOwed owed;
  const auto started = call_typed<TurnStart>(access_, request(text));
  if (!started.ok()) {
    complain(started.error().message);
    return started.error().code == Code::Unavailable ? kUnavailable : kFailed;
  }
  return follow(**started);
}

int Conversation::follow(const TurnStarted& turn) {
  SessionPollRequest poll;
  poll.session = session_;
  poll.after_sequence = turn.sequence - 1;
  poll.turn = turn.turn;
  poll.wait_ms = kPollMs;
  bool stopping = false;
  while (true) {
    if (was_interrupted() && !stopping) {
      stopping = true;
      stop(turn.turn);
      stop_owed = false;
      if (presses > 1) return kInterrupted;  // it did not want to wait for the end
    }
    const auto answer = call_typed<SessionPoll>(access_, poll);
    if (!answer.ok()) {
      complain(answer.error().message);
      return answer.error().code == Code::Unavailable ? kUnavailable : kFailed;
    }
    for (const SessionEvent& event : (*answer)->events) {
      poll.after_sequence = event.sequence;
      if (invocation_.json) {
        std::printf("%s\n", encoded(event).c_str());
      } else {
        show(event);
      }
      std::fflush(stdout);
      if (event.kind != EventKind::TurnFinished) continue;
      const auto end = body_of<TurnFinishedBody>(event);
      if (end) answer_ = end->final_text;
      if (end && !invocation_.json) hint(end->final_text);
      return end ? exit_code(end->end) : static_cast<int>(kFailed);
    }
  }
}

void Conversation::hint(const std::string& answer) {
  if (interactive_ || invocation_.yes) return;
  AgentToolsRequest request;
  request.tools.daemon_tools = {"*"};
  request.tools.act = request.tools.execute = ApprovalMode::Allow;
  const auto tools = call_typed<AgentTools>(access_, request);
  if (!tools.ok()) return;
  for (const AgentTool& tool : (*tools)->tools) {
    const bool acts = tool.kind == ToolClass::Act || tool.kind == ToolClass::Execute;
    if (!acts || !tool.offered || !names_tool(answer, tool.name)) continue;
    note("Nobody can be asked here, so " + tool.name + " was not offered; --yes allows it.");
    return;
  }
}

void Conversation::stop(const std::string& turn) {
  TurnStopRequest request;
  request.principal = session_.principal;
  request.session = session_;
  request.turn = turn;
  request.reason = "interrupted";
  if (const auto stopped = call_typed<TurnStop>(access_, request); !stopped.ok()) {
    complain(stopped.error().message);
  }
}

void Conversation::note(const std::string& text) {
  if (in_line_) std::fputs("\n", stdout);
  in_line_ = false;
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Conversation::show(const SessionEvent& event) {
  switch (event.kind) {
    case EventKind::TextDelta:
      std::fputs(printable(event.text).c_str(), stdout);
      in_line_ = !event.text.ends_with('\n');
      break;
    case EventKind::ModelCallFinished:
      if (const auto body = body_of<ModelCallBody>(event)) stop_reason_ = body->stop_reason;
      break;
    case EventKind::ToolCalls:
      if (const auto body = body_of<ToolCallsBody>(event)) show_calls(*body);
      break;
    case EventKind::ToolResult:
      if (const auto body = body_of<ToolResultBody>(event)) show_result(*body);
      break;
    case EventKind::ApprovalRequested:
      if (const auto body = body_of<Approval>(event)) answer(*body);
      break;
    case EventKind::QuestionnaireRequested:
      if (const auto body = body_of<Questionnaire>(event)) answer(*body);
      break;
    case EventKind::Notice: note(printable(event.text)); break;
    case EventKind::Error:
      if (const auto body = body_of<ErrorBody>(event)) note("error: " + printable(body->message));
      break;
    case EventKind::CompactionFinished:
      note("· the older part of the conversation was summarised");
      break;
    case EventKind::TurnFinished:
      if (const auto body = body_of<TurnFinishedBody>(event)) {
        if (body->final_was_empty) note(printable(words_for_nothing(*body, stop_reason_)));
        if (body->end == TurnEnd::Limit) note("stopped: " + printable(body->reason));
      }
      if (in_line_) std::fputs("\n", stdout);
      in_line_ = false;
      break;
    default: break;
  }
}

void Conversation::show_calls(const ToolCallsBody& body) {
  for (const ToolCallItem& call : body.calls) {
    note("· " + printable(call.name) + " " + brief(call.arguments.text));
  }
}

void Conversation::show_result(const ToolResultBody& body) {
  const std::string what =
      body.is_error ? "failed: " + brief(failure_message(body.output)) : brief(body.output);
  note("  " + what + " (" + std::to_string(body.duration_ms) + " ms)");
}

Decision Conversation::decision_on(const Approval& approval) {
  constexpr const char* kQuestion = "Allow it? [y]es, [a]lways in this conversation, [N]o: ";
  const std::string tool = printable(approval.tool);
  Consent said = Consent::Unclear;
  for (int asked = 0; asked < 2 && said == Consent::Unclear; ++asked) {
    if (asked > 0) note("That is neither yes nor no.");
    const auto line = read_line(kQuestion);
    if (was_interrupted()) return Decision::Open;
    said = line ? consent(*line) : Consent::No;
  }
  if (said == Consent::Yes) {
    note("· allowed: " + tool);
    return Decision::Allow;
  }
  if (said == Consent::Always) {
    note("· allowed in this conversation: " + tool);
    return Decision::AllowAlways;
  }
  note("· not allowed: " + tool);
  return Decision::Deny;
}

void Conversation::answer(const Approval& approval) {
  if (!interactive_ || was_interrupted()) return;
  note(printable(approval.description));
  ApprovalAnswerRequest request;
  request.decision = decision_on(approval);
  // The turn is stopped instead; after a no it would go on.
  if (request.decision == Decision::Open) return;
  request.principal = session_.principal;
  request.id = approval.id;
  request.by = "terminal";
  // It may be over by now; then the log says how.
  (void)call_typed<ApprovalAnswer>(access_, request);
}

void Conversation::answer(const Questionnaire& questionnaire) {
  if (!interactive_ || was_interrupted()) return;
  note(printable(questionnaire.title));
  if (!questionnaire.description.empty()) note(printable(questionnaire.description));
  boost::system::error_code problem;
  const boost::json::value questions = boost::json::parse(questionnaire.questions.text, problem);
  boost::json::object responses;
  if (!problem && questions.is_array()) {
    for (const auto& question : questions.get_array()) {
      const auto* object = question.if_object();
      const auto* options = object == nullptr ? nullptr : object->if_contains("options");
      if (options != nullptr && options->is_array()) {
        for (const auto& option : options->get_array()) {
          note("  " + printable(member(option, "value")) + ": " +
               printable(member(option, "label")));
        }
      }
      const auto line = read_line(printable(member(question, "question")) + " ");
      if (!line) break;
      if (!line->empty()) responses[member(question, "id")] = *line;
    }
  }
  if (was_interrupted()) return;
  QuestionnaireAnswerRequest request;
  request.principal = session_.principal;
  request.id = questionnaire.id;
  request.responses = Json(boost::json::serialize(responses));
  request.by = "terminal";
  (void)call_typed<QuestionnaireAnswer>(access_, request);
}

}  // namespace gantry::cli
