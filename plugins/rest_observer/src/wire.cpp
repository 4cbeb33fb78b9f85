// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cmath>

#include "ascii_json.hpp"

namespace gantry::rest_observer {
namespace {

namespace json = boost::json;

struct StatusRow {
  std::string_view code;
  int status;
};
constexpr std::array<StatusRow, 18> kStatuses{{{"ElementNotFound", 404},
                                               {"WindowGone", 404},
                                               {"SnapshotExpired", 410},
                                               {"PermissionDenied", 403},
                                               {"ConfirmationRequired", 412},
                                               {"ConfirmationInvalid", 412},
                                               {"RateLimited", 429},
                                               {"BudgetExceeded", 429},
                                               {"BadRequest", 400},
                                               {"ScenarioInvalid", 400},
                                               {"PlatformUnsupported", 501},
                                               {"PredicateUnsupported", 501},
                                               {"PatternUnsupported", 501},
                                               {"Timeout", 408},
                                               {"ElementOccluded", 409},
                                               {"ElementDisabled", 409},
                                               {"WindowOccluded", 409},
                                               {"Internal", 500}}};

/// The first version's routes know 400 and 500 only; 404 tells a stale window apart.
constexpr std::array<std::string_view, 3> kPlainStatusCodes{"BadRequest", "WindowGone",
                                                            "ElementNotFound"};

constexpr std::array<ActionRow, 4> kActions{{{"click_at", "click_at", {}},
                                             {"type", "type_text", "text"},
                                             {"key", "press_key", "keys"},
                                             {"scroll", "scroll", {}}}};

constexpr std::string_view kOkName = "ok";
constexpr std::string_view kSuccessName = "success";
constexpr std::string_view kErrorName = "error";

json::object failed_object() { return {{kOkName, false}, {kSuccessName, false}}; }

json::object error_object(std::string_view code, std::string_view message, bool recoverable,
                          std::string_view next_tool) {
  json::object error{{"code", code},
                     {"message", message},
                     {"recoverable", recoverable},
                     {"suggested_next_tool", nullptr},
                     {"context", json::object()}};
  if (!next_tool.empty()) error["suggested_next_tool"] = next_tool;
  return error;
}

int plain_status(std::string_view code) {
  const bool told_apart = std::find(kPlainStatusCodes.begin(), kPlainStatusCodes.end(), code) !=
                          kPlainStatusCodes.end();
  return told_apart ? status_of(code) : kInternal;
}

/// A tool's error object under another name, so that "error" can be the text of the first version.
std::string action_failure(const ObserverToolResult& result) {
  json::error_code broken;
  json::value parsed = json::parse(result.result.text, broken);
  json::object body = !broken && parsed.is_object() ? parsed.get_object() : failed_object();
  if (json::value* object = body.if_contains(kErrorName)) body["error_object"] = *object;
  body[kErrorName] = result.message;
  return ascii_json(body);
}

/// What the reference reports about its text recognition, with what is true here.
json::object ocr_object(const ObserverSense& ocr) {
  json::object out{{"available", ocr.available}, {"pytesseract_installed", false},
                   {"configured_path", nullptr}, {"configured_path_exists", false},
                   {"path_discovered", nullptr}, {"version", nullptr},
                   {kErrorName, nullptr},        {"hint", nullptr}};
  if (!ocr.available) {
    out[kErrorName] = ocr.reason;
    out["hint"] = ocr.cure;
  }
  return out;
}

bool is_empty_value(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return true;
    case json::kind::bool_: return !value.get_bool();
    case json::kind::int64: return value.get_int64() == 0;
    case json::kind::uint64: return value.get_uint64() == 0;
    case json::kind::double_: return value.get_double() == 0;
    case json::kind::string: return value.get_string().empty();
    case json::kind::array: return value.get_array().empty();
    case json::kind::object: return value.get_object().empty();
  }
  return false;
}

/// Whether a number is beyond what a number can hold, such as 1e999.
bool has_infinity(const json::value& value) {
  const auto inside = [](const json::value& element) { return has_infinity(element); };
  if (const json::array* array = value.if_array()) {
    return std::any_of(array->begin(), array->end(), inside);
  }
  if (const json::object* object = value.if_object()) {
    return std::any_of(object->begin(), object->end(),
                       [](const auto& member) { return has_infinity(member.value()); });
  }
  return value.is_double() && !std::isfinite(value.get_double());
}

}  // namespace

