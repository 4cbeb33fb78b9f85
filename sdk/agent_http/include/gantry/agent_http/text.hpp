// SPDX-License-Identifier: Apache-2.0
//
// Small things about texts and headers. Any thread.
#pragma once

#include <gantry/contracts/http.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::agent_http {

/// Without spaces, tabs and line ends around it.
std::string_view trim(std::string_view text);
/// ASCII letters only.
std::string lower(std::string_view text);

/// The first value of a header (name in lower case); empty: there is none.
std::string_view header_of(const HttpRequest& request, std::string_view name);

/// The last value of a query parameter, or nothing.
std::optional<std::string> parameter_of(const HttpRequest& request, std::string_view name);

/// The credential of "Authorization: Bearer …", trimmed; empty: there is none.
std::string bearer_of(const HttpRequest& request);

/// "2026-03-03T16:00:00.120Z" of milliseconds since the epoch.
std::string iso_time(std::int64_t at_ms);
/// "Tue, 03 Mar 2026 16:00:00 GMT", as headers have it.
std::string http_date(std::int64_t at_ms);

}  // namespace gantry::agent_http
