// SPDX-License-Identifier: Apache-2.0
#include "views.hpp"

namespace gantry::perception_http {
namespace {

namespace json = boost::json;

json::object point_view(std::int32_t x, std::int32_t y) { return {{"x", x}, {"y", y}}; }

}  // namespace

json::object image_view(const Source& source) {
  const bool inside = source.artifact_id.empty();
  return {{"source_id", source.source_id},
          {"artifact_id", inside ? json::value(nullptr) : json::value(source.artifact_id)},
          {"content_type", source.content_type},
          {"width", source.image.width},
          {"height", source.image.height}};
}

json::object box_view(const Rect& box) {
  return {{"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}};
}

json::object row_view(const Row& row) {
  return {{"id", row.id},
          {"text", row.text},
          {"confidence", row.confidence},
          {"bbox", box_view(row.bbox)},
          {"center", point_view(center_x(row), center_y(row))},
          {"candidate_id", row.candidate_id},
          {"score", row.score ? json::value(*row.score) : json::value(nullptr)}};
}

json::array rows_view(const std::vector<Row>& rows) {
  json::array out;
  for (const Row& row : rows) out.push_back(row_view(row));
  return out;
}

json::object overlay_view(const Source& source, const Saved& saved, std::string_view base_url) {
  json::object view = agent_http::artifact_view(saved.info, base_url);
  view["image"] = image_view(source);
  view["annotation_count"] = saved.annotations;
  return view;
}

json::object target_view(const VisionMatch& match, std::string_view description, std::size_t rank) {
  json::object view{{"description", json::string(description)},
                    {"center", point_view(match.x, match.y)},
                    {"rank", rank}};
  // Besides what is published: how sure it is, and why.
  view["confidence"] = match.confidence;
  view["source"] = match.source;
  if (!match.reason.empty()) view["reason"] = match.reason;
  if (!match.text.empty()) view["text"] = match.text;
  if (match.bbox.width > 0 && match.bbox.height > 0) view["bbox"] = box_view(match.bbox);
  return view;
}

}  // namespace gantry::perception_http
