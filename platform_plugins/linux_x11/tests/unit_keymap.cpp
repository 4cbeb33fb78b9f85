// SPDX-License-Identifier: Apache-2.0
#include "key_emitter.hpp"
#include "synthetic_keymap.hpp"
#include "typing_plan.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace gantry;
using namespace gantry::x11;
using namespace gantry::x11::testing;

TEST_CASE("a character is found on every level of the current group") {
  const Keymap map = synthetic_keymap();
  struct Row {
    char32_t character;
    std::uint8_t keycode;
    std::uint8_t modifiers;
  };
  const Row rows[] = {{U'a', kCodeA, 0},     {U'A', kCodeA, kShift}, {U'!', kCodeOne, kShift},
                      {U'€', kCodeE, kMod5}, {U'e', kCodeE, 0},      {U'1', kCodeOne, 0}};
  for (const Row& row : rows) {
    INFO(static_cast<unsigned>(row.character));
    const auto stroke = map.find_character(row.character, 0);
    REQUIRE(stroke);
    CHECK(stroke->keycode == row.keycode);
    CHECK(stroke->modifiers == row.modifiers);
    CHECK(stroke->group == 0);
  }
}

TEST_CASE("a character of another group is found there, one of no group is not") {
  const Keymap map = synthetic_keymap();
  const auto cyrillic = map.find_character(U'Ф', 0);
  REQUIRE(cyrillic);
  CHECK(*cyrillic == Stroke{kCodeA, kShift, kShift | kLock, 1});
  // In the second group the same key is reached without a switch, and Latin needs one.
  CHECK(map.find_character(U'ф', 1)->group == 1);
  CHECK(map.find_character(U'a', 1)->group == 0);
  CHECK_FALSE(map.find_character(U'ß', 0));
}

TEST_CASE("a key with fewer groups wraps, clamps or redirects the keyboard's group") {
  Key key{2, 1, {0, 0}, {1, 2}};
  CHECK(key.effective_group(0) == 0);
  CHECK(key.effective_group(3) == 1);  // wraps
  key.group_info = 0x40 | 2;
  CHECK(key.effective_group(3) == 1);  // clamps to the last
  key.group_info = 0x80 | 2;
  CHECK(key.effective_group(3) == 0);  // redirects to group 0
  key.group_info = 0;
  CHECK(key.effective_group(0) == -1);
}

TEST_CASE("shift is preferred to caps lock, and an unbound virtual modifier is not used") {
  Keymap map = synthetic_keymap();
  CHECK(map.modifiers_for(map.keys[kCodeA], 0, 1) == kShift);
  map.types[kFourLevel].entries[1].active = false;
  map.index();
  CHECK_FALSE(map.modifiers_for(map.keys[kCodeE], 0, 2));
  CHECK_FALSE(map.find_character(U'€', 0));
}

TEST_CASE("keypad keys do not stand for digits") {
  const Keymap map = synthetic_keymap();
  CHECK_FALSE(map.find_character(U'5', 0));
  CHECK(map.find_keysym(XKB_KEY_KP_5, 0));
}

TEST_CASE("modifier keys are found by what they do, and locks are none") {
  const Keymap map = synthetic_keymap();
  CHECK(map.holder_of(kShift) == kCodeShift);
  CHECK(map.holder_of(kMod5) == kCodeLevel3);
  CHECK_FALSE(map.holder_of(kLock));
  CHECK_FALSE(map.holder_of(kMod2));
}

TEST_CASE("characters without a key get spare keycodes, all in one batch") {
  const Keymap map = synthetic_keymap(3);
  const auto batches = plan_typing(map, 0, "aßñ日ß!");
  REQUIRE(batches.ok());
  REQUIRE(batches->size() == 1);
  const TypingBatch& batch = batches->front();
  REQUIRE(batch.spare_keys.size() == 3);
  CHECK(batch.spare_keys[0].keysyms[0] == 0xDF);
  CHECK(batch.spare_keys[1].keysyms[0] == 0xF1);
  CHECK(batch.spare_keys[2].keysyms[0] == (0x01000000 | 0x65E5));
  REQUIRE(batch.strokes.size() == 6);
  CHECK(batch.strokes[1] == batch.strokes[4]);
  CHECK(batch.strokes[0].keycode == kCodeA);
}

TEST_CASE(
    "when the spare keycodes are used up their shifted level is used, then a new batch begins") {
  const Keymap map = synthetic_keymap(2);
  const auto batches = plan_typing(map, 0, "äöüßñ");
  REQUIRE(batches.ok());
  REQUIRE(batches->size() == 2);
  const TypingBatch& first = batches->front();
  REQUIRE(first.spare_keys.size() == 2);
  CHECK(first.spare_keys[0].keysyms == std::array<xkb_keysym_t, 2>{0xE4, 0xFC});
  CHECK(first.spare_keys[1].keysyms == std::array<xkb_keysym_t, 2>{0xF6, 0xDF});
  CHECK(first.strokes[2].modifiers == kShift);
  CHECK(first.strokes[2].keycode == first.strokes[0].keycode);
  CHECK(batches->back().spare_keys.size() == 1);
  CHECK(batches->back().strokes.size() == 1);
}

