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

KeyBits device_keys(const Session& session, std::uint8_t device) {
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
      if (it.data->class_id != XCB_INPUT_INPUT_CLASS_KEY) continue;
      bits |= bits_of(reinterpret_cast<const xcb_input_key_state_t*>(it.data)->keys);
    }
  }
  xcb_input_close_device(xcb, device);
  return bits;
}

}  // namespace

KeyBits keys_down(const Session& session) {
  const auto reply =
      fetch_or_null<xcb_query_keymap_reply>(session.xcb(), xcb_query_keymap(session.xcb()));
  return reply ? bits_of(reply->keys) : KeyBits{};
}

KeyBits keys_down_physically(const Session& session) {
  KeyBits bits;
  if (!session.extensions().xinput) return bits;
  const auto devices = fetch_or_null<xcb_input_xi_query_device_reply>(
      session.xcb(), xcb_input_xi_query_device(session.xcb(), XCB_INPUT_DEVICE_ALL));
  if (!devices) return bits;
  for (auto it = xcb_input_xi_query_device_infos_iterator(devices.get()); it.rem > 0;
       xcb_input_xi_device_info_next(&it)) {
    const std::string_view name(
        xcb_input_xi_device_info_name(it.data),
        static_cast<std::size_t>(xcb_input_xi_device_info_name_length(it.data)));
    const bool keyboard = it.data->type == XCB_INPUT_DEVICE_TYPE_SLAVE_KEYBOARD;
    if (keyboard && name.find("XTEST") == std::string_view::npos) {
      bits |= device_keys(session, static_cast<std::uint8_t>(it.data->deviceid));
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
