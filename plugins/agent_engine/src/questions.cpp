// SPDX-License-Identifier: Apache-2.0
#include "questions.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "event.hpp"
#include "ids.hpp"
#include "session.hpp"

namespace gantry::agent {
namespace {

constexpr EventKind requested(const Approval&) { return EventKind::ApprovalRequested; }
constexpr EventKind requested(const Questionnaire&) { return EventKind::QuestionnaireRequested; }
constexpr EventKind answered(const Approval&) { return EventKind::ApprovalAnswered; }
constexpr EventKind answered(const Questionnaire&) { return EventKind::QuestionnaireAnswered; }
constexpr const char* prefix(const Approval&) { return "approval_"; }
constexpr const char* prefix(const Questionnaire&) { return "questionnaire_"; }

void refuse(Approval& approval, std::string by) {
  approval.decision = Decision::Deny;
  approval.by = std::move(by);
}
void refuse(Questionnaire& questionnaire, std::string by) {
  questionnaire.answered = true;
  questionnaire.responses = Json("{}");
  questionnaire.by = std::move(by);
}

template <class T>
std::vector<T> listed(const auto& table, const ApprovalListRequest& request) {
  std::vector<T> out;
  for (const auto& [id, open] : table) {
    const SessionKey& owner = open.question.session;
    if (owner.principal != request.principal) continue;
    if (request.session && !(owner == *request.session)) continue;
    out.push_back(open.question);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const T& a, const T& b) { return a.created_ms < b.created_ms; });
  return out;
}

bool is_object(const std::string& json) {
  const auto first = json.find_first_not_of(" \t\r\n");
  return first != std::string::npos && json[first] == '{';
}

}  // namespace

template <class T>
void Questions::open(Table<T>& table, const std::shared_ptr<Session>& session, T question,
                     std::int64_t timeout_ms, std::function<void(const T&)> then) {
  question.id = random_id(prefix(question));
  question.session = session->key();
  question.created_ms = host_.wall_ns() / 1'000'000;
  question.expires_ms = timeout_ms > 0 ? question.created_ms + timeout_ms : 0;
  session->log(body_event(requested(question), question), question.turn);
  Open<T> entry{session, question, std::move(then), {}};
  if (timeout_ms > 0) {
    entry.timer =
        host_.after(std::chrono::milliseconds(timeout_ms), [this, &table, id = question.id] {
          const auto found = table.find(id);
          if (found == table.end()) return;
          T late = found->second.question;
          refuse(late, "timeout");
          close(table, id, std::move(late), true);
        });
  }
  table.emplace(question.id, std::move(entry));
}

template <class T>
T Questions::close(Table<T>& table, const std::string& id, T question, bool tell) {
  auto entry = table.extract(id);
  entry.mapped().session->log(body_event(answered(question), question), question.turn);
  if (tell) entry.mapped().then(question);
  return question;
}

void Questions::ask(const std::shared_ptr<Session>& session, Approval approval,
                    std::int64_t timeout_ms, Decided decided) {
  open(approvals_, session, std::move(approval), timeout_ms, std::move(decided));
}

void Questions::ask(const std::shared_ptr<Session>& session, Questionnaire questionnaire,
                    std::int64_t timeout_ms, Answered then) {
  open(questionnaires_, session, std::move(questionnaire), timeout_ms, std::move(then));
}

OpenQuestions Questions::list(const ApprovalListRequest& request) const {
  return {listed<Approval>(approvals_, request), listed<Questionnaire>(questionnaires_, request)};
}

Result<Approval> Questions::answer(const ApprovalAnswerRequest& request) {
  if (request.decision == Decision::Open) {
    return invalid_argument("decision must be Allow, AllowAlways or Deny; it is missing or Open");
  }
  const auto found = approvals_.find(request.id);
  if (found == approvals_.end() || found->second.question.session.principal != request.principal) {
    return not_found("no approval '" + request.id + "' waits for an answer");
  }
  Approval approval = found->second.question;
  approval.decision = request.decision;
  approval.by = request.by;
  return close(approvals_, request.id, std::move(approval), true);
}

Result<Questionnaire> Questions::answer(const QuestionnaireAnswerRequest& request) {
  if (!is_object(request.responses.text)) {
    return invalid_argument("responses must be an object of question ids and answers");
  }
  const auto found = questionnaires_.find(request.id);
  if (found == questionnaires_.end() ||
      found->second.question.session.principal != request.principal) {
    return not_found("no questionnaire '" + request.id + "' waits for an answer");
  }
  Questionnaire questionnaire = found->second.question;
  questionnaire.answered = true;
  questionnaire.responses = request.responses;
  questionnaire.by = request.by;
  return close(questionnaires_, request.id, std::move(questionnaire), true);
}

void Questions::drop(const Session& session, const std::string& turn, const std::string& by) {
  const auto drop_from = [&](auto& table) {
    std::vector<std::string> ids;
    for (const auto& [id, open] : table) {
      if (open.session.get() == &session && open.question.turn == turn) ids.push_back(id);
    }
    for (const std::string& id : ids) {
      auto question = table.at(id).question;
      refuse(question, by);
      close(table, id, std::move(question), false);
    }
  };
  drop_from(approvals_);
  drop_from(questionnaires_);
}

}  // namespace gantry::agent
