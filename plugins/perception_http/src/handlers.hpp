// SPDX-License-Identifier: Apache-2.0
//
// What the routes do: each makes the answer of its job. Strand only.
#pragma once

#include "job.hpp"

namespace gantry::perception_http {

// ocr_routes.cpp
Task<HttpResponse> run_ocr(Job& job);
Task<HttpResponse> inspect_ocr(Job& job);
Task<HttpResponse> find_text(Job& job);
Task<HttpResponse> find_text_candidates(Job& job);
Task<HttpResponse> resolve_text(Job& job);
Task<HttpResponse> resolve_candidate(Job& job);
Task<HttpResponse> overlay_ocr(Job& job);

// vision_routes.cpp
Task<HttpResponse> locate(Job& job);
Task<HttpResponse> locate_all(Job& job);
Task<HttpResponse> describe(Job& job);
Task<HttpResponse> overlay_vision(Job& job);

}  // namespace gantry::perception_http
