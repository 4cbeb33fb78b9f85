// SPDX-License-Identifier: Apache-2.0
// keyboard_control: typing, pasting and pressing keys, into whatever has the keyboard.
#include <gantry/llm/json.hpp>

#include <algorithm>
#include <cctype>

#include "clipboard.hpp"
#include "tools.hpp"

namespace gantry::desk {
namespace {

namespace json = boost::json;

/// "Ctrl + S" and ["ctrl", "s"] are ctrl+s. A plus alone, or at the end, is the key.
std::string chord_of(const std::vector<std::string>& keys) {
  std::string out;
  for (const std::string& key : keys) {
    if (key.empty()) continue;
    if (!out.empty()) out += '+';
    out += key;
  }
  if (out != " ") std::erase(out, ' ');
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string keys_of(const Arguments& arguments) {
  std::vector<std::string> keys = arguments.keys("keys");
  if (keys.empty()) keys = arguments.keys("key");
  return chord_of(keys);
}

Task<ToolResult> press(Run& run, std::string action, std::string keys) {
  json::object arguments{{"keys", keys}};
  std::string tool = "press_key";
  const Seen seen = co_await run.observe(std::move(tool), std::move(arguments));
  co_return acted(seen, action);
}

Task<ToolResult> type(Run& run) {
  json::object arguments{{"text", run.arguments.text("text")}};
  std::string tool = "type_text";
  const Seen seen = co_await run.observe(std::move(tool), std::move(arguments));
  co_return acted(seen, "type");
}

/// Through the clipboard, which has the text afterwards.
Task<ToolResult> paste(Run& run) {
  if (run.arguments.has("text")) {
    std::string text = run.arguments.text("text");
    const std::optional<ToolResult> refused = co_await write_clipboard(run, std::move(text));
    if (refused) co_return *refused;
  }
  std::string action = "paste", keys = "ctrl+v";
  co_return co_await press(run, std::move(action), std::move(keys));
}

Task<ToolResult> keyboard_control(Run& run) {
  const std::string action = run.arguments.text("action");
  if (action == "type") {
    if (!run.arguments.has("text")) co_return failed("BadRequest", "text is required to type");
    co_return co_await type(run);
  }
  if (action == "paste") co_return co_await paste(run);
  std::string keys = keys_of(run.arguments);
  if (keys.empty()) co_return failed("BadRequest", "key or keys is required to press");
  std::string name = action;
  co_return co_await press(run, std::move(name), std::move(keys));
}

constexpr Parameter kKeyboard[] = {
    {"action", Kind::Text,
     "type writes text as if by hand, paste puts it there through the clipboard, press and hotkey "
     "press keys together.",
     true, "type|paste|press|hotkey"},
    {"text", Kind::Text, "What to type or paste; newline and tab are typed as keys."},
    {"key", Kind::Text, "One key: enter, escape, tab, f5, a."},
    {"keys", Kind::Keys, "Keys pressed together, modifiers first: ctrl+s, or [\"ctrl\", \"s\"]."},
    kExplanation,
};

constexpr Tool kKeyboardTools[] = {
    {"keyboard_control", "Keyboard",
     "Types text, pastes it, or presses keys in the window in front. Look where the keyboard is "
     "before; effect says whether the text was seen to arrive.",
     kKeyboard, keyboard_control, false, true, false, true},
};

}  // namespace

std::span<const Tool> keyboard_tools() { return kKeyboardTools; }

}  // namespace gantry::desk