int status_of(std::string_view error_code) {
  const auto* const row = std::find_if(kStatuses.begin(), kStatuses.end(),
                                       [&](const StatusRow& r) { return r.code == error_code; });
  return row != kStatuses.end() ? row->status : kInternal;
}

HttpResponse json_response(int status, std::string_view json) {
  std::string body;
  body.reserve(json.size() + 1);
  body += json;
  body.push_back('\n');
  HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.body = Buffer::of(std::move(body));
  return response;
}

HttpResponse tool_response(const ObserverToolResult& result, ErrorShape shape) {
  if (result.ok) return json_response(kOk, result.result.text);
  switch (shape) {
    case ErrorShape::Object: break;
    case ErrorShape::Text:
      return refusal(plain_status(result.error_code), result.message, ErrorShape::Text);
    case ErrorShape::Action:
      return json_response(status_of(result.error_code), action_failure(result));
  }
  return json_response(status_of(result.error_code), result.result.text);
}

HttpResponse bus_failure(const Error& error, ErrorShape shape) {
  const bool late = error.code == Code::DeadlineExceeded;
  const std::string_view code = late                              ? "Timeout"
                                : error.code == Code::Unavailable ? "PlatformUnsupported"
                                                                  : "Internal";
  if (shape != ErrorShape::Object) return refusal(plain_status(code), error.message, shape);
  json::object body = failed_object();
  body[kErrorName] = error_object(code, error.message, late, late ? "" : "get_capabilities");
  return json_response(status_of(code), ascii_json(body));
}

HttpResponse refusal(int status, std::string_view message, ErrorShape shape) {
  json::object body;
  switch (shape) {
    case ErrorShape::Text: body[kErrorName] = message; break;
    case ErrorShape::Action:
      body = failed_object();
      body[kErrorName] = message;
      break;
    case ErrorShape::Object:
      body = failed_object();
      body[kErrorName] = error_object("BadRequest", message, false, {});
      break;
  }
  return json_response(status, ascii_json(body));
}

HttpResponse tools_response(const ObserverToolNames& names) {
  json::array tools;
  for (const std::string& name : names.tools) tools.emplace_back(name);
  return json_response(kOk, ascii_json(json::object{{kOkName, true}, {"tools", std::move(tools)}}));
}

std::string health_json(const ObserverStatusReport& status, std::int64_t uptime_s) {
  const ObserverCacheStatus& cache = status.tree_cache;
  const double mean = cache.capture_count > 0 ? static_cast<double>(cache.capture_ms_total) /
                                                    static_cast<double>(cache.capture_count)
                                              : 0.0;
  const json::object tree_cache{{"hits", cache.hits},
                                {"misses", cache.misses},
                                {"entries", cache.entries},
                                {"capture_count", cache.capture_count},
                                {"capture_ms_total", cache.capture_ms_total},
                                {"capture_ms_max", cache.capture_ms_max},
                                {"capture_ms_mean", mean}};
  return ascii_json(json::object{{kOkName, true},
                                 {"uptime_s", uptime_s},
                                 {"step_count", status.step_count},
                                 {"adapter", status.adapter},
                                 {"version", status.version},
                                 {"tree_cache", tree_cache},
                                 {"config_path", ""},
                                 {"config_error", nullptr},
                                 {"ocr", ocr_object(status.ocr)}});
}

