// SPDX-License-Identifier: Apache-2.0
#include "key_emitter.hpp"

#include <algorithm>

namespace gantry::x11 {

KeyEmitter::KeyEmitter(KeySink& sink, const Keymap& keymap, const KeyboardState& state)
    : sink_(sink),
      keymap_(keymap),
      original_locks_(state.locked),
      original_group_(state.locked_group),
      locks_(state.locked),
      group_(state.group) {}

KeyEmitter::~KeyEmitter() { release_all(); }

void KeyEmitter::stroke(const Stroke& stroke) {
  set_group(stroke.group);
  set_modifiers(stroke.modifiers);
  sink_.key(stroke.keycode, true);
  sink_.key(stroke.keycode, false);
}

void KeyEmitter::hold(std::uint8_t keycode, std::uint8_t modifier) {
  const bool already =
      std::any_of(down_.begin(), down_.end(), [&](const Down& d) { return d.keycode == keycode; });
  if (already) return;
  sink_.key(keycode, true);
  down_.push_back({keycode, modifier, true});
}

void KeyEmitter::release_all() {
  for (auto key = down_.rbegin(); key != down_.rend(); ++key) sink_.key(key->keycode, false);
  down_.clear();
  if (locks_ != original_locks_) sink_.lock_modifiers(locks_ ^ original_locks_, original_locks_);
  locks_ = original_locks_;
  set_group(original_group_);
}

/// Holds exactly `wanted`; keys that a chord holds stay. Modifiers that no key holds are locked,
/// and locks that would change the character (CapsLock above all) are opened.
void KeyEmitter::set_modifiers(std::uint8_t wanted) {
  std::uint8_t have = 0;
  for (auto key = down_.end(); key != down_.begin();) {
    --key;
    if (!key->for_chord && (key->modifier & wanted) == 0) {
      sink_.key(key->keycode, false);
      key = down_.erase(key);
    } else {
      have |= key->modifier;
    }
  }
  std::uint8_t to_lock = 0;
  for (int bit = 1; bit <= kMod5; bit <<= 1) {
    const auto modifier = static_cast<std::uint8_t>(bit);
    if ((wanted & modifier) == 0 || (have & modifier) != 0) continue;
    const auto holder = keymap_.holder_of(modifier);
    if (holder) {
      sink_.key(*holder, true);
      down_.push_back({*holder, modifier, false});
    } else {
      to_lock |= modifier;
    }
  }
  set_locks(to_lock);
}

void KeyEmitter::set_locks(std::uint8_t wanted) {
  if (locks_ == wanted) return;
  sink_.lock_modifiers(locks_ ^ wanted, wanted);
  locks_ = wanted;
}

void KeyEmitter::set_group(std::uint8_t group) {
  if (group_ == group) return;
  sink_.lock_group(group);
  group_ = group;
}

}  // namespace gantry::x11
