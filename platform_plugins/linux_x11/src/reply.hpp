// SPDX-License-Identifier: Apache-2.0
//
// Replies and errors of the X server as owned values. Every request of this adapter goes through
// here, so that a BadWindow (windows die at any time) is an Error and never more than that.
#pragma once

#include <gantry/result.hpp>

#include <xcb/xcb.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace gantry::x11 {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

/// Memory that xcb allocated.
template <class T>
using Owned = std::unique_ptr<T, Free>;

/// An X error as a canonical one: BadWindow, BadDrawable → not_found; BadMatch, BadValue →
/// failed_precondition; BadAccess → permission_denied; BadAlloc → resource_exhausted; others →
/// internal.
Error to_error(const xcb_generic_error_t& error, std::string_view what);

/// What a request answers when the connection is broken.
Error connection_lost(std::string_view what);

/// Waits for the reply of a request, for example
///   fetch<xcb_get_geometry_reply>(xcb, xcb_get_geometry(xcb, window), "asking for the geometry").
/// Errors: see to_error(); unavailable when the server went away. [may block: one round trip]
template <auto Fetch, class Cookie>
auto fetch(xcb_connection_t* xcb, Cookie cookie, std::string_view what)
    -> Result<Owned<std::remove_pointer_t<decltype(Fetch(xcb, cookie, nullptr))>>> {
  xcb_generic_error_t* raw_error = nullptr;
  Owned<std::remove_pointer_t<decltype(Fetch(xcb, cookie, nullptr))>> reply(
      Fetch(xcb, cookie, &raw_error));
  const Owned<xcb_generic_error_t> error(raw_error);
  if (error) return to_error(*error, what);
  if (!reply) return connection_lost(what);
  return reply;
}

/// The same for a reply whose absence is not worth a message: null on any error.
template <auto Fetch, class Cookie>
auto fetch_or_null(xcb_connection_t* xcb, Cookie cookie) {
  xcb_generic_error_t* raw_error = nullptr;
  Owned<std::remove_pointer_t<decltype(Fetch(xcb, cookie, nullptr))>> reply(
      Fetch(xcb, cookie, &raw_error));
  std::free(raw_error);
  return reply;
}

/// Waits until a request without reply (its _checked form) was carried out.
Result<void> check(xcb_connection_t* xcb, xcb_void_cookie_t cookie, std::string_view what);

}  // namespace gantry::x11
