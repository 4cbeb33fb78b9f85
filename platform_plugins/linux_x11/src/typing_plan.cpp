// SPDX-License-Identifier: Apache-2.0
#include "typing_plan.hpp"

#include "property.hpp"

#include <xkbcommon/xkbcommon-keysyms.h>

#include <algorithm>
#include <cstdio>
#include <map>

namespace gantry::x11 {

namespace {

std::string u_plus(char32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(c));
  return text;
}

Error no_spare(std::string_view what) {
  return failed_precondition(
      "no key makes " + std::string(what) +
      " and this keyboard map has no unused keycode to put it on; choose a layout with it "
      "(setxkbmap) or paste it through the clipboard");
}

/// Hands out spare keycodes: first every keycode without Shift, then the same ones with it.
class SpareKeys {
 public:
  explicit SpareKeys(std::vector<std::uint8_t> keycodes) : keycodes_(std::move(keycodes)) {}

  [[nodiscard]] bool none() const { return keycodes_.empty(); }
  [[nodiscard]] bool has(xkb_keysym_t keysym) const { return given_.contains(keysym); }
  [[nodiscard]] bool full() const { return given_.size() >= 2 * keycodes_.size(); }

  Stroke stroke(xkb_keysym_t keysym, int group) {
    const auto [it, is_new] = given_.try_emplace(keysym, given_.size());
    const std::uint8_t modifiers = it->second < keycodes_.size() ? 0 : kShift;
    if (is_new) order_.push_back(keysym);
    return {keycodes_[it->second % keycodes_.size()], modifiers, kShift | kLock,
            static_cast<std::uint8_t>(group)};
  }

  /// What is to be bound, and a fresh start.
  std::vector<SpareKey> take() {
    std::vector<SpareKey> keys;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i < keycodes_.size()) {
        keys.push_back({keycodes_[i], {order_[i], XKB_KEY_NoSymbol}});
      } else {
        keys[i - keycodes_.size()].keysyms[1] = order_[i];
      }
    }
    given_.clear();
    order_.clear();
    return keys;
  }

 private:
  std::vector<std::uint8_t> keycodes_;
  std::map<xkb_keysym_t, std::size_t> given_;
  std::vector<xkb_keysym_t> order_;
};

/// The keysym of a character that is typed by a named key instead of by itself.
std::optional<xkb_keysym_t> named_key(char32_t c) {
  if (c == U'\n') return XKB_KEY_Return;
  if (c == U'\t') return XKB_KEY_Tab;
  return std::nullopt;
}

Result<std::u32string> checked_characters(std::string_view utf8) {
  GANTRY_ASSIGN(const std::u32string text, code_points(utf8));
  std::u32string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c == U'\r' && i + 1 < text.size() && text[i + 1] == U'\n') continue;
    const bool control = (c < 0x20 && c != U'\n' && c != U'\t') || (c >= 0x7F && c < 0xA0);
    if (control) {
      return invalid_argument("the text holds the control character " + u_plus(c) +
                              " at position " + std::to_string(i) +
                              "; only newline and tab can be typed, press other keys by name");
    }
    out += c;
  }
  return out;
}

}  // namespace

Result<std::vector<TypingBatch>> plan_typing(const Keymap& keymap, int group,
                                             std::string_view utf8) {
  GANTRY_ASSIGN(const std::u32string text, checked_characters(utf8));
  std::vector<TypingBatch> batches(1);
  SpareKeys spare(keymap.spare_keycodes());
  for (const char32_t c : text) {
    const auto named = named_key(c);
    const auto mapped = named ? keymap.find_keysym(*named, group) : keymap.find_character(c, group);
    if (mapped) {
      batches.back().strokes.push_back(*mapped);
    } else {
      if (spare.none()) return no_spare(u_plus(c));
      const xkb_keysym_t keysym = named.value_or(keysym_of_code_point(c));
      if (spare.full() && !spare.has(keysym)) {
        batches.back().spare_keys = spare.take();
        batches.emplace_back();
      }
      batches.back().strokes.push_back(spare.stroke(keysym, group));
    }
  }
  batches.back().spare_keys = spare.take();
  return batches;
}

Result<KeyPlan> plan_key(const Keymap& keymap, int group, xkb_keysym_t keysym) {
  if (const auto stroke = keymap.find_keysym(keysym, group)) return KeyPlan{*stroke, {}};
  const char32_t character = xkb_keysym_to_utf32(keysym);
  if (character >= 0x20 && character != 0x7F) {
    if (const auto stroke = keymap.find_character(character, group)) return KeyPlan{*stroke, {}};
  }
  SpareKeys spare(keymap.spare_keycodes());
  if (spare.none()) {
    char name[64] = {};
    xkb_keysym_get_name(keysym, name, sizeof name);
    return no_spare("the key " + std::string(name));
  }
  KeyPlan plan{spare.stroke(keysym, group), {}};
  plan.spare_keys = spare.take();
  return plan;
}

}  // namespace gantry::x11
