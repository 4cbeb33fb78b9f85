// SPDX-License-Identifier: Apache-2.0
#pragma once

// Between the server's types and the bus's. Bodies are shared, never copied. Pure; any thread.

#include <gantry/contracts/http.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http_types.hpp"

namespace gantry::transport {

/// `route` is the mounting plugin's name for it. The body keeps `request` alive.
HttpRequest to_bus(const RequestPtr& request, const std::string& route);

/// The body keeps its buffer alive.
Response from_bus(const HttpResponse& response);

Bytes to_bytes(const Buffer& buffer);

/// {"error": message} with the code's HTTP status (gantry/http_status.hpp).
Response response_of(const Error& error);

/// The `detail` of the error that ends a gantry.ws.connect/1 stream.
struct CloseDetail {
  std::uint16_t close_code = 0;
  std::string reason;
};
std::string write_close_detail(std::uint16_t code, std::string_view reason);
std::optional<CloseDetail> read_close_detail(const std::string& json);

}  // namespace gantry::transport
