// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <array>
#include <memory>
#include <utility>

#include "handlers.hpp"
#include "models.hpp"

namespace gantry::perception_http {
namespace {

using agent_http::Exchange;
using agent_http::Route;

/// Runs a route's task to its end and answers with what it makes.
template <Task<HttpResponse> (*Handler)(Job&)>
void answer(Exchange& exchange) {
  const auto job = std::make_shared<Job>();
  job->exchange = std::static_pointer_cast<PictureExchange>(exchange.shared_from_this());
  job->exchange->when_gone([errand = job->errand] { errand->give_up(); });
  spawn(
      job->exchange->shared().running, Handler(*job),
      [job](HttpResponse response) { job->exchange->answer(std::move(response)); },
      [job](const std::exception_ptr&) {
        job->exchange->fail(Error{Code::ResourceExhausted, "out of memory", {}});
      });
}

template <Task<HttpResponse> (*Handler)(Job&)>
constexpr Route post(std::string_view path, const agent_http::Model& body) {
  return {"POST", path, nullptr, &body, &answer<Handler>};
}

const std::array kRoutes = {
    post<&run_ocr>("/api/sdk/ocr/run", kImageBody),
    post<&inspect_ocr>("/api/sdk/ocr/inspect", kInspectBody),
    post<&find_text>("/api/sdk/ocr/find-text", kTextQueryBody),
    post<&find_text_candidates>("/api/sdk/ocr/find-text-candidates", kTextQueryBody),
    post<&resolve_text>("/api/sdk/ocr/resolve-text", kTextQueryBody),
    post<&resolve_candidate>("/api/sdk/ocr/resolve-candidate", kCandidateBody),
    post<&overlay_ocr>("/api/sdk/ocr/overlay", kOcrOverlayBody),
    post<&locate>("/api/sdk/vision/locate", kLocateBody),
    post<&locate_all>("/api/sdk/vision/locate-all", kLocateAllBody),
    post<&describe>("/api/sdk/vision/describe", kDescribeBody),
    post<&overlay_vision>("/api/sdk/vision/overlay", kVisionOverlayBody),
};

}  // namespace

std::span<const Route> all_routes() { return kRoutes; }

}  // namespace gantry::perception_http
