// SPDX-License-Identifier: Apache-2.0
#include "leftover.hpp"

#include <algorithm>
#include <utility>

#include "event.hpp"

namespace gantry::agent {
namespace {

constexpr const char* kBy = "restart";
constexpr const char* kLost =
    "the daemon ended before this call had a result; it may have been carried out or not";

template <class T>
void open_or_close(std::vector<T>& open, const SessionEvent& event, bool opens) {
  auto body = from_json<T>(event.body.text);
  if (!body.ok()) return;  // applying the event has told already
  std::erase_if(open, [&](const T& one) { return one.id == body->id; });
  if (opens) open.push_back(std::move(*body));
}

ToolResultBody lost_result(const ModelToolCall& call, const Leftover& leftover) {
  ToolResultBody result;
  result.id = call.id;
  result.name = result.tool = call.name;
  result.end = ToolEnd::Restarted;
  result.is_error = true;
  result.output = kLost;
  for (const ToolCallItem& item : leftover.calls) {
    if (item.id != call.id) continue;
    result.request = item.request;
    result.tool = item.tool;
    result.place = item.place;
  }
  return result;
}

}  // namespace

void collect(Leftover& leftover, const SessionEvent& event) {
  switch (event.kind) {
    case EventKind::UserMessage: leftover.said.push_back(event.turn); break;
    case EventKind::ModelCallStarted:
    case EventKind::AssistantMessage:
    case EventKind::TurnFinished: leftover.partial.clear(); break;
    case EventKind::TextDelta: leftover.partial += event.text; break;
    case EventKind::ToolCalls:
      if (auto body = from_json<ToolCallsBody>(event.body.text); body.ok()) {
        leftover.calls = std::move(body->calls);
      }
      break;
    case EventKind::ApprovalRequested:
    case EventKind::ApprovalAnswered:
      open_or_close(leftover.approvals, event, event.kind == EventKind::ApprovalRequested);
      break;
    case EventKind::QuestionnaireRequested:
    case EventKind::QuestionnaireAnswered:
      open_or_close(leftover.questionnaires, event,
                    event.kind == EventKind::QuestionnaireRequested);
      break;
    default: break;
  }
}

StoreChange running_turn_change(const std::string& session, const std::string& turn,
                                std::optional<RunningTurn> document) {
  StoreChange change;
  change.collection = kRunningDocuments;
  change.key = session + "/" + turn;
  if (document) change.body = Json(to_json(*document));
  return change;
}

void Recovery::begin() {
  StoreListRequest list;
  list.collection = kRunningDocuments;
  list.after = after_;
  list.limit = 500;
  store_.list(std::move(list), [self = shared_from_this()](const auto& page) {
    if (!page.ok()) return self->fail(page.error());
    for (const StoredDocument& stored : (*page)->documents) {
      auto turn = from_json<RunningTurn>(stored.body.text);
      if (!turn.ok()) return self->fail(turn.error());
      self->turns_.push_back(std::move(*turn));
      self->after_ = stored.key;
    }
    if ((*page)->more) return self->begin();
    std::stable_sort(
        self->turns_.begin(), self->turns_.end(),
        [](const RunningTurn& a, const RunningTurn& b) { return a.accepted_ms < b.accepted_ms; });
    self->next();
  });
}

void Recovery::next() {
  if (turns_.empty()) return std::exchange(done_, {})(Result<void>());
  const SessionKey key = turns_.front().session;
  std::vector<RunningTurn> mine;
  for (const RunningTurn& turn : turns_) {
    if (turn.session == key) mine.push_back(turn);
  }
  std::erase_if(turns_, [&](const RunningTurn& turn) { return turn.session == key; });
  auto leftover = std::make_shared<Leftover>();
  sessions_.find_now(
      key,
      [self = shared_from_this(), leftover, mine](const Result<Sessions::Pointer>& session) {
        if (!session.ok()) return self->fail(session.error());
        self->finish(*session, *leftover, mine);
      },
      leftover);
}

void Recovery::finish(const Sessions::Pointer& session, const Leftover& leftover,
                      const std::vector<RunningTurn>& turns) {
  const std::string& first = turns.front().turn;
  for (Approval approval : leftover.approvals) {
    approval.decision = Decision::Deny;
    approval.by = kBy;
    session->log(body_event(EventKind::ApprovalAnswered, approval), approval.turn);
  }
  for (Questionnaire questionnaire : leftover.questionnaires) {
    questionnaire.answered = true;
    questionnaire.by = kBy;
    session->log(body_event(EventKind::QuestionnaireAnswered, questionnaire), questionnaire.turn);
  }
  if (!leftover.partial.empty()) {
    HistoryRow row;
    row.role = RowRole::Assistant;
    row.type = RowType::AssistantResponse;
    row.text = leftover.partial;
    session->log_row(EventKind::AssistantMessage, std::move(row), first);
  }
  for (const ModelToolCall& call : open_calls(session->history().rows)) {
    session->log_result(lost_result(call, leftover), first);
  }
  std::vector<StoreChange> changes;
  for (const RunningTurn& turn : turns) {
    const bool said =
        std::find(leftover.said.begin(), leftover.said.end(), turn.turn) != leftover.said.end();
    if (!said) {  // it waited in line: what the user said is kept
      HistoryRow row;
      row.text = turn.text;
      session->log_row(EventKind::UserMessage, std::move(row), turn.turn);
    }
    TurnFinishedBody body;
    body.end = TurnEnd::Restarted;
    body.reason = "the daemon ended while this turn was running";
    session->log(body_event(EventKind::TurnFinished, body), turn.turn);
    changes.push_back(running_turn_change(session->id(), turn.turn, std::nullopt));
  }
  host_.log().warn("turns were closed that an earlier daemon left open",
                   {{"turns", std::to_string(turns.size())}});
  session->save(Session::At::Rest, std::move(changes),
                [self = shared_from_this()](const Result<void>& saved) {
                  if (!saved.ok()) return self->fail(saved.error());
                  self->next();
                });
}

void Recovery::fail(const Error& error) { std::exchange(done_, {})(error); }

}  // namespace gantry::agent
