// SPDX-License-Identifier: Apache-2.0
// Changing the daemon's configuration: settings that the kernel keeps in a layer of its own. What
// may be written, and what becomes of it, the kernel says.
#include <gantry/contracts/guard.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/kernel_settings.hpp>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "call.hpp"
#include "documents.hpp"
#include "text.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

/// Deeper than any key is, and no tree to overflow a stack with.
constexpr std::ptrdiff_t kMostDots = 16;
constexpr std::string_view kChangedMeanwhile = "config has changed (hash mismatch)";

/// The configuration as a client sees it.
json::object config_view(const EffectiveConfig& config, const std::string& file) {
  return {{"config", value_of(config.config)}, {"hash", hash_text(config.tag)}, {"path", file}};
}

/// `raw`, which deployed clients send as text and others as an object; nothing with the refusal in
/// `answer`.
std::optional<json::object> raw_of(const json::object& params, Answer& answer) {
  const json::value* raw = find(params, {"raw", "patch", "config"});
  json::value parsed;
  if (raw != nullptr && raw->is_string() && !raw->get_string().empty()) {
    json::parse_options options;
    options.allow_comments = true;
    options.allow_trailing_commas = true;
    json::error_code problem;
    parsed = json::parse(raw->get_string(), problem, {}, options);
    if (problem) {
      answer = refused(wire::kInvalidRequest, "raw is no JSON: " + problem.message());
      return std::nullopt;
    }
  } else if (raw != nullptr && raw->is_object()) {
    parsed = *raw;
  }
  if (parsed.is_object()) return std::move(parsed).as_object();
  answer = refused(wire::kInvalidRequest,
                   parsed.is_null() ? "raw is required" : "raw has to be an object");
  return std::nullopt;
}

/// {"plugins": {"mcp": {"config": {"x": value}}}} of "plugins.mcp.config.x", or short "mcp.x".
json::object change_of(std::string_view key, const json::value& value) {
  std::vector<std::string> steps;
  while (true) {
    const std::size_t dot = key.find('.');
    steps.emplace_back(key.substr(0, dot));
    if (dot == std::string_view::npos) break;
    key.remove_prefix(dot + 1);
  }
  const std::string& first = steps.front();
  if (first != "kernel" && first != "log" && first != "plugins") {
    steps.insert(steps.begin() + 1, "config");
    steps.insert(steps.begin(), "plugins");
  }
  json::value out = value;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    out = json::object{{*step, std::move(out)}};
  }
  return std::move(out).as_object();
}

/// Names of what was changed, never values: what is a secret the guard cannot know.
Task<bool> note_in_audit(CallPtr call, std::string by, json::array keys, Code code) {
  GuardSettleRequest entry;
  entry.tool = call->frame.method;
  entry.kind = GuardKind::Manage;
  entry.caller = std::move(by);
  entry.ok = code == Code::Ok;
  if (!entry.ok) entry.error_code = std::string(code_name(code));
  entry.changed = !keys.empty();
  entry.arguments = Json(json::serialize(json::object{{"keys", std::move(keys)}}));
  const auto noted = co_await ask<GuardSettle>(call->host(), std::move(entry));
  co_return noted.ok();
}

/// What one of the kernel's contracts that ask for nothing answers.
template <class Contract>
auto ask_kernel(const CallPtr& call) {
  Nothing nothing;
  return ask<Contract>(call->host(), std::move(nothing));
}

