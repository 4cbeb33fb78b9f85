// SPDX-License-Identifier: Apache-2.0
#include "answers.hpp"

#include <gantry/llm/json.hpp>

#include <array>
#include <utility>

namespace gantry::desk {
namespace {

namespace json = boost::json;
using llm::jsv;

constexpr std::array<std::string_view, 18> kReceipt{
    "effect",     "route",       "evidence",  "note", "warning", "changed",
    "window_uid", "element_id",  "selector",  "x",    "y",       "clicks",
    "value",      "new_dialogs", "rematched", "from", "to",      "target"};

ToolResult result_of(const json::object& answer, bool is_error) {
  ToolResult result;
  result.is_error = is_error;
  result.content.emplace_back().text = codec::serialize(answer);
  return result;
}

}  // namespace

ToolResult done(json::object members) {
  json::object answer{{"ok", true}};
  for (auto& [name, value] : members) answer[name] = std::move(value);
  return result_of(answer, false);
}

ToolResult failed(std::string_view code, std::string_view message, json::object context) {
  json::object error{{"code", jsv(code)}, {"message", jsv(message)}};
  if (!context.empty()) error["context"] = std::move(context);
  return result_of({{"ok", false}, {"error", std::move(error)}}, true);
}

ToolResult failed(const Seen& seen) {
  if (seen.answer.contains("error")) return result_of(seen.answer, true);
  return failed(seen.code, seen.message);
}

json::object receipt_of(const Seen& seen) {
  json::object out;
  for (const std::string_view name : kReceipt) {
    const json::value* value = seen.answer.if_contains(jsv(name));
    if (value == nullptr || value->is_null()) continue;
    if (value->is_array() && value->get_array().empty()) continue;
    out[jsv(name)] = *value;
  }
  return out;
}

ToolResult acted(const Seen& seen, std::string_view action) {
  if (!seen.ok) return failed(seen);
  json::object out{{"action", jsv(action)}};
  for (const auto& [name, value] : receipt_of(seen)) out[name] = value;
  return done(std::move(out));
}

}  // namespace gantry::desk
