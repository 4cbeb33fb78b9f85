// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/approval.hpp>

GANTRY_INSTANTIATE(gantry::Approval)
GANTRY_INSTANTIATE(gantry::Questionnaire)
GANTRY_INSTANTIATE(gantry::ApprovalListRequest)
GANTRY_INSTANTIATE(gantry::OpenQuestions)
GANTRY_INSTANTIATE(gantry::ApprovalAnswerRequest)
GANTRY_INSTANTIATE(gantry::QuestionnaireAnswerRequest)
