// SPDX-License-Identifier: Apache-2.0
#pragma once
// Questionnaires: from the model's own tool, and from the forms that tools ask with (the Model
// Context Protocol's elicitation). Pure functions.

#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/content.hpp>
#include <gantry/result.hpp>

#include <string>

namespace gantry::agent {

/// Of the arguments of the tool `questionnaire`, which fit its schema.
[[nodiscard]] Result<Questionnaire> questionnaire_of(const Json& arguments);
/// Of a form: one question for each member of its schema. Errors: unimplemented (no form).
[[nodiscard]] Result<Questionnaire> questionnaire_of(const Ask& ask);

/// Whether a form asks for nothing but leave to go on: one member, `allow`, true or false. Users
/// answer it as an approval, also where a protocol has no questionnaires.
[[nodiscard]] bool asks_for_leave(const Ask& ask);
[[nodiscard]] AskAnswer leave_answer(const std::string& id, bool given);

/// What the model reads: a line "**question:** answer" for each that was answered.
[[nodiscard]] std::string answers_text(const Questionnaire& answered);
/// What the tool reads.
[[nodiscard]] AskAnswer ask_answer(const std::string& id, const Questionnaire& answered);

}  // namespace gantry::agent
