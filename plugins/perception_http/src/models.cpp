// SPDX-License-Identifier: Apache-2.0
#include "models.hpp"

#include <array>
#include <string>
#include <string_view>

namespace gantry::perception_http {
namespace {

using agent_http::Field;
using agent_http::FieldKind;
using agent_http::Model;
using agent_http::text_of;

namespace json = boost::json;

std::string one_source(const json::object& image) {
  const bool named = !text_of(image, "artifact_id").empty();
  const bool inside = !text_of(image, "image_base64").empty();
  return named != inside ? "" : "Provide exactly one of artifact_id or image_base64";
}

std::string one_filter(const json::object& body) {
  const bool both = !text_of(body, "text").empty() && !text_of(body, "candidate_id").empty();
  return both ? "Provide at most one of text or candidate_id" : "";
}

constexpr std::array kImageFields = {Field{.name = "artifact_id"}, Field{.name = "image_base64"}};
constexpr Model kImage{kImageFields, true, &one_source};

constexpr Field image() {
  return {.name = "image", .kind = FieldKind::One, .required = true, .model = &kImage};
}
constexpr Field text(bool required) {
  return {.name = "text", .required = required, .min = 1, .max = 2000};
}
constexpr Field threshold() {
  return {.name = "threshold",
          .kind = FieldKind::Number,
          .nullable = false,
          .at_least = 0,
          .at_most = 1};
}
constexpr Field max_results(double most) {
  return {.name = "max_results",
          .kind = FieldKind::Integer,
          .nullable = false,
          .at_least = 1,
          .at_most = most};
}
constexpr Field flag(std::string_view name) {
  return {.name = name, .kind = FieldKind::Flag, .nullable = false};
}
constexpr Field candidate(bool required) {
  return {.name = "candidate_id", .required = required, .min = 1, .max = 128};
}
constexpr Field description() {
  return {.name = "description", .required = true, .min = 1, .max = 2000};
}
constexpr Field corner(std::string_view name) {
  return {.name = name, .kind = FieldKind::Integer, .required = true, .at_least = 0};
}
constexpr Field side(std::string_view name) {
  return {.name = name, .kind = FieldKind::Integer, .required = true, .more_than = 0};
}
constexpr Field coordinate(std::string_view name) {
  return {.name = name, .kind = FieldKind::Integer, .required = true};
}

constexpr double kMostRows = 100;
constexpr double kMostTargets = 25;

constexpr std::array kImageOnly = {image()};
constexpr std::array kInspect = {image(),
                                 text(false),
                                 threshold(),
                                 max_results(kMostRows),
                                 flag("include_overlay"),
                                 flag("show_labels")};
constexpr std::array kTextQuery = {image(), text(true), threshold(), max_results(kMostRows)};
constexpr std::array kCandidate = {image(), candidate(true)};
constexpr std::array kOcrOverlay = {image(),
                                    text(false),
                                    candidate(false),
                                    threshold(),
                                    max_results(kMostRows),
                                    flag("show_labels")};
constexpr std::array kLocate = {image(), description()};
constexpr std::array kLocateAll = {image(), description(), max_results(kMostTargets)};

constexpr std::array kRegionFields = {corner("x"), corner("y"), side("width"), side("height")};
constexpr Model kRegion{kRegionFields, true};
constexpr std::array kDescribe = {
    image(), Field{.name = "region", .kind = FieldKind::One, .model = &kRegion}};

constexpr Field label() { return {.name = "label", .max = 200}; }
constexpr Field color() { return {.name = "color", .max = 32}; }
constexpr std::array kDrawnPoint = {coordinate("x"), coordinate("y"), label(), color()};
constexpr std::array kDrawnRegion = {corner("x"),    corner("y"), side("width"),
                                     side("height"), label(),     color()};
constexpr Model kDrawnPointBody{kDrawnPoint, true};
constexpr Model kDrawnRegionBody{kDrawnRegion, true};
constexpr std::array kDrawn = {
    // Clients send the picture's description back with what was found in it.
    Field{.name = "image", .kind = FieldKind::Object},
    Field{
        .name = "points", .kind = FieldKind::Models, .model = &kDrawnPointBody, .nullable = false},
    Field{.name = "regions",
          .kind = FieldKind::Models,
          .model = &kDrawnRegionBody,
          .nullable = false}};
constexpr Model kDrawnBody{kDrawn, true};
constexpr std::array kVisionOverlay = {
    image(),
    Field{.name = "result", .kind = FieldKind::One, .required = true, .model = &kDrawnBody},
    flag("show_labels")};

}  // namespace

const Model kImageBody{kImageOnly, true};
const Model kInspectBody{kInspect, true};
const Model kTextQueryBody{kTextQuery, true};
const Model kCandidateBody{kCandidate, true};
const Model kOcrOverlayBody{kOcrOverlay, true, &one_filter};
const Model kLocateBody{kLocate, true};
const Model kLocateAllBody{kLocateAll, true};
const Model kDescribeBody{kDescribe, true};
const Model kVisionOverlayBody{kVisionOverlay, true};

}  // namespace gantry::perception_http
