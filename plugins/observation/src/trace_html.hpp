// SPDX-License-Identifier: Apache-2.0
#pragma once
// A recording as one HTML page: a timeline, every call with its arguments and what came of it, and
// the pictures inside the page. Everything that comes from the recording is escaped, and the page
// forbids itself to load or run anything.

#include <gantry/contracts/observe.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <optional>
#include <string>

#include "trace_record.hpp"

namespace gantry::observation {

/// `picture` gives the PNG of a reference as base64, or nothing when it is not there.
[[nodiscard]] std::string trace_page(
    const TraceText& trace,
    const std::function<std::optional<std::string>(const std::string& reference)>& picture);

/// Reads a recording and its pictures and makes the page. Blocks on the disk. Errors: not_found,
/// invalid_argument.
[[nodiscard]] Result<TracePage> export_trace(const std::string& folder);

}  // namespace gantry::observation
