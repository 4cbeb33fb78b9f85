// SPDX-License-Identifier: Apache-2.0
//
// The models of the bodies that the routes take.
#pragma once

#include <gantry/agent_http/body_model.hpp>

namespace gantry::agent_http {

extern const Model kRegisterBody;
extern const Model kEmbedBody;
extern const Model kSummarizeBody;
extern const Model kTitleBody;
extern const Model kPromptPreviewBody;
extern const Model kQueryPlanBody;
extern const Model kCreateRunBody;
extern const Model kRunEventBody;
extern const Model kRunControlBody;
extern const Model kHeartbeatBody;
extern const Model kDispatchedBody;
extern const Model kStopAllBody;

}  // namespace gantry::agent_http
