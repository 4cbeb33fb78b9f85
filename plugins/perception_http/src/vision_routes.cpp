// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/vision.hpp>
#include <gantry/errand.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "handlers.hpp"
#include "views.hpp"

namespace gantry::perception_http {
namespace {

using agent_http::detail;
using agent_http::integer_of;
using agent_http::json_response;
using agent_http::text_of;

namespace json = boost::json;

constexpr std::string_view kNoVision = "Vision service not available";
constexpr std::int32_t kUsualTargets = 5;

/// 404 with what comes nearest.
HttpResponse not_found_response(const Error& error) {
  json::array candidates;
  const auto known = from_json<VisionLocateDetail>(error.detail);
  if (known.ok()) {
    for (const VisionMatch& match : known->matches) {
      candidates.push_back(json::object{{"text", match.text},
                                        {"role", match.role},
                                        {"score", match.confidence},
                                        {"x", match.x},
                                        {"y", match.y},
                                        {"source", match.source}});
    }
  }
  return json_response(
      404, json::object{{"detail", json::object{{"message", error.message},
                                                {"resolver_payload",
                                                 json::object{{"candidates", candidates}}}}}});
}

HttpResponse vision_failure(Job& job, const Error& error) {
  if (error.code == Code::NotFound) return not_found_response(error);
  if (error.code == Code::InvalidArgument) return detail(422, error.message);
  return service_failure(job, error, kNoVision);
}

/// The targets of the body's description, the best first.
Task<Refusal> locate_targets(Job& job, std::int32_t most, json::array& targets) {
  if (Refusal refused = co_await open_source(job)) co_return refused;
  VisionLocateRequest wish;
  wish.image = job.source.image;
  wish.description = text_of(job.body(), "description");
  wish.max_results = most;
  wish.languages = job.exchange->shared().settings.languages;
  const auto found = co_await ask<VisionLocate>(job.host(), job.errand, std::move(wish));
  if (!found.ok()) co_return vision_failure(job, found.error());
  const std::string description = text_of(job.body(), "description");
  for (const VisionMatch& match : (*found)->matches) {
    if (std::cmp_greater_equal(targets.size(), most)) break;
    targets.push_back(target_view(match, description, targets.size() + 1));
  }
  if (targets.empty()) co_return vision_failure(job, not_found("nothing fits the description"));
  co_return std::nullopt;
}

json::object located_view(const Job& job) {
  return {{"image", image_view(job.source)}, {"description", text_of(job.body(), "description")}};
}

Rect rect_of(const json::object& region) {
  return {integer_of(region, "x", 0), integer_of(region, "y", 0), integer_of(region, "width", 1),
          integer_of(region, "height", 1)};
}

/// Cuts a region whose corner is in the picture to it.
void trim_to(const Image& image, Rect& region) {
  region.width = std::min(region.width, image.width - region.x);
  region.height = std::min(region.height, image.height - region.y);
}

/// The part of a picture as a source of its own.
Source crop_of(const Source& whole, const Rect& region) {
  Source part;
  part.source_id = fmt::format("{}:crop:{}:{}:{}:{}", whole.source_id, region.x, region.y,
                               region.width, region.height);
  part.content_type = "image/png";
  part.image.width = region.width;
  part.image.height = region.height;
  return part;
}

const json::array& list_of(const json::object& body, std::string_view name) {
  static const json::array kNone;
  const json::value* list = body.if_contains(name);
  return list != nullptr && list->is_array() ? list->get_array() : kNone;
}

VisionOverlayRequest drawing_of_body(const Job& job) {
  const json::object& result = job.body().at("result").get_object();
  const bool labels = agent_http::flag_of(job.body(), "show_labels", true);
  const auto label = [labels](const json::object& drawn) {
    return labels ? text_of(drawn, "label") : std::string();
  };
  VisionOverlayRequest drawing;
  for (const json::value& item : list_of(result, "regions")) {
    const json::object& region = item.get_object();
    OverlayBox box;
    box.bbox = rect_of(region);
    box.label = label(region);
    box.colour = text_of(region, "color");
    drawing.boxes.push_back(std::move(box));
  }
  for (const json::value& item : list_of(result, "points")) {
    const json::object& point = item.get_object();
    drawing.points.push_back({integer_of(point, "x", 0), integer_of(point, "y", 0), label(point),
                              text_of(point, "color")});
  }
  return drawing;
}

}  // namespace

Task<HttpResponse> locate(Job& job) {
  json::array targets;
  if (Refusal refused = co_await locate_targets(job, 1, targets)) co_return std::move(*refused);
  json::object view = located_view(job);
  view["match"] = targets.front();
  co_return json_response(200, view);
}

Task<HttpResponse> locate_all(Job& job) {
  const std::int32_t most = integer_of(job.body(), "max_results", kUsualTargets);
  json::array targets;
  if (Refusal refused = co_await locate_targets(job, most, targets)) {
    co_return std::move(*refused);
  }
  json::object view = located_view(job);
  view["matches"] = std::move(targets);
  co_return json_response(200, view);
}

Task<HttpResponse> describe(Job& job) {
  if (Refusal refused = co_await open_source(job)) co_return std::move(*refused);
  const json::value* const wanted = job.body().if_contains("region");
  VisionDescribeRequest wish;
  wish.image = job.source.image;
  wish.languages = job.exchange->shared().settings.languages;
  json::value region = nullptr;
  Source shown = job.source;
  if (wanted != nullptr && wanted->is_object()) {
    Rect part = rect_of(wanted->get_object());
    if (part.x >= wish.image.width || part.y >= wish.image.height) {
      co_return detail(422, "Requested region is outside image bounds");
    }
    trim_to(wish.image, part);
    wish.region = part;
    shown = crop_of(job.source, part);
    region = box_view({0, 0, part.width, part.height});
  }
  const auto described = co_await ask<VisionDescribe>(job.host(), job.errand, std::move(wish));
  if (!described.ok()) co_return vision_failure(job, described.error());
  if ((*described)->text.empty()) {
    co_return detail(502, "Vision provider returned an empty description");
  }
  co_return json_response(200, json::object{{"image", image_view(shown)},
                                            {"region", region},
                                            {"description", (*described)->text}});
}

Task<HttpResponse> overlay_vision(Job& job) {
  if (Refusal refused = co_await open_source(job)) co_return std::move(*refused);
  VisionOverlayRequest drawing = drawing_of_body(job);
  Saved saved;
  if (Refusal refused = co_await save_overlay(job, std::move(drawing), saved)) {
    co_return std::move(*refused);
  }
  co_return json_response(200, overlay_view(job.source, saved, job.exchange->base_url()));
}

}  // namespace gantry::perception_http
