// SPDX-License-Identifier: Apache-2.0
// read_clipboard and write_clipboard.
#include <gantry/contracts/clipboard.hpp>
#include <gantry/llm/json.hpp>
#include <gantry/pattern.hpp>

#include <algorithm>
#include <chrono>

#include "clipboard.hpp"
#include "guarded_deed.hpp"
#include "tools.hpp"

namespace gantry::desk {
namespace {

namespace json = boost::json;

constexpr auto kClipboardPatience = std::chrono::seconds(5);

Deed deed_of(std::string tool, GuardKind kind) {
  Deed deed;
  deed.tool = std::move(tool);
  deed.kind = kind;
  deed.role = "Clipboard";
  deed.name = "Clipboard";
  deed.id = "clipboard";
  return deed;
}

/// Without what the guard's rules hide of any text of the screen. Nothing: the rules cannot be
/// applied, and then the text is not shown.
std::optional<std::string> shown(std::string text, const GuardRules& rules) {
  if (!rules.enabled) return text;
  for (const std::string& expression : rules.ocr_text_patterns) {
    const auto pattern = Pattern::compile(expression);
    if (!pattern.ok()) return std::nullopt;
    (void)pattern->replace_all(text, rules.replacement);
    if (pattern->exhausted() > 0) return std::nullopt;
  }
  return text;
}

/// Cut behind a whole character.
std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  text.resize(most);
  return text;
}

Task<ToolResult> read_guarded(Run& run, GuardRules rules, std::string& problem) {
  CallOptions options;
  options.timeout = kClipboardPatience;
  Nothing nothing;
  const auto content = co_await run.call<ClipboardGet>(nothing, std::move(options));
  if (!content.ok()) {
    problem = code_name(content.error().code);
    co_return failed(problem, content.error().message);
  }
  const std::optional<std::string> text = shown((*content)->text, rules);
  if (!text) {
    problem = "PermissionDenied";
    co_return failed(problem, "the guard's rules about texts cannot be applied to it");
  }
  const auto most = static_cast<std::size_t>(run.settings().clipboard.max_bytes);
  json::object out{{"action", "read_clipboard"}, {"text", cut(*text, most)}};
  if (text->size() > most) {
    out["truncated"] = true;
    out["bytes"] = text->size();
  }
  co_return done(std::move(out));
}

Task<ToolResult> read_clipboard(Run& run) {
  GuardedDeed deed(run, deed_of("read_clipboard", GuardKind::Read));
  const std::optional<ToolResult> refused = co_await deed.admit();
  if (refused) co_return *refused;
  CallOptions options;
  options.timeout = kClipboardPatience;
  Nothing nothing;
  const auto rules = co_await run.call<GuardGetRules>(nothing, std::move(options));
  std::string problem;
  bool unknown = false;
  if (!rules.ok()) unknown = rules.error().code != Code::Unavailable || co_await is_guarded(run);
  if (unknown) {
    problem = "PermissionDenied";
    deed.settle(false, problem, std::nullopt);
    co_return failed(problem, "the guard could not be asked what is hidden, so nothing was read");
  }
  GuardRules known = rules.ok() ? GuardRules(**rules) : GuardRules{};
  ToolResult result = co_await read_guarded(run, std::move(known), problem);
  deed.settle(!result.is_error, problem, std::nullopt);
  co_return result;
}

/// Whether the clipboard really holds the text now: another program may have taken it.
Task<bool> reads_back(Run& run, const std::string& text) {
  CallOptions options;
  options.timeout = kClipboardPatience;
  Nothing nothing;
  const auto content = co_await run.call<ClipboardGet>(nothing, std::move(options));
  co_return content.ok() && (*content)->text == text;
}

Task<ToolResult> write_clipboard_tool(Run& run) {
  const std::string text = run.arguments.text("text");
  std::string written = text;
  const std::optional<ToolResult> refused = co_await write_clipboard(run, std::move(written));
  if (refused) co_return *refused;
  const bool there = co_await reads_back(run, text);
  json::object out{{"action", "write_clipboard"},
                   {"effect", there ? "confirmed" : "unverified"},
                   {"route", "clipboard"}};
  if (there) out["evidence"] = "the clipboard was read back and holds the text";
  co_return done(std::move(out));
}

constexpr Parameter kRead[] = {kExplanation};
constexpr Parameter kWrite[] = {
    {"text", Kind::Text, "What the clipboard is to hold instead of what it holds.", true},
    kExplanation,
};

constexpr Tool kClipboardTools[] = {
    {"read_clipboard", "Read the clipboard", "Reads the clipboard as text.", kRead, read_clipboard,
     true, false, true},
    {"write_clipboard", "Write the clipboard",
     "Puts a text on the clipboard, in place of what is there.", kWrite, write_clipboard_tool,
     false, true, true},
};

}  // namespace

Task<std::optional<ToolResult>> write_clipboard(Run& run, std::string text) {
  Deed what = deed_of("write_clipboard", GuardKind::Act);
  what.details = text;
  what.arguments = Json(codec::serialize(json::object{{"text", text}}));
  what.secret = true;  // where it will be pasted is not known
  GuardedDeed deed(run, std::move(what));
  std::optional<ToolResult> refused = co_await deed.admit();
  if (refused) co_return refused;
  ClipboardSetRequest request{std::move(text)};
  CallOptions options;
  options.timeout = kClipboardPatience;
  const auto set = co_await run.call<ClipboardSet>(std::move(request), std::move(options));
  const std::string problem = set.ok() ? "" : std::string(code_name(set.error().code));
  deed.settle(set.ok(), problem, set.ok() ? std::optional(true) : std::nullopt);
  if (!set.ok()) co_return failed(problem, set.error().message);
  co_return std::nullopt;
}

std::span<const Tool> clipboard_tools() { return kClipboardTools; }

}  // namespace gantry::desk
