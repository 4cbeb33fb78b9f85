// SPDX-License-Identifier: Apache-2.0
//
// xcb/xkb.h names a member `explicit`, which is a keyword of C++. Everything that includes it here
// comes through this header.
#pragma once

#include <xcb/xcb.h>
#include <xcb/xproto.h>

#define explicit explicit_keys  // NOLINT(clang-diagnostic-keyword-macro): see above
#include <xcb/xkb.h>
#undef explicit
