// SPDX-License-Identifier: Apache-2.0
// Results of tools that the client has run.
#include <gantry/codec.hpp>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <string_view>
#include <utility>

#include "connection.hpp"
#include "json_field.hpp"

namespace gantry::agent_ws {

/// A picture that came with a result; nothing when there was none.
struct GivenPicture {
  std::string ref;   // artifact
  std::string text;  // base64 or a data URL, when no artifact is named
  Json capture;      // capture_meta, or null
};

namespace {

namespace json = boost::json;

/// What has a place of its own in the engine's result, or is a picture.
constexpr std::array<std::string_view, 10> kOwnPlace{
    "output",    "screenshot", "screenshot_ref", "request_id", "success",
    "bundle_id", "status",     "step_results",   "error",      "tool"};

/// What the model reads: text as it is, anything else as JSON.
std::string output_text(const Json& output) {
  json::error_code problem;
  const json::value value = json::parse(output.text, problem);
  if (!problem && value.is_string()) return std::string(value.get_string());
  return !problem && value.is_null() ? std::string() : output.text;
}

/// The members that have no place of their own, for the log.
Json extra_of(const json::object& given) {
  json::object kept;
  for (const auto& entry : given) {
    const std::string_view name(entry.key().data(), entry.key().size());
    if (std::find(kOwnPlace.begin(), kOwnPlace.end(), name) == kOwnPlace.end()) {
      kept[name] = entry.value();
    }
  }
  return kept.empty() ? Json() : Json(codec::serialize(kept));
}

/// The picture of a result, of one call or of a bundle.
template <class T>
GivenPicture given_picture(const T& result) {
  return {result.screenshot_ref.value_or(""), result.screenshot.value_or(""),
          result.capture_meta.value_or(Json())};
}

/// Bytes of a picture that came inline, as base64 or a data URL.
Buffer picture_bytes(std::string_view text) {
  if (text.starts_with("data:")) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return {};
    text = text.substr(comma + 1);
  }
  auto bytes = codec::read_base64(text);
  return bytes.ok() ? Buffer::of(std::move(*bytes)) : Buffer();
}

}  // namespace

void Connection::on_tool_result(const ToolResultPayload& result, const json::object& raw) {
  ClientToolResult made;
  made.call = result.request_id;
  made.success = result.success;
  made.output = output_text(result.data.output);
  made.error = result.error.value_or("");
  if (!made.success && made.error.empty()) made.error = made.output;
  made.extra = extra_of(raw.at("data").as_object());
  hand_over({principal_, {std::move(made)}, ""}, given_picture(result.data));
}

void Connection::on_bundle_result(const ToolBundleResultPayload& result, const json::object& raw) {
  const std::vector<std::string> calls = server_.take_bundle(principal_, result.bundle_id);
  TurnResultsRequest request{principal_, {}, result.bundle_id};
  const json::array& steps = raw.at("step_results").as_array();
  for (std::size_t i = 0; i < result.step_results.size() && i < calls.size(); ++i) {
    const StepResult& step = result.step_results[i];
    ClientToolResult made;
    made.call = calls[i];
    made.success = step.status == "ok" || step.status == "success";
    made.output = step.output ? output_text(*step.output) : std::string();
    const json::object& given = steps[i].as_object();
    if (const json::value* error = given.if_contains("error");
        error != nullptr && error->is_string()) {
      made.error = std::string(error->get_string());
    }
    if (!made.success && made.error.empty()) {
      made.error = made.output.empty() ? result.error.value_or("") : made.output;
    }
    made.extra = extra_of(given);
    request.results.push_back(std::move(made));
  }
  GivenPicture picture;
  if (!request.results.empty()) {  // the picture shows what the last step has left
    ClientToolResult& last = request.results.back();
    picture = given_picture(result);
    if (last.extra.text == "null") last.extra = extra_of(raw);
  }
  hand_over(std::move(request), picture);
}

/// The picture becomes known to the turn by its type: one that came inline is made an artifact, one
/// that is named is looked up. One that cannot be had is left out, for the turn waits for its
/// result.
void Connection::hand_over(TurnResultsRequest request, const GivenPicture& picture) {
  CallOptions control;
  control.lane = GANTRY_LANE_CONTROL;
  const std::weak_ptr<Connection> weak = weak_from_this();
  Host& host = server_.host();
  const auto deliver = [weak, &host, control](TurnResultsRequest results) {
    host.bus().call<TurnResults>(
        std::move(results),
        [weak](Result<Ref<TurnResultsTaken>> taken) {
          const auto self = weak.lock();
          if (!self) return;
          if (!taken.ok()) {
            self->server_.count(AgentErrorCode::TOOL_EXECUTION_ERROR,
                                "a tool's result was not taken", taken.error().message);
          } else if (!(*taken)->unknown.empty()) {
            self->host().log().debug("a tool's result came for a call that nobody waits for");
          }
        },
        control);
  };
  const Buffer bytes = picture.ref.empty() ? picture_bytes(picture.text) : Buffer();
  if (picture.ref.empty() && bytes.empty()) return deliver(std::move(request));
  auto shown = [weak, deliver, request = std::move(request),
                capture = picture.capture](const Result<Ref<ArtifactInfo>>& known) mutable {
    if (known.ok()) {
      request.results.back().images.push_back(
          {(*known)->artifact_id, (*known)->content_type, "", std::move(capture)});
    } else if (const auto self = weak.lock()) {
      self->server_.count(AgentErrorCode::TOOL_VALIDATION_ERROR,
                          "a screenshot of a tool's result is left out", known.error().message);
    }
    deliver(std::move(request));
  };
  if (!picture.ref.empty()) {
    host.bus().call<ArtifactStat>({principal_, picture.ref}, std::move(shown), control);
    return;
  }
  host.bus().call<ArtifactPut>({principal_, bytes, "", "screenshot"}, std::move(shown), control);
}

}  // namespace gantry::agent_ws
