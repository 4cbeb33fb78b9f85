// SPDX-License-Identifier: Apache-2.0
#include "keymap_server.hpp"

#include "root_note.hpp"
#include "xcb_xkb.hpp"

#include <algorithm>
#include <cstring>

namespace gantry::x11 {

namespace {

constexpr xcb_xkb_device_spec_t kCoreKeyboard = XCB_XKB_ID_USE_CORE_KBD;
constexpr std::uint8_t kTwoLevel = 1;  // canonical key type: Shift chooses the second level
constexpr std::size_t kNoteHeader = 1;
constexpr std::size_t kNoteEntry = 3;  // keycode, keysym, keysym with Shift

Error no_xkb() {
  return unavailable("the X server has no XKEYBOARD extension, so its keyboard map cannot be read",
                     "start it without -kb");
}

void read_types(const xcb_xkb_get_map_reply_t* reply, const xcb_xkb_get_map_map_t& map,
                Keymap& keymap) {
  for (auto it = xcb_xkb_get_map_map_types_rtrn_iterator(reply, &map); it.rem > 0;
       xcb_xkb_key_type_next(&it)) {
    KeyType type{it.data->mods_mask, it.data->numLevels, {}};
    for (auto entry = xcb_xkb_key_type_map_iterator(it.data); entry.rem > 0;
         xcb_xkb_kt_map_entry_next(&entry)) {
      type.entries.push_back({entry.data->mods_mask, entry.data->level, entry.data->active != 0});
    }
    keymap.types.push_back(std::move(type));
  }
}

void read_keys(const xcb_xkb_get_map_reply_t* reply, const xcb_xkb_get_map_map_t& map,
               Keymap& keymap) {
  std::size_t keycode = reply->firstKeySym;
  for (auto it = xcb_xkb_get_map_map_syms_rtrn_iterator(reply, &map);
       it.rem > 0 && keycode < keymap.keys.size(); xcb_xkb_key_sym_map_next(&it), ++keycode) {
    Key& key = keymap.keys[keycode];
    key.group_info = it.data->groupInfo;
    key.width = it.data->width;
    std::copy(std::begin(it.data->kt_index), std::end(it.data->kt_index), key.types.begin());
    const xcb_keysym_t* keysyms = xcb_xkb_key_sym_map_syms(it.data);
    key.keysyms.assign(keysyms, keysyms + it.data->nSyms);
  }
  for (auto it = xcb_xkb_get_map_map_modmap_rtrn_iterator(reply, &map); it.rem > 0;
       xcb_xkb_key_mod_map_next(&it)) {
    keymap.modmap[it.data->keycode] = it.data->mods;
  }
}

/// The wire form of consecutive keys: XKB's KEYSYMMAP, section 16.3.14 of the protocol.
struct KeySymMaps {
  std::vector<std::uint8_t> bytes;
  std::uint16_t keysyms = 0;
};

void append(KeySymMaps& out, const Key& key) {
  const auto count = static_cast<std::uint16_t>(key.keysyms.size());
  out.bytes.insert(out.bytes.end(), key.types.begin(), key.types.end());
  out.bytes.push_back(key.group_info);
  out.bytes.push_back(key.width);
  const auto old_size = out.bytes.size();
  out.bytes.resize(old_size + sizeof count + count * sizeof(xkb_keysym_t));
  std::memcpy(out.bytes.data() + old_size, &count, sizeof count);
  if (count > 0) {
    std::memcpy(out.bytes.data() + old_size + sizeof count, key.keysyms.data(),
                count * sizeof(xkb_keysym_t));
  }
  out.keysyms = static_cast<std::uint16_t>(out.keysyms + count);
}

Key bound_key(const SpareKey& spare) {
  // Both levels carry a keysym: with one alone, core-protocol clients would take the lower case of
  // a letter as the first level and type a capital small.
  const xkb_keysym_t second =
      spare.keysyms[1] != XKB_KEY_NoSymbol ? spare.keysyms[1] : spare.keysyms[0];
  return {1, 2, {kTwoLevel, 0, 0, 0}, {spare.keysyms[0], second}};
}

/// Sends keys first..last of `keymap` in one request.
Result<void> send_keys(const Session& session, const Keymap& keymap, std::uint8_t first,
                       std::uint8_t last, std::string_view what) {
  KeySymMaps maps;
  for (int keycode = first; keycode <= last; ++keycode)
    append(maps, keymap.keys[static_cast<std::size_t>(keycode)]);
  const auto cookie = xcb_xkb_set_map_checked(
      session.xcb(), kCoreKeyboard, XCB_XKB_MAP_PART_KEY_SYMS, 0, keymap.min_keycode,
      keymap.max_keycode, 0, 0, first, static_cast<std::uint8_t>(last - first + 1), maps.keysyms, 0,
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, maps.bytes.data());
  return check(session.xcb(), cookie, what);
}

Result<void> send_changed(const Session& session, Keymap keymap,
                          const std::vector<std::pair<std::uint8_t, Key>>& changes,
                          std::string_view what) {
  if (changes.empty()) return {};
  std::uint8_t first = 255;
  std::uint8_t last = 0;
  for (const auto& [keycode, key] : changes) {
    keymap.keys[keycode] = key;
    first = std::min(first, keycode);
    last = std::max(last, keycode);
  }
  return send_keys(session, keymap, first, last, what);
}

}  // namespace

Result<Keymap> read_keymap(const Session& session) {
  if (!session.extensions().xkb) return no_xkb();
  constexpr std::uint16_t kParts =
      XCB_XKB_MAP_PART_KEY_TYPES | XCB_XKB_MAP_PART_KEY_SYMS | XCB_XKB_MAP_PART_MODIFIER_MAP;
  GANTRY_ASSIGN(const auto reply, fetch<xcb_xkb_get_map_reply>(
                                      session.xcb(),
                                      xcb_xkb_get_map(session.xcb(), kCoreKeyboard, kParts, 0, 0, 0,
                                                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                                      "reading the keyboard map"));
  Keymap keymap;
  keymap.min_keycode = reply->minKeyCode;
  keymap.max_keycode = reply->maxKeyCode;
  xcb_xkb_get_map_map_t map{};
  xcb_xkb_get_map_map_unpack(xcb_xkb_get_map_map(reply.get()), reply->nTypes, reply->nKeySyms,
                             reply->nKeyActions, reply->totalActions, reply->totalKeyBehaviors,
                             reply->virtualMods, reply->totalKeyExplicit, reply->totalModMapKeys,
                             reply->totalVModMapKeys, reply->present, &map);
  read_types(reply.get(), map, keymap);
  read_keys(reply.get(), map, keymap);
  keymap.index();
  return keymap;
}

Result<KeyboardState> read_keyboard_state(const Session& session) {
  if (!session.extensions().xkb) return no_xkb();
  GANTRY_ASSIGN(
      const auto reply,
      fetch<xcb_xkb_get_state_reply>(session.xcb(), xcb_xkb_get_state(session.xcb(), kCoreKeyboard),
                                     "reading the keyboard state"));
  return KeyboardState{reply->group, reply->lockedGroup, reply->baseMods, reply->latchedMods,
                       reply->lockedMods};
}

Result<void> bind_keys(const Session& session, const Keymap& keymap,
                       const std::vector<SpareKey>& spare, const std::vector<SpareKey>& previous) {
  std::vector<std::pair<std::uint8_t, Key>> changes;
  changes.reserve(previous.size() + spare.size());
  for (const SpareKey& key : previous) changes.emplace_back(key.keycode, Key{});
  for (const SpareKey& key : spare) changes.emplace_back(key.keycode, bound_key(key));
  return send_changed(session, keymap, changes, "putting characters on spare keycodes");
}

Result<void> unbind_keys(const Session& session, const std::vector<SpareKey>& spare) {
  GANTRY_ASSIGN(const Keymap keymap, read_keymap(session));
  std::vector<std::pair<std::uint8_t, Key>> changes;
  for (const SpareKey& key : spare) {
    if (keymap.keys[key.keycode].keysyms == bound_key(key).keysyms)
      changes.emplace_back(key.keycode, Key{});
  }
  return send_changed(session, keymap, changes, "taking characters off spare keycodes");
}

void write_note(const Session& session, const std::vector<SpareKey>& spare) {
  std::vector<std::uint32_t> words{session.helper()};
  words.reserve(kNoteHeader + kNoteEntry * spare.size());
  for (const SpareKey& key : spare)
    words.insert(words.end(), {key.keycode, key.keysyms[0], key.keysyms[1]});
  write_note(session, Atom::GantrySpareKeys, words);
}

void delete_note(const Session& session) {
  delete_note(session, Atom::GantrySpareKeys);
  session.flush();
}

Result<int> repair_leftovers(const Session& session) {
  if (!session.extensions().xkb) return 0;
  const Property note =
      Property::take(session, ask_property(session, session.root(), Atom::GantrySpareKeys));
  const auto words = note.words();
  if (words.empty()) return 0;
  if (writer_lives(session, Atom::GantrySpareKeys, words[0])) return 0;  // and restores them itself
  std::vector<SpareKey> left;
  for (std::size_t i = kNoteHeader; i + kNoteEntry <= words.size(); i += kNoteEntry) {
    left.push_back({static_cast<std::uint8_t>(words[i]), {words[i + 1], words[i + 2]}});
  }
  GANTRY_TRY(unbind_keys(session, left));
  delete_note(session);
  return static_cast<int>(left.size());
}

}  // namespace gantry::x11
