// SPDX-License-Identifier: Apache-2.0
#include "guard_wire.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "argument_check.hpp"
#include "text.hpp"
#include "tools.hpp"

namespace gantry::observation {
namespace {

constexpr std::string_view kObserveTool = "observe_window";
constexpr int kMaxChain = 4;

constexpr std::array<std::string_view, 12> kNotBound{
    "selector", "element_id",    "tree_token",    "window_uid", "window_index", "window_title",
    "dry_run",  "confirm_token", "wait_after_ms", "since",      "format",       "max_bytes"};

/// Tools that do what another one does, to the same things: a list that denies the other one means
/// them too. Coordinates can do what element verbs do, not the other way round: whoever must name
/// an element is judged on it.
struct SameDeed {
  std::string_view tool;
  std::string_view does;
};
constexpr std::array kSameDeeds{
    SameDeed{"invoke_element", "click_element"},
    SameDeed{"click_element", "invoke_element"},
    SameDeed{"click_at", "click_element"},
    SameDeed{"click_at", "invoke_element"},
    SameDeed{"select_option", "click_element"},
    SameDeed{"select_option", "invoke_element"},
    SameDeed{"hover_at", "hover_element"},
    SameDeed{"type_text", "set_value"},
    SameDeed{"set_value", "type_text"},
    SameDeed{"key_into_element", "press_key"},
    // What presses and lets go on one control clicks it, however far apart the two points are.
    SameDeed{"drag", "click_element"},
    SameDeed{"drag", "invoke_element"},
    SameDeed{"drag", "click_at"},
};

constexpr std::array<std::pair<ToolKind, GuardKind>, 5> kKinds{{
    {ToolKind::About, GuardKind::About},
    {ToolKind::Read, GuardKind::Read},
    {ToolKind::Picture, GuardKind::Picture},
    {ToolKind::Act, GuardKind::Act},
    {ToolKind::Manage, GuardKind::Manage},
}};

constexpr std::array<std::pair<std::string_view, Fault>, 5> kVerdictFaults{{
    {"PermissionDenied", Fault::PermissionDenied},
    {"BudgetExceeded", Fault::BudgetExceeded},
    {"RateLimited", Fault::RateLimited},
    {"ConfirmationRequired", Fault::ConfirmationRequired},
    {"ConfirmationInvalid", Fault::ConfirmationInvalid},
}};

GuardKind kind_of(ToolKind kind) {
  const auto* const row = std::find_if(kKinds.begin(), kKinds.end(),
                                       [kind](const auto& entry) { return entry.first == kind; });
  return row != kKinds.end() ? row->second : GuardKind::Act;
}

}  // namespace

GuardAdmitRequest admit_request(const ToolCall& call, GuardStage stage) {
  GuardAdmitRequest request;
  request.stage = stage;
  if (call.serial != 0) request.call = std::to_string(call.serial);
  request.tool = call.tool.name;
  request.kind = kind_of(call.tool.kind);
  request.needs = needed_tools(call.tool);
  request.caller = call.caller;
  request.session = session_of(call.caller);
  request.arguments_digest = arguments_digest(call.arguments);
  request.confirm_token = call.arguments.text("confirm_token");
  request.dry_run = call.arguments.flag("dry_run");
  return request;
}

GuardSettleRequest settle_request(const Settlement& settlement) {
  GuardSettleRequest request;
  request.call = std::to_string(settlement.serial);
  request.tool = settlement.tool;
  request.kind = settlement.row != nullptr ? kind_of(settlement.row->kind) : GuardKind::Unknown;
  request.caller = settlement.caller;
  request.step = settlement.step;
  request.ok = settlement.ok;
  request.error_code = settlement.error_code;
  request.changed = settlement.changed;
  request.screenshots = settlement.picture ? 1 : 0;
  request.vlm_tokens = settlement.vlm_tokens;
  request.arguments = Json(recordable_args(settlement.row, settlement.arguments,
                                           settlement.readable, settlement.found()));
  const bool types = settlement.row == nullptr || carries_typed_text(*settlement.row);
  request.secret = types && settlement.secret.value_or(true);
  return request;
}

std::vector<GuardedTarget> guarded(const Engine& engine, const std::vector<GateTarget>& targets) {
  std::vector<GuardedTarget> out;
  for (const GateTarget& target : targets) {
    out.push_back(
        {target.window.uid,
         readable_text(engine.shield.true_title(target.window.handle, target.window.title)),
         target.element_id, target.selector, target.role, readable_text(target.name), target.bounds,
         target.password, target.part});
  }
  return out;
}

Failure failure_of(const GuardVerdict& verdict) {
  const auto* const row =
      std::find_if(kVerdictFaults.begin(), kVerdictFaults.end(),
                   [&](const auto& entry) { return entry.first == verdict.code; });
  Failure why;
  why.fault = row != kVerdictFaults.end() ? row->second : Fault::PermissionDenied;
  why.message = verdict.message;
  why.context = verdict.context.text;
  return why;
}

std::vector<std::string> needed_tools(const Tool& tool) {
  std::vector<std::string> needs;
  const Tool* at = &tool;
  for (int link = 0; link < kMaxChain && at != nullptr && !at->verb.empty(); ++link) {
    needs.emplace_back(at->verb);
    at = find_tool(at->verb);
  }
  if (tool.name.ends_with("_and_observe")) needs.emplace_back(kObserveTool);
  std::vector<std::string> all = needs;
  const auto add_deeds = [&all](std::string_view name) {
    for (const SameDeed& deed : kSameDeeds) {
      const bool known =
          deed.tool != name || std::find(all.begin(), all.end(), deed.does) != all.end();
      if (!known) all.emplace_back(deed.does);
    }
  };
  add_deeds(tool.name);
  for (const std::string& name : needs) add_deeds(name);
  std::erase(all, tool.name);
  return all;
}

std::string arguments_digest(const Arguments& arguments) {
  std::string bytes;
  for (const std::string& name : arguments.names()) {
    if (std::find(kNotBound.begin(), kNotBound.end(), name) != kNotBound.end()) continue;
    const std::string value = arguments.json(name);
    fmt::format_to(std::back_inserter(bytes), "{}:{}={}:{};", name.size(), name, value.size(),
                   value);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr);
  std::string text = "sha256:";
  append_hex(text, std::span(digest).first(length));
  return text;
}

std::string session_of(std::string_view caller) {
  const std::size_t port = caller.rfind(':');
  if (port == std::string_view::npos || port + 1 == caller.size()) return std::string(caller);
  const std::string_view digits = caller.substr(port + 1);
  const bool is_port =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return std::string(is_port ? caller.substr(0, port) : caller);
}

}  // namespace gantry::observation
