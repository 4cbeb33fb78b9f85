// SPDX-License-Identifier: Apache-2.0
#include "held_keys.hpp"

#include <xcb/xinput.h>

#include <string_view>

namespace gantry::x11 {

namespace {

KeyBits bits_of(const std::uint8_t* bytes) {
  KeyBits bits;
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = (bytes[i / 8] >> (i % 8) & 1) != 0;
  return bits;
}

/// Bits of the device's keys or buttons that are down.
KeyBits device_bits(const Session& session, std::uint8_t device, std::uint8_t wanted_class) {
  xcb_connection_t* xcb = session.xcb();
  const auto opened =
      fetch_or_null<xcb_input_open_device_reply>(xcb, xcb_input_open_device(xcb, device));
  if (!opened) return {};
  KeyBits bits;
  const auto state = fetch_or_null<xcb_input_query_device_state_reply>(
      xcb, xcb_input_query_device_state(xcb, device));
  if (state) {
    for (auto it = xcb_input_query_device_state_classes_iterator(state.get()); it.rem > 0;
         xcb_input_input_state_next(&it)) {
      if (it.data->class_id != wanted_class) continue;
      // Keys and buttons have the same shape: class, length, count, and 32 bytes of bits.
      bits |= bits_of(reinterpret_cast<const xcb_input_key_state_t*>(it.data)->keys);
    }
  }
  xcb_input_close_device(xcb, device);
  return bits;
}

struct KindRow {
  std::uint16_t type;
  bool test;
  std::uint8_t input_class;
};

KindRow row_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::TestKeyboards:
      return {XCB_INPUT_DEVICE_TYPE_SLAVE_KEYBOARD, true, XCB_INPUT_INPUT_CLASS_KEY};
    case DeviceKind::TestPointers:
      return {XCB_INPUT_DEVICE_TYPE_SLAVE_POINTER, true, XCB_INPUT_INPUT_CLASS_BUTTON};
    case DeviceKind::RealKeyboards: break;
  }
  return {XCB_INPUT_DEVICE_TYPE_SLAVE_KEYBOARD, false, XCB_INPUT_INPUT_CLASS_KEY};
}

}  // namespace

KeyBits keys_down(const Session& session) {
  const auto reply =
      fetch_or_null<xcb_query_keymap_reply>(session.xcb(), xcb_query_keymap(session.xcb()));
  return reply ? bits_of(reply->keys) : KeyBits{};
}

KeyBits keys_of_devices(const Session& session, DeviceKind kind) {
  KeyBits bits;
  if (!session.extensions().xinput) return bits;
  const auto devices = fetch_or_null<xcb_input_xi_query_device_reply>(
      session.xcb(), xcb_input_xi_query_device(session.xcb(), XCB_INPUT_DEVICE_ALL));
  if (!devices) return bits;
  const KindRow row = row_of(kind);
  for (auto it = xcb_input_xi_query_device_infos_iterator(devices.get()); it.rem > 0;
       xcb_input_xi_device_info_next(&it)) {
    const std::string_view name(
        xcb_input_xi_device_info_name(it.data),
        static_cast<std::size_t>(xcb_input_xi_device_info_name_length(it.data)));
    const bool test = name.find("XTEST") != std::string_view::npos;
    if (it.data->type == row.type && test == row.test) {
      bits |= device_bits(session, static_cast<std::uint8_t>(it.data->deviceid), row.input_class);
    }
  }
  return bits;
}

std::vector<std::uint8_t> held_modifiers(const Keymap& keymap, const KeyBits& down) {
  std::vector<std::uint8_t> held;
  for (std::size_t keycode = 8; keycode < down.size(); ++keycode) {
    if (down[keycode] && keymap.modmap[keycode] != 0)
      held.push_back(static_cast<std::uint8_t>(keycode));
  }
  return held;
}

}  // namespace gantry::x11
