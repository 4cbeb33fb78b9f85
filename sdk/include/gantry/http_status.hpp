// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/result.hpp>

namespace gantry {

/// The HTTP status that says the same as a code, for every plugin that answers errors over HTTP.
/// `failed_precondition` is 409 like the other conflicts with what is there: 412 is the answer to
/// a request's own conditional fields (RFC 9110 15.5.13), which no code stands for.
constexpr int http_status_of(Code code) {
  switch (code) {
    case Code::Ok: return 200;
    case Code::InvalidArgument:
    case Code::OutOfRange: return 400;
    case Code::Unauthenticated: return 401;
    case Code::PermissionDenied: return 403;
    case Code::NotFound: return 404;
    case Code::AlreadyExists:
    case Code::Aborted:
    case Code::FailedPrecondition: return 409;
    case Code::ResourceExhausted: return 429;
    case Code::Cancelled: return 499;  // nobody reads it; logs know it from nginx
    case Code::Unimplemented: return 501;
    case Code::Unavailable: return 503;
    case Code::DeadlineExceeded: return 504;
    default: return 500;
  }
}

}  // namespace gantry
