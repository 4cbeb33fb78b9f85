// SPDX-License-Identifier: Apache-2.0
#pragma once

// Answer heads on the wire.

#include <cstdint>
#include <string>
#include <string_view>

#include "http_types.hpp"

namespace gantry::transport {

enum class Framing : uint8_t {
  kNone,  ///< status without a body
  kLength,
  kChunked,
  kClose,  ///< until the connection ends (HTTP/1.0)
};

struct HeadFraming {
  Framing framing = Framing::kLength;
  uint64_t length = 0;
  bool keep_alive = true;
  int minor_version = 1;   ///< of the request; HTTP/1.0 has to be told about keep-alive
  std::string_view extra;  ///< complete lines "Name: value\r\n" that are put in as they are
};

/// The head with its empty line. Fields that belong to the transport are left out of
/// `head.headers`, as are those whose name or value could break the message.
std::string serialize_head(const ResponseHead& head, const HeadFraming& framing,
                           std::string_view date);

/// Compresses JSON bodies of `min_bytes` and more when `request` accepts gzip (RFC 9110 12.5.3),
/// and adds Content-Encoding and Vary. May take milliseconds: not for the loop thread.
void gzip_if_wanted(const RequestHead& request, Response& response, size_t min_bytes);

/// Whether the Accept-Encoding value admits gzip: named with q > 0, or "*" and not excluded.
bool accepts_gzip(std::string_view accept_encoding);

/// The body of a refusal: `pattern` with {status}, {message} and {reason} replaced, the last two
/// as quoted JSON strings; an empty pattern is {"error":{message}}.
std::string error_body(std::string_view pattern, int status, std::string_view message);

}  // namespace gantry::transport
