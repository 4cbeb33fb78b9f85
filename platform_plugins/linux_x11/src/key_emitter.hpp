// SPDX-License-Identifier: Apache-2.0
//
// KeyEmitter: turns strokes into key events and keeps the books on what is down. Whatever it
// pressed it releases in its destructor.
#pragma once

#include "held_keys.hpp"
#include "keymap_server.hpp"

#include <cstdint>
#include <vector>

namespace gantry::x11 {

/// Where key events go: the server, or a list in tests.
class KeySink {
 public:
  virtual ~KeySink() = default;
  virtual void key(std::uint8_t keycode, bool down) = 0;
  virtual void lock_group(std::uint8_t group) = 0;
  /// Sets the locked state of the real modifiers in `which` to that in `state`.
  virtual void lock_modifiers(std::uint8_t which, std::uint8_t state) = 0;
};

class KeyEmitter {
 public:
  /// `state` is the keyboard's with every held modifier released already.
  KeyEmitter(KeySink& sink, const Keymap& keymap, const KeyboardState& state);
  ~KeyEmitter();
  KeyEmitter(const KeyEmitter&) = delete;
  KeyEmitter& operator=(const KeyEmitter&) = delete;

  /// Presses and releases one key with exactly the stroke's modifiers, and those that hold() holds.
  void stroke(const Stroke& stroke);
  /// Holds a key, for chords, until release_all().
  void hold(std::uint8_t keycode, std::uint8_t modifier);
  /// Lets everything go and puts locks and group back.
  void release_all();

 private:
  void set_modifiers(std::uint8_t wanted);
  void set_locks(std::uint8_t wanted);
  void set_group(std::uint8_t group);

  KeySink& sink_;
  const Keymap& keymap_;
  const std::uint8_t original_locks_;
  const std::uint8_t original_group_;
  std::uint8_t locks_;
  std::uint8_t group_;
  struct Down {
    std::uint8_t keycode;
    std::uint8_t modifier;
    bool for_chord;
  };
  std::vector<Down> down_;
};

}  // namespace gantry::x11
