// SPDX-License-Identifier: Apache-2.0
//
// The bodies of the routes. Any thread.
#pragma once

#include <gantry/agent_http/body_model.hpp>

namespace gantry::perception_http {

extern const agent_http::Model kImageBody;          // image
extern const agent_http::Model kInspectBody;        // image, text and how to match it
extern const agent_http::Model kTextQueryBody;      // the same, with a text
extern const agent_http::Model kCandidateBody;      // image, candidate_id
extern const agent_http::Model kOcrOverlayBody;     // image, text or candidate_id
extern const agent_http::Model kLocateBody;         // image, description
extern const agent_http::Model kLocateAllBody;      // the same, max_results
extern const agent_http::Model kDescribeBody;       // image, region
extern const agent_http::Model kVisionOverlayBody;  // image, result, show_labels

}  // namespace gantry::perception_http
