// SPDX-License-Identifier: Apache-2.0
#pragma once
// The headers that repeat parts of a request since 2026-07-28 (Streamable HTTP, "Request
// Metadata"): what a proxy reads there must be what is carried out. Pure.

#include <gantry/contracts/http.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::mcp {

/// Names in lower case.
using Headers = std::vector<HttpHeader>;

/// Nothing when it is missing. Of a repeated header the first.
[[nodiscard]] std::optional<std::string_view> find_header(const Headers& headers,
                                                          std::string_view name);

/// Takes `=?base64?…?=` apart; nothing when a value has characters that a header must not carry, or
/// is no base64.
[[nodiscard]] std::optional<std::string> decode_header(std::string_view value);

/// What is wrong with Mcp-Method and Mcp-Name, in a sentence; empty: nothing.
[[nodiscard]] std::string check_method_headers(const Headers& headers, std::string_view method,
                                               const boost::json::object& params);

/// The same for the Mcp-Param-… headers that the tool's schema asks for (`x-mcp-header`).
[[nodiscard]] std::string check_parameter_headers(const Headers& headers,
                                                  const boost::json::value& input_schema,
                                                  const boost::json::object& arguments);

}  // namespace gantry::mcp
