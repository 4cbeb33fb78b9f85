// SPDX-License-Identifier: Apache-2.0
// What a step asks its user: consent to a call, leave that a tool wants, and questionnaires.
#include <utility>

#include "elicitation.hpp"
#include "text.hpp"
#include "tool_step.hpp"

namespace gantry::agent {

std::string wish_of(const ToolCallItem& call) {
  return "The assistant wants to run " + call.tool + " with " +
         std::string(cut_end(visible_text(call.arguments.text), 600));
}

void ToolStep::ask_user(std::size_t index, std::string description,
                        std::function<void(bool)> answer) {
  Call& call = calls_[index];
  call.state = State::Asking;
  call.limit.cancel();
  Approval approval;
  approval.turn = frame_.turn;
  approval.request = call.item.request;
  approval.tool = call.item.tool;
  approval.kind = call.item.kind;
  approval.arguments = call.item.arguments;
  approval.description = std::move(description);
  core_.questions.ask(
      frame_.session, std::move(approval), frame_.policy.approval_timeout_ms,
      [weak = weak_from_this(), index, answer = std::move(answer)](const Approval& decided) {
        const auto self = weak.lock();
        if (!self || self->calls_[index].state != State::Asking) return;
        auto& always = self->frame_.session->record.always_allowed;
        if (decided.decision == Decision::AllowAlways) always.push_back(decided.tool);
        self->calls_[index].state = State::Running;
        self->calls_[index].consented = decided.decision != Decision::Deny;
        answer(self->calls_[index].consented);
      });
}

void ToolStep::run_questionnaire(std::size_t index) {
  Call& call = calls_[index];
  auto questionnaire = questionnaire_of(call.item.arguments);
  if (!questionnaire.ok()) {
    return finish(index, failed(index, ToolEnd::Rejected, questionnaire.error().message));
  }
  call.state = State::Asking;
  questionnaire->turn = frame_.turn;
  questionnaire->request = call.item.request;
  core_.questions.ask(frame_.session, std::move(*questionnaire),
                      frame_.policy.questionnaire_timeout_ms,
                      [weak = weak_from_this(), index](const Questionnaire& answered) {
                        const auto self = weak.lock();
                        if (!self || self->calls_[index].state != State::Asking) return;
                        ToolResultBody body = self->failed(index, ToolEnd::Done, {});
                        body.is_error = false;
                        body.output = answers_text(answered);
                        self->finish(index, std::move(body));
                      });
}

/// Asked for itself, whatever the user has allowed before: it is about more than the call.
void ToolStep::ask_leave(std::size_t index, const Ask& ask, std::function<void(AskAnswer)> answer) {
  const std::weak_ptr<ToolStep> weak = weak_from_this();
  ask_user(index, std::string(cut_end(visible_text(ask.message), 600)),
           [weak, index, id = ask.id, answer = std::move(answer)](bool given) {
             if (const auto self = weak.lock()) {
               self->limit(index, self->calls_[index].item.timeout_ms);
             }
             answer(leave_answer(id, given));
           });
}

void ToolStep::ask_for_tool(std::size_t index, const Ask& ask,
                            std::function<void(AskAnswer)> answer) {
  if (asks_for_leave(ask)) return ask_leave(index, ask, std::move(answer));
  auto questionnaire = questionnaire_of(ask);
  if (!questionnaire.ok() || !frame_.policy.questionnaires) {
    AskAnswer refusal;
    refusal.id = ask.id;
    refusal.error = "nobody can be asked here";
    return answer(std::move(refusal));
  }
  Call& call = calls_[index];
  call.state = State::Asking;
  call.limit.cancel();
  questionnaire->turn = frame_.turn;
  core_.questions.ask(frame_.session, std::move(*questionnaire),
                      frame_.policy.questionnaire_timeout_ms,
                      [weak = weak_from_this(), index, id = ask.id,
                       answer = std::move(answer)](const Questionnaire& answered) {
                        const auto self = weak.lock();
                        if (!self || self->calls_[index].state != State::Asking) return;
                        self->calls_[index].state = State::Running;
                        self->limit(index, self->calls_[index].item.timeout_ms);
                        answer(ask_answer(id, answered));
                      });
}

}  // namespace gantry::agent