std::string metrics_text(const ObserverStatusReport& status, std::int64_t uptime_s) {
  std::string out;
  const auto head = [&out](std::string_view name, std::string_view type, std::string_view help) {
    out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
  };
  const auto metric = [&](std::string_view name, std::string_view type, std::string_view help,
                          auto value) {
    head(name, type, help);
    out += fmt::format("{} {}\n", name, value);
  };
  const ObserverCacheStatus& cache = status.tree_cache;
  metric("oso_step_count", "counter", "Tool calls that were given a step number",
         status.step_count);
  metric("oso_uptime_seconds", "gauge", "Seconds since the observer started", uptime_s);
  metric("oso_tree_cache_hits_total", "counter", "Tree reads answered from the cache", cache.hits);
  metric("oso_tree_cache_misses_total", "counter", "Tree reads that had to ask the adapter",
         cache.misses);
  metric("oso_tree_cache_entries", "gauge", "Windows whose tree is in the cache", cache.entries);
  head("oso_tree_capture_ms", "summary", "Time that tree captures took, in milliseconds");
  out += fmt::format("oso_tree_capture_ms_sum {}\noso_tree_capture_ms_count {}\n",
                     cache.capture_ms_total, cache.capture_count);
  metric("oso_tree_capture_ms_max", "gauge", "Slowest tree capture so far, in milliseconds",
         cache.capture_ms_max);
  if (status.budgets) {  // the published program has these two only then, and without help
    out += fmt::format(
        "# TYPE oso_actions_used counter\noso_actions_used {}\n"
        "# TYPE oso_screenshots_used counter\noso_screenshots_used {}\n",
        status.actions_used, status.screenshots_used);
  }
  out += fmt::format("oso_active_trace {}\n", status.tracing ? 1 : 0);
  return out;
}

std::string query_arguments(const std::vector<HttpParameter>& query) {
  json::object arguments;
  for (const HttpParameter& parameter : query) {
    if (!arguments.contains(parameter.name)) arguments[parameter.name] = parameter.value;
  }
  return ascii_json(arguments);
}

std::string with_path_arguments(std::string arguments, const std::vector<HttpParameter>& path) {
  if (path.empty()) return arguments;
  json::value parsed = json::parse({arguments.data(), arguments.size()});
  for (const HttpParameter& parameter : path) parsed.get_object()[parameter.name] = parameter.value;
  return ascii_json(parsed);
}

bool asks_for_point(std::string_view arguments) {
  const json::value parsed = json::parse({arguments.data(), arguments.size()});
  const auto given = [&](std::string_view name) {
    const json::value* value = parsed.get_object().if_contains(name);
    return value != nullptr && !value->is_null();
  };
  return given("x") && given("y") && !given("selector") && !given("element_id");
}

Result<std::string> body_arguments(std::string_view body, bool lenient) {
  json::error_code broken;
  json::parse_options options;
  options.max_depth = 32;
  const json::value value = json::parse({body.data(), body.size()}, broken, {}, options);
  if (broken && lenient) return std::string("{}");
  if (broken) return invalid_argument("the body must be a JSON object: " + broken.message());
  if (has_infinity(value)) return invalid_argument("a number of the body is too large");
  if (is_empty_value(value)) return std::string("{}");
  if (!value.is_object()) {
    return invalid_argument(
        fmt::format("the body must be a JSON object, found {}", ascii_json(value).substr(0, 60)));
  }
  return std::string(body);
}

std::span<const ActionRow> action_rows() { return kActions; }

ActionCall action_of(std::string_view arguments) {
  json::value parsed = json::parse({arguments.data(), arguments.size()});
  json::object& object = parsed.get_object();
  const json::value* action = object.if_contains("action");
  ActionCall call;
  if (action == nullptr || action->is_null()) return call;
  call.action = action->is_string() ? std::string(action->get_string()) : ascii_json(*action);
  const auto* const row = std::find_if(kActions.begin(), kActions.end(),
                                       [&](const ActionRow& r) { return r.action == call.action; });
  if (row == kActions.end()) return call;
  call.tool = row->tool;
  object.erase("action");
  if (const json::value* value = object.if_contains("value"); value && !row->value_of.empty()) {
    object[row->value_of] = json::value(*value);
    object.erase("value");
  }
  call.arguments = ascii_json(parsed);
  return call;
}

}  // namespace gantry::rest_observer