TEST_CASE("emoji and combining characters are Unicode keysyms") {
  const auto batches = plan_typing(synthetic_keymap(8), 0, "👍🏽e\u0301");
  REQUIRE(batches.ok());
  const auto& keys = batches->front().spare_keys;
  REQUIRE(keys.size() == 3);
  CHECK(keys[0].keysyms[0] == 0x0101F44D);
  CHECK(keys[1].keysyms[0] == 0x0101F3FD);
  CHECK(keys[2].keysyms[0] == 0x01000301);
}

TEST_CASE("newlines and tabs are their keys, other control characters are refused") {
  const Keymap map = synthetic_keymap();
  const auto batches = plan_typing(map, 0, "a\r\na\ta\n");
  REQUIRE(batches.ok());
  std::vector<int> codes;
  for (const Stroke& stroke : batches->front().strokes) codes.push_back(stroke.keycode);
  CHECK(codes == std::vector<int>{kCodeA, kCodeReturn, kCodeA, kCodeTab, kCodeA, kCodeReturn});
  for (const char* bad : {"a\x1b", "\x07", "\x7f", "\xc2\x85", "lone\rreturn"}) {
    const auto refused = plan_typing(map, 0, bad);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::InvalidArgument);
    CHECK_THAT(refused.error().message, Catch::Contains("control character U+00"));
  }
  CHECK(plan_typing(map, 0, "\xff").error().code == Code::InvalidArgument);
}

TEST_CASE("a full keyboard refuses what it cannot type and says so") {
  const auto refused = plan_typing(synthetic_keymap(0), 0, "aß");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::FailedPrecondition);
  CHECK_THAT(refused.error().message, Catch::Contains("U+00DF"));
}

TEST_CASE("the empty text is one empty batch") {
  const auto batches = plan_typing(synthetic_keymap(), 0, "");
  REQUIRE(batches.ok());
  CHECK(batches->size() == 1);
  CHECK(batches->front().strokes.empty());
  CHECK(batches->front().spare_keys.empty());
}

namespace {

/// Plays the events on a made-up keyboard: what is down, locked, and typed with which modifiers.
class Recorder final : public KeySink {
 public:
  explicit Recorder(const Keymap& map) : map_(map) {}
  void key(std::uint8_t keycode, bool down) override {
    if (down) {
      CHECK(down_.insert(keycode).second);  // never pressed twice
      if (map_.modmap[keycode] == 0) {
        typed.push_back({keycode, static_cast<std::uint8_t>(held() | locked), 0, group});
      }
    } else {
      CHECK(down_.erase(keycode) == 1);  // never released unpressed
    }
  }
  void lock_group(std::uint8_t g) override { group = g; }
  void lock_modifiers(std::uint8_t which, std::uint8_t state) override {
    locked = static_cast<std::uint8_t>((locked & ~which) | (state & which));
  }
  [[nodiscard]] std::uint8_t held() const {
    std::uint8_t bits = 0;
    for (const std::uint8_t keycode : down_) bits |= map_.modmap[keycode];
    return bits;
  }
  [[nodiscard]] bool nothing_down() const { return down_.empty(); }

  std::vector<Stroke> typed;
  std::uint8_t locked = 0;
  std::uint8_t group = 0;

 private:
  const Keymap& map_;
  std::set<std::uint8_t> down_;
};

}  // namespace

TEST_CASE("keys go out with exactly their modifiers, and everything is put back") {
  const Keymap map = synthetic_keymap();
  Recorder recorder(map);
  recorder.locked = kLock | kMod2;  // CapsLock and NumLock are on
  {
    KeyEmitter emitter(recorder, map, {0, 0, 0, 0, kLock | kMod2});
    for (const char32_t c : U"aA!€Фa") {
      if (c != 0) emitter.stroke(*map.find_character(c, 0));
    }
  }
  std::vector<int> modifiers;
  modifiers.reserve(recorder.typed.size());
  for (const Stroke& stroke : recorder.typed) modifiers.push_back(stroke.modifiers);
  CHECK(modifiers == std::vector<int>{0, kShift, kShift, kMod5, kShift, 0});
  CHECK(recorder.typed[4].group == 1);
  CHECK(recorder.typed[5].group == 0);
  CHECK(recorder.nothing_down());
  CHECK(recorder.locked == (kLock | kMod2));
  CHECK(recorder.group == 0);
}

TEST_CASE("held keys of a chord stay down for its key and go up afterwards") {
  const Keymap map = synthetic_keymap();
  Recorder recorder(map);
  KeyEmitter emitter(recorder, map, {});
  emitter.hold(kCodeControl, kControl);
  emitter.hold(kCodeControl, kControl);  // "ctrl+ctrl+…" presses it once
  emitter.stroke(*map.find_keysym(XKB_KEY_exclam, 0));
  CHECK(recorder.typed.back().modifiers == (kControl | kShift));
  emitter.release_all();
  CHECK(recorder.nothing_down());
}

TEST_CASE("a level that only a lock reaches is locked for the key") {
  const Keymap map = synthetic_keymap();
  Recorder recorder(map);
  KeyEmitter emitter(recorder, map, {});
  emitter.stroke({kCodeKeypad5, kMod2, kShift | kMod2, 0});
  CHECK(recorder.typed.back().modifiers == kMod2);
  emitter.release_all();
  CHECK(recorder.locked == 0);
}