Task<Answer> write_config(CallPtr call, json::object change, bool replace) {
  const auto settings = co_await ask_kernel<KernelSettings>(call);
  if (!settings.ok()) co_return failed(settings.error());
  const auto config = co_await ask_kernel<KernelConfig>(call);
  if (!config.ok()) co_return failed(config.error());
  const std::string by = "gateway_v3:" + call->who.user;
  const std::string base = text(call->params(), {"baseHash", "base_hash"});
  if (!base.empty() && base != hash_text((*config)->tag)) {
    auto noting = note_in_audit(call, by, {}, Code::Aborted);
    (void)co_await std::move(noting);
    co_return refused(wire::kInvalidRequest, std::string(kChangedMeanwhile));
  }
  SettingsWriteRequest request;
  request.change = Json(json::serialize(change));
  request.replace = replace;
  if (!base.empty()) request.revision = (*settings)->revision;
  request.by = by;
  const auto written = co_await ask<KernelWriteSettings>(call->host(), std::move(request));
  json::array changed;
  json::array waiting;
  if (written.ok()) {
    for (const SettingsChange& one : (*written)->changes) changed.emplace_back(one.key);
    for (const std::string& key : (*written)->now.waiting) waiting.emplace_back(key);
  }
  auto noting = note_in_audit(call, by, changed, written.ok() ? Code::Ok : written.error().code);
  (void)co_await std::move(noting);
  if (!written.ok() && written.error().code == Code::Aborted) {
    co_return refused(wire::kInvalidRequest, std::string(kChangedMeanwhile));
  }
  if (!written.ok()) co_return failed(written.error());
  const auto now = co_await ask_kernel<KernelConfig>(call);
  if (!now.ok()) co_return failed(now.error());
  json::object answer = config_view(**now, (*written)->now.file);
  if (!changed.empty()) {
    call->server.tell_admins("config.updated",
                             json::object{{"hash", answer["hash"]}, {"keys", changed}});
  }
  answer["ok"] = true;
  answer["changed"] = std::move(changed);
  answer["restart"] = !waiting.empty();
  answer["waiting"] = std::move(waiting);
  co_return fine(std::move(answer));
}

/// What the client sent as `raw`: laid over what was written, or in its place.
Task<Answer> write_raw(CallPtr call, bool replace) {
  Answer refusal;
  std::optional<json::object> change = raw_of(call->params(), refusal);
  if (!change) co_return refusal;
  auto writing = write_config(call, std::move(*change), replace);
  co_return co_await std::move(writing);
}

}  // namespace

Task<Answer> config_get(CallPtr call) {
  const auto config = co_await ask_kernel<KernelConfig>(call);
  if (!config.ok()) co_return failed(config.error());
  // One that keeps no settings has a configuration all the same.
  const auto settings = co_await ask_kernel<KernelSettings>(call);
  json::object view = config_view(**config, settings.ok() ? (*settings)->file : std::string());
  view["written"] = settings.ok() ? value_of((*settings)->written) : json::value(json::object());
  co_return fine(std::move(view));
}

Task<Answer> config_schema(CallPtr call) {
  const auto description = co_await ask_kernel<KernelConfigDescription>(call);
  if (!description.ok()) co_return failed(description.error());
  co_return fine(json::object{{"schema", value_of((*description)->schema)},
                              {"version", (*description)->version}});
}

Task<Answer> config_defaults(CallPtr call) {
  const auto description = co_await ask_kernel<KernelConfigDescription>(call);
  if (!description.ok()) co_return failed(description.error());
  co_return fine(json::object{{"defaults", value_of((*description)->defaults)}});
}

Task<Answer> config_patch(CallPtr call) { return write_raw(std::move(call), false); }

Task<Answer> config_apply(CallPtr call) { return write_raw(std::move(call), true); }

Task<Answer> config_set(CallPtr call) {
  const std::string key = text(call->params(), {"key", "path"});
  if (key.empty()) {
    if (find(call->params(), {"raw", "config"}) != nullptr) {
      auto applying = config_apply(call);
      co_return co_await std::move(applying);
    }
    co_return refused(wire::kInvalidRequest, "key is required");
  }
  if (std::count(key.begin(), key.end(), '.') > kMostDots) {
    co_return refused(wire::kInvalidRequest, "there is no key with so many steps");
  }
  const auto value = call->params().find("value");
  if (value == call->params().end()) {
    co_return refused(wire::kInvalidRequest, "value is required");
  }
  auto writing = write_config(call, change_of(key, value->value()), false);
  co_return co_await std::move(writing);
}

}  // namespace gantry::gateway
