// SPDX-License-Identifier: Apache-2.0
#include "frame.hpp"

#include <gantry/codec.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kEventMembers = 48;  // bytes of an event beside its name and payload

const json::value* member(const json::object& from, std::string_view name) {
  return from.if_contains(name);
}

std::string text_of(const json::object& from, std::string_view name) {
  const json::value* found = member(from, name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

/// JSON has no number for what is beyond a double: it would be answered with what is no JSON.
bool is_finite(const json::value& value) {
  switch (value.kind()) {
    case json::kind::double_: return std::isfinite(value.get_double());
    case json::kind::array:
      return std::all_of(value.get_array().begin(), value.get_array().end(), &is_finite);
    case json::kind::object:
      return std::all_of(value.get_object().begin(), value.get_object().end(),
                         [](const auto& row) { return is_finite(row.value()); });
    default: return true;
  }
}

Decoded refuse(json::value id, std::string why) {
  return {std::nullopt, std::move(id), std::move(why)};
}

}  // namespace

std::string_view wire_code(Code code) {
  switch (code) {
    case Code::InvalidArgument:
    case Code::OutOfRange: return wire::kInvalidRequest;
    case Code::NotFound: return wire::kNotFound;
    case Code::AlreadyExists: return wire::kAlreadyExists;
    case Code::PermissionDenied:
    case Code::Unauthenticated: return wire::kUnauthorized;
    case Code::ResourceExhausted: return wire::kResourceExhausted;
    case Code::FailedPrecondition:
    case Code::Aborted: return wire::kFailedPrecondition;
    case Code::Unavailable:
    case Code::Unimplemented:
    case Code::DeadlineExceeded: return wire::kUnavailable;
    default: return wire::kInternal;
  }
}

Decoded decode(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::error_code problem;
  json::value parsed = json::parse(text, problem, {}, options);
  if (problem) return refuse("", "invalid frame: " + problem.message());
  if (parsed.is_null()) return refuse("", "unexpected frame type: ");
  if (!parsed.is_object()) return refuse("", "invalid frame: a frame is a JSON object");
  if (!is_finite(parsed)) return refuse("", "invalid frame: a number is out of range");
  json::object& object = parsed.get_object();
  const json::value* given = member(object, "id");
  json::value id = "";
  if (given != nullptr && (given->is_string() || given->is_number())) id = *given;
  const std::string type = text_of(object, "type");
  if (type != "req") return refuse("", "unexpected frame type: " + type);
  if (given != nullptr && !given->is_null() && !given->is_string() && !given->is_number()) {
    return refuse("", "malformed request: id is a string or a number");
  }
  const json::value* method = member(object, "method");
  if (method != nullptr && !method->is_null() && !method->is_string()) {
    return refuse(std::move(id), "malformed request: method is a string");
  }
  Frame frame;
  frame.id = id;
  frame.method = text_of(object, "method");
  if (json::value* params = object.if_contains("params"); params != nullptr) {
    frame.params_are_object = params->is_object() || params->is_null();
    if (params->is_object()) frame.params = std::move(params->get_object());
  }
  return {std::move(frame), std::move(id), {}};
}

Answer failed(const Error& error) { return refused(wire_code(error.code), error.message); }

std::string write_answer(const json::value& id, const Answer& answer) {
  // Text after text: a payload may be large, and a value that holds it would be a copy.
  std::string out = R"({"type":"res","id":)" + codec::serialize(id);
  if (!answer.ok) {
    const json::object error{{"code", answer.code}, {"message", answer.message}};
    return out + R"(,"ok":false,"error":)" + codec::serialize(error) + '}';
  }
  out += R"(,"ok":true)";
  if (!answer.payload.is_null()) out += R"(,"payload":)" + codec::serialize(answer.payload);
  return out + '}';
}

std::string write_event(std::string_view name, const json::value& payload,
                        std::optional<std::uint64_t> seq) {
  return write_event_of(name, payload.is_null() ? std::string() : codec::serialize(payload), seq);
}

std::string write_event_of(std::string_view name, std::string_view payload,
                           std::optional<std::uint64_t> seq) {
  std::string out = R"({"type":"event","event":)";
  out.reserve(out.size() + name.size() + payload.size() + kEventMembers);
  codec::write_string(out, name);
  if (!payload.empty()) {
    out += R"(,"payload":)";
    out += payload;
  }
  if (seq) out += R"(,"seq":)" + std::to_string(*seq);
  return out += '}';
}

}  // namespace gantry::gateway
