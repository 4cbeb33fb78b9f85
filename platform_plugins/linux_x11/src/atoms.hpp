// SPDX-License-Identifier: Apache-2.0
//
// The atoms this adapter uses, as one list: the enum, the names and the interning follow from it.
#pragma once

#include <cstddef>
#include <string_view>

namespace gantry::x11 {

// X(enumerator, "NAME ON THE SERVER")
#define GANTRY_X11_ATOMS(X)                                           \
  X(NetActiveWindow, "_NET_ACTIVE_WINDOW")                            \
  X(NetClientList, "_NET_CLIENT_LIST")                                \
  X(NetClientListStacking, "_NET_CLIENT_LIST_STACKING")               \
  X(NetCurrentDesktop, "_NET_CURRENT_DESKTOP")                        \
  X(NetFrameExtents, "_NET_FRAME_EXTENTS")                            \
  X(NetSupportingWmCheck, "_NET_SUPPORTING_WM_CHECK")                 \
  X(NetWmDesktop, "_NET_WM_DESKTOP")                                  \
  X(NetWmName, "_NET_WM_NAME")                                        \
  X(NetWmPid, "_NET_WM_PID")                                          \
  X(NetWmPing, "_NET_WM_PING")                                        \
  X(NetWmState, "_NET_WM_STATE")                                      \
  X(NetWmStateHidden, "_NET_WM_STATE_HIDDEN")                         \
  X(NetWmWindowType, "_NET_WM_WINDOW_TYPE")                           \
  X(NetWmWindowTypeCombo, "_NET_WM_WINDOW_TYPE_COMBO")                \
  X(NetWmWindowTypeDesktop, "_NET_WM_WINDOW_TYPE_DESKTOP")            \
  X(NetWmWindowTypeDialog, "_NET_WM_WINDOW_TYPE_DIALOG")              \
  X(NetWmWindowTypeDnd, "_NET_WM_WINDOW_TYPE_DND")                    \
  X(NetWmWindowTypeDock, "_NET_WM_WINDOW_TYPE_DOCK")                  \
  X(NetWmWindowTypeDropdownMenu, "_NET_WM_WINDOW_TYPE_DROPDOWN_MENU") \
  X(NetWmWindowTypeMenu, "_NET_WM_WINDOW_TYPE_MENU")                  \
  X(NetWmWindowTypeNormal, "_NET_WM_WINDOW_TYPE_NORMAL")              \
  X(NetWmWindowTypeNotification, "_NET_WM_WINDOW_TYPE_NOTIFICATION")  \
  X(NetWmWindowTypePopupMenu, "_NET_WM_WINDOW_TYPE_POPUP_MENU")       \
  X(NetWmWindowTypeSplash, "_NET_WM_WINDOW_TYPE_SPLASH")              \
  X(NetWmWindowTypeToolbar, "_NET_WM_WINDOW_TYPE_TOOLBAR")            \
  X(NetWmWindowTypeTooltip, "_NET_WM_WINDOW_TYPE_TOOLTIP")            \
  X(NetWmWindowTypeUtility, "_NET_WM_WINDOW_TYPE_UTILITY")            \
  X(GtkFrameExtents, "_GTK_FRAME_EXTENTS")                            \
  X(WmProtocols, "WM_PROTOCOLS")                                      \
  X(WmState, "WM_STATE")                                              \
  X(Utf8String, "UTF8_STRING")                                        \
  X(CompoundText, "COMPOUND_TEXT")                                    \
  X(Text, "TEXT")                                                     \
  X(TextPlain, "text/plain")                                          \
  X(TextPlainUtf8, "text/plain;charset=utf-8")                        \
  X(Clipboard, "CLIPBOARD")                                           \
  X(Targets, "TARGETS")                                               \
  X(Timestamp, "TIMESTAMP")                                           \
  X(Multiple, "MULTIPLE")                                             \
  X(AtomPair, "ATOM_PAIR")                                            \
  X(Incr, "INCR")                                                     \
  X(GantryTransfer, "_GANTRY_TRANSFER")                               \
  X(GantryTimestamp, "_GANTRY_TIMESTAMP")                             \
  X(GantrySpareKeys, "_GANTRY_SPARE_KEYS")                            \
  X(GantryHoldsKeys, "_GANTRY_HOLDS_KEYS")                            \
  X(GantryHoldsButtons, "_GANTRY_HOLDS_BUTTONS")

enum class Atom : std::size_t {
#define GANTRY_X11_ATOM_ENUM(name, text) name,
  GANTRY_X11_ATOMS(GANTRY_X11_ATOM_ENUM)
#undef GANTRY_X11_ATOM_ENUM
};

inline constexpr std::string_view kAtomNames[] = {
#define GANTRY_X11_ATOM_NAME(name, text) text,
    GANTRY_X11_ATOMS(GANTRY_X11_ATOM_NAME)
#undef GANTRY_X11_ATOM_NAME
};

inline constexpr std::size_t kAtomCount = sizeof kAtomNames / sizeof kAtomNames[0];

}  // namespace gantry::x11
