// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which part of a representation a GET or HEAD gets: conditional requests and ranges
// (RFC 9110 13 and 14).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http_types.hpp"

namespace gantry::transport {

/// What there is to send. The tag is a strong one.
struct Representation {
  std::string_view etag;   ///< with its quotes
  int64_t modified_s = 0;  ///< Unix time
  uint64_t size = 0;
};

/// What is sent of it.
struct Selection {
  int status = 200;  ///< 200, 206, 304, 412, 416
  uint64_t first = 0;
  uint64_t length = 0;  ///< of the body; 0 unless 200 or 206
};

/// A request for several ranges at once gets the whole (RFC 9110 14.2 allows it): nobody needs
/// them, and overlapping ones are an attack. Malformed fields count as absent.
Selection select_part(const RequestHead& request, const Representation& there);

/// "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110 5.6.7).
std::string http_date_of(int64_t unix_s);
/// Any of the three forms that a recipient must take.
std::optional<int64_t> parse_http_date(std::string_view text);

}  // namespace gantry::transport
