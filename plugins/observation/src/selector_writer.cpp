// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "selector_ast.hpp"
#include "text.hpp"

namespace gantry::observation {
namespace {

/// Characters that an answer would lose or that would make the text hard to read back.
bool is_hidden(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool direction = c == 0x061C || c == 0x200E || c == 0x200F ||
                         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return control || direction;
}

bool has_hidden(std::string_view text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (plain) return false;
  const std::u32string characters = decode_utf8(text);
  return std::any_of(characters.begin(), characters.end(), is_hidden);
}

/// The published form has no escapes: it loses a backslash before a quote, also before the one that
/// ends the text.
bool needs_escapes(std::string_view text) {
  return text.find('"') != std::string_view::npos || text.ends_with('\\') ||
         text.find("\\'") != std::string_view::npos || has_hidden(text);
}

bool needs_escapes(const SelectorStep& step) {
  return (!step.any_role && needs_escapes(step.role)) ||
         std::any_of(step.predicates.begin(), step.predicates.end(),
                     [](const SelectorPredicate& p) { return needs_escapes(p.text); });
}

bool is_bare_role(std::string_view role) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return !role.empty() && letter(role.front()) &&
         std::all_of(role.begin(), role.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char32_t c : decode_utf8(text)) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(static_cast<char>(c));
    } else if (c == '\n') {
      out += "\\n";
    } else if (is_hidden(c)) {
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<std::uint32_t>(c));
    } else {
      out += encode_utf8({&c, 1});
    }
  }
}

void append_string(std::string& out, std::string_view text, bool escaped) {
  out.push_back('"');
  if (escaped) {
    append_escaped(out, text);
  } else {
    out += text;
  }
  out.push_back('"');
}

std::string_view key_text(const SelectorPredicate& predicate) {
  constexpr std::array<std::string_view, 7> kNames = {
      "name", "value", "role", "keyboard_shortcut", "enabled", "focused", "index"};
  const auto index = static_cast<std::size_t>(predicate.key);
  return index < kNames.size() ? kNames[index] : std::string_view(predicate.key_text);
}

void append_predicate(std::string& out, const SelectorPredicate& predicate, bool escaped) {
  constexpr std::array<std::string_view, 3> kOperators = {"=", "~=", "*="};
  out.push_back('[');
  out += key_text(predicate);
  out += kOperators[static_cast<std::size_t>(predicate.op)];
  if (predicate.literal == SelectorLiteral::Text && predicate.key != SelectorKey::Index) {
    append_string(out, predicate.text, escaped);
  } else {
    out += predicate.text;
  }
  out.push_back(']');
}

}  // namespace

std::string write_selector(const std::vector<SelectorStep>& steps) {
  // A quoted first role says that the strings are escaped, so one that needs quotes decides too.
  const bool quoted_first =
      !steps.empty() && !steps.front().any_role && !is_bare_role(steps.front().role);
  const bool escaped =
      quoted_first || std::any_of(steps.begin(), steps.end(),
                                  [](const SelectorStep& step) { return needs_escapes(step); });
  std::string out;
  for (const SelectorStep& step : steps) {
    if (&step != &steps.front()) out.push_back('/');
    const bool mark = escaped && &step == &steps.front();
    if (step.any_role) {
      out.push_back('*');
    } else if (mark || !is_bare_role(step.role)) {
      append_string(out, step.role, escaped);
    } else {
      out += step.role;
    }
    for (const SelectorPredicate& predicate : step.predicates) {
      append_predicate(out, predicate, escaped);
    }
  }
  return out;
}

std::string normalize_text(std::string_view text) {
  struct Row {
    std::string_view from, to;
  };
  constexpr std::array<Row, 4> kRows{{
      {"\xE2\x80\xA6", "..."},  // horizontal ellipsis
      {"\xC2\xA0", " "},        // no-break space
      {"\xE2\x80\x93", "-"},    // en dash
      {"\xE2\x80\x94", "--"},   // em dash
  }};
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto row = static_cast<unsigned char>(text.front()) < 0x80
                         ? kRows.end()
                         : std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
                             return text.starts_with(candidate.from);
                           });
    if (row == kRows.end()) {
      out.push_back(text.front());
      text.remove_prefix(1);
    } else {
      out += row->to;
      text.remove_prefix(row->from.size());
    }
  }
  return out;
}

}  // namespace gantry::observation
