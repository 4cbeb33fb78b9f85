// SPDX-License-Identifier: Apache-2.0
#include "chord.hpp"

#include "property.hpp"

#include <xkbcommon/xkbcommon-keysyms.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace gantry::x11 {

namespace {

std::string folded(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return out;
}

bool is_modifier(xkb_keysym_t keysym) {
  return (keysym >= XKB_KEY_Shift_L && keysym <= XKB_KEY_Hyper_R && keysym != XKB_KEY_Caps_Lock &&
          keysym != XKB_KEY_Shift_Lock) ||
         keysym == XKB_KEY_ISO_Level3_Shift;
}

/// Edits (insert, delete, replace, swap of neighbours) from one name to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  std::iota(d[0].begin(), d[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min(
          {d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

Error unknown_key(std::string_view name, std::string_view whole) {
  std::string message = "there is no key named '" + std::string(name) + "'";
  if (name != whole) message += " (in '" + std::string(whole) + "')";
  const std::vector<std::string> near = near_key_names(name);
  if (near.empty()) {
    message +=
        "; use names like enter, escape, page_down, f5, one character, or modifiers ctrl, shift, "
        "alt, super";
  } else {
    message += "; near to it: ";
    for (std::size_t i = 0; i < near.size(); ++i) message += (i == 0 ? "" : ", ") + near[i];
  }
  return invalid_argument(std::move(message));
}

/// Cuts at '+' signs; a '+' where a name should begin is the plus key itself.
std::vector<std::string_view> split_chord(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find('+', 1);  // from 1: a leading '+' is a name
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
    if (text.empty()) parts.emplace_back();  // "ctrl+": the name is missing
  }
  return parts;
}

Result<Chord> parse_chord(std::string_view text, std::string_view whole) {
  Chord chord;
  const std::vector<std::string_view> parts = split_chord(text);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (parts[i].empty()) {
      return invalid_argument("'" + std::string(whole) +
                              "' ends with '+' and names no key after it; for the "
                              "plus key write 'plus' or '" +
                              std::string(whole) + "+'");
    }
    const auto keysym = keysym_of_name(parts[i]);
    if (!keysym) return unknown_key(parts[i], whole);
    if (last) {
      // "ctrl+S" means the S key; only an explicit shift asks for shift.
      chord.key = chord.modifiers.empty() ? *keysym : xkb_keysym_to_lower(*keysym);
      chord.key_is_modifier = is_modifier(*keysym);
    } else if (is_modifier(*keysym)) {
      chord.modifiers.push_back(*keysym);
    } else {
      return invalid_argument(
          "'" + std::string(parts[i]) + "' in '" + std::string(whole) +
          "' is not a modifier; write chords that follow one another with a space between");
    }
  }
  return chord;
}

}  // namespace

std::optional<xkb_keysym_t> modifier_of_name(std::string_view name) {
  const auto keysym = keysym_of_name(name);
  return keysym && is_modifier(*keysym) ? keysym : std::nullopt;
}

std::optional<xkb_keysym_t> keysym_of_name(std::string_view name) {
  if (const auto characters = code_points(name); characters && characters->size() == 1) {
    const char32_t c = characters->front();
    if (c < 0x20 || (c >= 0x7F && c < 0xA0)) return std::nullopt;
    return keysym_of_code_point(c);
  }
  const std::string wanted = folded(name);
  for (const KeyName& key : key_names()) {
    if (key.name == wanted) return key.keysym;
  }
  const std::string text(name);
  xkb_keysym_t keysym = xkb_keysym_from_name(text.c_str(), XKB_KEYSYM_NO_FLAGS);
  if (keysym == XKB_KEY_NoSymbol)
    keysym = xkb_keysym_from_name(text.c_str(), XKB_KEYSYM_CASE_INSENSITIVE);
  if (keysym == XKB_KEY_NoSymbol) return std::nullopt;
  return keysym;
}

std::vector<std::string> near_key_names(std::string_view name) {
  const std::string wanted = folded(name);
  std::vector<std::tuple<std::size_t, std::string_view>> near;
  for (const KeyName& key : key_names()) {
    const std::size_t edits = distance(wanted, key.name);
    const bool begins = wanted.size() >= 3 && key.name.starts_with(wanted);
    const std::size_t allowed = wanted.size() <= 3 ? 1 : 2;
    if (edits <= allowed || begins) near.emplace_back(begins ? 1 : edits, key.name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  std::vector<std::string> out;
  for (const auto& [edits, text] : near) {
    if (out.size() < 5) out.emplace_back(text);
  }
  return out;
}

Result<std::vector<Chord>> parse_keys(std::string_view text) {
  if (text.empty())
    return invalid_argument("no key was named; write for example 'enter' or 'ctrl+s'");
  std::vector<Chord> chords;
  if (text == " ") {
    chords.push_back({{}, XKB_KEY_space, false});
    return chords;
  }
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) {
      GANTRY_ASSIGN(auto chord, parse_chord(text.substr(at, end - at), text));
      chords.push_back(std::move(chord));
    }
    at = end + 1;
  }
  if (chords.empty())
    return invalid_argument("no key was named, only spaces; for the space bar write 'space'");
  return chords;
}

}  // namespace gantry::x11
