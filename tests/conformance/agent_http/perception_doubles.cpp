// SPDX-License-Identifier: Apache-2.0
#include "perception_doubles.hpp"

#include <gantry/contracts/ocr.hpp>
#include <gantry/contracts/vision.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace gantry::conformance {
namespace {

Result<OcrResult> read(const OcrRequest& request) {
  OcrResult out;
  out.route = "double";
  switch (request.image.width) {
    case 200:
      out.words = {{"Search", 98, {20, 10, 60, 16}, 0}, {"Amazon", 96, {86, 10, 54, 16}, 0},
                   {"Cancel", 90, {20, 40, 61, 15}, 1}, {"Cancel", 90, {120, 40, 61, 15}, 2},
                   {"Search", 80, {20, 70, 60, 16}, 3}, {"Walmart", 80, {86, 70, 60, 16}, 3}};
      return out;
    case 300: out.words = {{"Save", 99, {100, 40, 40, 20}, 0}}; return out;
    case 30: return unavailable("the double reads nothing that small");
    default: return out;
  }
}

VisionMatch match_at(std::int32_t x, std::int32_t y) {
  VisionMatch match;
  match.x = x;
  match.y = y;
  match.confidence = 0.75;
  match.source = "vision";
  match.reason = "the double says so";
  return match;
}

Result<VisionLocateResult> locate(const VisionLocateRequest& request) {
  if (request.description == "broken") return unavailable("the double is broken");
  if (request.description == "wrong") return invalid_argument("the double wants another word");
  if (request.description == "nothing") {
    return Error{Code::NotFound, "nothing fits 'nothing'",
                 R"({"reason":"not_found","matches":[{"x":1,"y":2,"bbox":{"x":0,"y":0,"width":0,)"
                 R"("height":0},"kind":"text","role":"","text":"Nothin","confidence":0.4,)"
                 R"("source":"ocr","reason":""}]})"};
  }
  VisionLocateResult out;
  out.route = "double";
  if (request.description == "empty") return out;  // which the contract forbids
  const std::int32_t count = request.description == "many" ? 30 : 1;
  for (std::int32_t i = 0; i < count; ++i) {
    out.matches.push_back(match_at(request.image.width / 2 + i, request.image.height / 2));
  }
  return out;
}

Result<VisionDescription> describe(const VisionDescribeRequest& request) {
  VisionDescription out;
  out.route = "double";
  if (request.image.width == 64) return out;
  const Rect part = request.region.value_or(Rect{0, 0, request.image.width, request.image.height});
  out.text = "part " + std::to_string(part.width) + "x" + std::to_string(part.height) + " at " +
             std::to_string(part.x) + "," + std::to_string(part.y);
  return out;
}

void check(const Result<void>& served) {
  if (!served.ok()) throw std::runtime_error(served.error().message);
}

}  // namespace

void serve_perception_doubles(Host& host) {
  check(host.bus().serve<OcrRead>([](const OcrRequest& request) { return read(request); }));
  check(host.bus().serve<VisionLocate>(
      [](const VisionLocateRequest& request) { return locate(request); }));
  check(host.bus().serve<VisionDescribe>(
      [](const VisionDescribeRequest& request) { return describe(request); }));
}

}  // namespace gantry::conformance
