// SPDX-License-Identifier: Apache-2.0
#include "reply.hpp"

namespace gantry::x11 {

namespace {

struct ErrorRow {
  std::uint8_t x_code;
  std::string_view name;
  Code code;
};

constexpr ErrorRow kCoreErrors[] = {
    {XCB_REQUEST, "BadRequest", Code::Unimplemented},
    {XCB_VALUE, "BadValue", Code::FailedPrecondition},
    {XCB_WINDOW, "BadWindow", Code::NotFound},
    {XCB_PIXMAP, "BadPixmap", Code::NotFound},
    {XCB_ATOM, "BadAtom", Code::Internal},
    {XCB_MATCH, "BadMatch", Code::FailedPrecondition},
    {XCB_DRAWABLE, "BadDrawable", Code::NotFound},
    {XCB_ACCESS, "BadAccess", Code::PermissionDenied},
    {XCB_ALLOC, "BadAlloc", Code::ResourceExhausted},
    {XCB_LENGTH, "BadLength", Code::Internal},
    {XCB_IMPLEMENTATION, "BadImplementation", Code::Unimplemented},
};

}  // namespace

Error to_error(const xcb_generic_error_t& error, std::string_view what) {
  std::string_view name = "an extension's error";
  Code code = Code::Internal;
  for (const ErrorRow& row : kCoreErrors) {
    if (row.x_code == error.error_code) {
      name = row.name;
      code = row.code;
    }
  }
  std::string message(what);
  message += ": the X server answered ";
  message += name;
  message += " (code " + std::to_string(error.error_code) + ", resource " +
             std::to_string(error.resource_id) + ")";
  return {code, std::move(message), {}};
}

Error connection_lost(std::string_view what) {
  return unavailable(std::string(what) + ": the connection to the X server broke",
                     "the adapter reconnects by itself as soon as the server is back");
}

Result<void> check(xcb_connection_t* xcb, xcb_void_cookie_t cookie, std::string_view what) {
  const Owned<xcb_generic_error_t> error(xcb_request_check(xcb, cookie));
  if (error) return to_error(*error, what);
  if (xcb_connection_has_error(xcb) != 0) return connection_lost(what);
  return {};
}

}  // namespace gantry::x11
