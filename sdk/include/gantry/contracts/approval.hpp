// SPDX-License-Identifier: Apache-2.0
//
// Approvals and questionnaires of the agent engine. They belong to a session: whichever client of
// its principal sees them may answer, once. They are events of the session's log
// (ApprovalRequested, …), can be listed, and end by themselves at `expires_ms` or with their turn.
#pragma once

#include <gantry/contracts/turn.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

enum class Decision : std::uint8_t {
  Open,
  Allow,        // this call
  AllowAlways,  // this tool, for the rest of the session
  Deny
};
BOOST_DESCRIBE_ENUM(Decision, Open, Allow, AllowAlways, Deny)

struct Approval {
  std::string id;
  SessionKey session;
  std::string turn;
  std::string request;  // ToolCallItem::request
  std::string tool;
  ToolClass kind = ToolClass::Act;
  Json arguments{"{}"};
  std::string description;  // a sentence for the user
  std::int64_t created_ms = 0;
  std::int64_t expires_ms = 0;
  Decision decision = Decision::Open;
  std::string by;  // who decided: a client's words, or "timeout", "cancelled", "restart"
};
BOOST_DESCRIBE_STRUCT(Approval, (),
                      (id, session, turn, request, tool, kind, arguments, description, created_ms,
                       expires_ms, decision, by))

struct Questionnaire {
  std::string id;
  SessionKey session;
  std::string turn;
  std::string request;  // ToolCallItem::request; empty: a tool under way asks
  std::string title;
  std::string description;
  // [{"id", "question", "type": single|multiple|text|textarea, "options"?: [{"value", "label",
  // "description"?}], …}]
  Json questions{"[]"};
  std::int64_t created_ms = 0;
  std::int64_t expires_ms = 0;  // 0: with its turn
  bool answered = false;
  Json responses{"{}"};  // {question id: text | [text]}; {}: skipped
  std::string by;        // as of Approval
};
BOOST_DESCRIBE_STRUCT(Questionnaire, (),
                      (id, session, turn, request, title, description, questions, created_ms,
                       expires_ms, answered, responses, by))

struct ApprovalListRequest {
  std::string principal;
  std::optional<SessionKey> session;
};
BOOST_DESCRIBE_STRUCT(ApprovalListRequest, (), (principal, session))

struct OpenQuestions {
  std::vector<Approval> approvals;  // oldest first
  std::vector<Questionnaire> questionnaires;
};
BOOST_DESCRIBE_STRUCT(OpenQuestions, (), (approvals, questionnaires))

struct ApprovalList {
  static constexpr std::string_view kName = "gantry.approval.list/1";
  static constexpr std::string_view kDoc = "What waits for an answer of a principal.";
  using Request = ApprovalListRequest;
  using Response = OpenQuestions;
};

struct ApprovalAnswerRequest {
  std::string principal;
  std::string id;
  Decision decision = Decision::Open;  // is no answer: it must be given
  std::string by;
};
BOOST_DESCRIBE_STRUCT(ApprovalAnswerRequest, (), (principal, id, decision, by))

/// Errors: not_found (not open any more, or somebody else's), invalid_argument (without a
/// decision, or with Open).
struct ApprovalAnswer {
  static constexpr std::string_view kName = "gantry.approval.answer/1";
  static constexpr std::string_view kDoc = "Allows or denies one call of a tool.";
  using Request = ApprovalAnswerRequest;
  using Response = Approval;
};

struct QuestionnaireAnswerRequest {
  std::string principal;
  std::string id;
  Json responses{"{}"};  // an object
  std::string by;
};
BOOST_DESCRIBE_STRUCT(QuestionnaireAnswerRequest, (), (principal, id, responses, by))

/// Errors: not_found, invalid_argument (not an object).
struct QuestionnaireAnswer {
  static constexpr std::string_view kName = "gantry.questionnaire.answer/1";
  static constexpr std::string_view kDoc = "Answers a questionnaire.";
  using Request = QuestionnaireAnswerRequest;
  using Response = Questionnaire;
};

}  // namespace gantry
