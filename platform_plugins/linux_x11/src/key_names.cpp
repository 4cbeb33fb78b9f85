// SPDX-License-Identifier: Apache-2.0
#include "chord.hpp"

#include <xkbcommon/xkbcommon-keysyms.h>

namespace gantry::x11 {

const std::vector<KeyName>& key_names() {
  static const std::vector<KeyName> kNames = {
      // Modifiers.
      {"ctrl", XKB_KEY_Control_L}, {"control", XKB_KEY_Control_L}, {"ctrl_l", XKB_KEY_Control_L},
      {"ctrlleft", XKB_KEY_Control_L}, {"ctrl_r", XKB_KEY_Control_R}, {"ctrlright", XKB_KEY_Control_R},
      {"shift", XKB_KEY_Shift_L}, {"shift_l", XKB_KEY_Shift_L}, {"shiftleft", XKB_KEY_Shift_L},
      {"shift_r", XKB_KEY_Shift_R}, {"shiftright", XKB_KEY_Shift_R},
      {"alt", XKB_KEY_Alt_L}, {"alt_l", XKB_KEY_Alt_L}, {"altleft", XKB_KEY_Alt_L},
      {"option", XKB_KEY_Alt_L}, {"opt", XKB_KEY_Alt_L}, {"optionleft", XKB_KEY_Alt_L},
      {"alt_r", XKB_KEY_Alt_R}, {"altright", XKB_KEY_Alt_R}, {"optionright", XKB_KEY_Alt_R},
      {"altgr", XKB_KEY_ISO_Level3_Shift}, {"alt_gr", XKB_KEY_ISO_Level3_Shift},
      {"super", XKB_KEY_Super_L}, {"super_l", XKB_KEY_Super_L}, {"win", XKB_KEY_Super_L},
      {"winleft", XKB_KEY_Super_L}, {"windows", XKB_KEY_Super_L}, {"cmd", XKB_KEY_Super_L},
      {"command", XKB_KEY_Super_L}, {"super_r", XKB_KEY_Super_R}, {"winright", XKB_KEY_Super_R},
      {"meta", XKB_KEY_Meta_L}, {"meta_l", XKB_KEY_Meta_L}, {"meta_r", XKB_KEY_Meta_R},
      {"hyper", XKB_KEY_Hyper_L},
      // Editing.
      {"enter", XKB_KEY_Return}, {"return", XKB_KEY_Return}, {"newline", XKB_KEY_Return},
      {"tab", XKB_KEY_Tab}, {"escape", XKB_KEY_Escape}, {"esc", XKB_KEY_Escape},
      {"backspace", XKB_KEY_BackSpace}, {"back_space", XKB_KEY_BackSpace}, {"bksp", XKB_KEY_BackSpace},
      {"delete", XKB_KEY_Delete}, {"del", XKB_KEY_Delete}, {"insert", XKB_KEY_Insert},
      {"ins", XKB_KEY_Insert}, {"space", XKB_KEY_space}, {"spacebar", XKB_KEY_space},
      // Moving.
      {"up", XKB_KEY_Up}, {"down", XKB_KEY_Down}, {"left", XKB_KEY_Left}, {"right", XKB_KEY_Right},
      {"arrow_up", XKB_KEY_Up}, {"arrow_down", XKB_KEY_Down}, {"arrow_left", XKB_KEY_Left},
      {"arrow_right", XKB_KEY_Right}, {"arrowup", XKB_KEY_Up}, {"arrowdown", XKB_KEY_Down},
      {"arrowleft", XKB_KEY_Left}, {"arrowright", XKB_KEY_Right},
      {"home", XKB_KEY_Home}, {"end", XKB_KEY_End},
      {"page_up", XKB_KEY_Page_Up}, {"pageup", XKB_KEY_Page_Up}, {"pgup", XKB_KEY_Page_Up},
      {"prior", XKB_KEY_Page_Up}, {"page_down", XKB_KEY_Page_Down}, {"pagedown", XKB_KEY_Page_Down},
      {"pgdn", XKB_KEY_Page_Down}, {"pgdown", XKB_KEY_Page_Down}, {"next", XKB_KEY_Page_Down},
      // System.
      {"menu", XKB_KEY_Menu}, {"apps", XKB_KEY_Menu}, {"context_menu", XKB_KEY_Menu},
      {"print_screen", XKB_KEY_Print}, {"printscreen", XKB_KEY_Print}, {"print", XKB_KEY_Print},
      {"prtsc", XKB_KEY_Print}, {"prtscr", XKB_KEY_Print}, {"prntscrn", XKB_KEY_Print},
      {"scroll_lock", XKB_KEY_Scroll_Lock}, {"scrolllock", XKB_KEY_Scroll_Lock},
      {"pause", XKB_KEY_Pause}, {"break", XKB_KEY_Break}, {"help", XKB_KEY_Help},
      {"undo", XKB_KEY_Undo}, {"redo", XKB_KEY_Redo}, {"cut", XKB_KEY_XF86Cut},
      {"copy", XKB_KEY_XF86Copy}, {"paste", XKB_KEY_XF86Paste}, {"find", XKB_KEY_Find},
      {"caps_lock", XKB_KEY_Caps_Lock}, {"capslock", XKB_KEY_Caps_Lock}, {"caps", XKB_KEY_Caps_Lock},
      {"num_lock", XKB_KEY_Num_Lock}, {"numlock", XKB_KEY_Num_Lock},
      // Media.
      {"volume_up", XKB_KEY_XF86AudioRaiseVolume}, {"volumeup", XKB_KEY_XF86AudioRaiseVolume},
      {"volume_down", XKB_KEY_XF86AudioLowerVolume}, {"volumedown", XKB_KEY_XF86AudioLowerVolume},
      {"volume_mute", XKB_KEY_XF86AudioMute}, {"volumemute", XKB_KEY_XF86AudioMute},
      {"mute", XKB_KEY_XF86AudioMute}, {"play_pause", XKB_KEY_XF86AudioPlay},
      {"playpause", XKB_KEY_XF86AudioPlay}, {"media_next", XKB_KEY_XF86AudioNext},
      {"nexttrack", XKB_KEY_XF86AudioNext}, {"media_previous", XKB_KEY_XF86AudioPrev},
      {"prevtrack", XKB_KEY_XF86AudioPrev}, {"media_stop", XKB_KEY_XF86AudioStop},
      {"browser_back", XKB_KEY_XF86Back}, {"browserback", XKB_KEY_XF86Back},
      {"browser_forward", XKB_KEY_XF86Forward}, {"browserforward", XKB_KEY_XF86Forward},
      {"browser_refresh", XKB_KEY_XF86Refresh}, {"browserrefresh", XKB_KEY_XF86Refresh},
      // Keypad.
      {"num0", XKB_KEY_KP_0}, {"num1", XKB_KEY_KP_1}, {"num2", XKB_KEY_KP_2}, {"num3", XKB_KEY_KP_3},
      {"num4", XKB_KEY_KP_4}, {"num5", XKB_KEY_KP_5}, {"num6", XKB_KEY_KP_6}, {"num7", XKB_KEY_KP_7},
      {"num8", XKB_KEY_KP_8}, {"num9", XKB_KEY_KP_9}, {"kp_0", XKB_KEY_KP_0}, {"kp_1", XKB_KEY_KP_1},
      {"kp_2", XKB_KEY_KP_2}, {"kp_3", XKB_KEY_KP_3}, {"kp_4", XKB_KEY_KP_4}, {"kp_5", XKB_KEY_KP_5},
      {"kp_6", XKB_KEY_KP_6}, {"kp_7", XKB_KEY_KP_7}, {"kp_8", XKB_KEY_KP_8}, {"kp_9", XKB_KEY_KP_9},
      {"kp_enter", XKB_KEY_KP_Enter}, {"num_enter", XKB_KEY_KP_Enter}, {"add", XKB_KEY_KP_Add},
      {"kp_add", XKB_KEY_KP_Add}, {"subtract", XKB_KEY_KP_Subtract}, {"kp_subtract", XKB_KEY_KP_Subtract},
      {"multiply", XKB_KEY_KP_Multiply}, {"kp_multiply", XKB_KEY_KP_Multiply},
      {"divide", XKB_KEY_KP_Divide}, {"kp_divide", XKB_KEY_KP_Divide}, {"decimal", XKB_KEY_KP_Decimal},
      {"kp_decimal", XKB_KEY_KP_Decimal},
      // Characters by name, for callers that cannot write them.
      {"plus", XKB_KEY_plus}, {"minus", XKB_KEY_minus}, {"hyphen", XKB_KEY_minus}, {"equal", XKB_KEY_equal},
      {"equals", XKB_KEY_equal}, {"comma", XKB_KEY_comma}, {"period", XKB_KEY_period}, {"dot", XKB_KEY_period},
      {"slash", XKB_KEY_slash}, {"backslash", XKB_KEY_backslash}, {"semicolon", XKB_KEY_semicolon},
      {"quote", XKB_KEY_apostrophe}, {"apostrophe", XKB_KEY_apostrophe}, {"backtick", XKB_KEY_grave},
      {"grave", XKB_KEY_grave}, {"tilde", XKB_KEY_asciitilde}, {"underscore", XKB_KEY_underscore},
      {"left_bracket", XKB_KEY_bracketleft}, {"right_bracket", XKB_KEY_bracketright},
      // Function keys.
      {"f1", XKB_KEY_F1}, {"f2", XKB_KEY_F2}, {"f3", XKB_KEY_F3}, {"f4", XKB_KEY_F4}, {"f5", XKB_KEY_F5},
      {"f6", XKB_KEY_F6}, {"f7", XKB_KEY_F7}, {"f8", XKB_KEY_F8}, {"f9", XKB_KEY_F9}, {"f10", XKB_KEY_F10},
      {"f11", XKB_KEY_F11}, {"f12", XKB_KEY_F12}, {"f13", XKB_KEY_F13}, {"f14", XKB_KEY_F14},
      {"f15", XKB_KEY_F15}, {"f16", XKB_KEY_F16}, {"f17", XKB_KEY_F17}, {"f18", XKB_KEY_F18},
      {"f19", XKB_KEY_F19}, {"f20", XKB_KEY_F20}, {"f21", XKB_KEY_F21}, {"f22", XKB_KEY_F22},
      {"f23", XKB_KEY_F23}, {"f24", XKB_KEY_F24},
  };
  return kNames;
}

} // namespace gantry::x11
