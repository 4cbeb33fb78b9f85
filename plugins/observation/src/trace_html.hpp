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
#include <string_view>

#include "trace_files.hpp"
#include "trace_record.hpp"

namespace gantry::observation {

/// `picture` gives the PNG of a reference as base64, or nothing when it is not there.
[[nodiscard]] std::string trace_page(
    const TraceText& trace,
    const std::function<std::optional<std::string>(const std::string& reference)>& picture);

/// Whether a reference is the name of a picture as recordings have them: "screenshots/step-….png".
[[nodiscard]] bool is_picture_reference(std::string_view reference);
[[nodiscard]] bool is_png(std::string_view bytes);

/// Most bytes of what a page is made of.
struct PageLimits {
  std::size_t lines = kMaxRecording;
  std::size_t pictures = 256U << 20U;  ///< All together; 0: none is shown.
};

/// Reads a recording and its pictures and makes the page. Blocks on the disk. Errors: not_found,
/// invalid_argument.
[[nodiscard]] Result<TracePage> export_trace(const std::string& folder,
                                             const PageLimits& limits = {});
/// The same of a folder that is open; the errors have no path, as load_trace() has it.
[[nodiscard]] Result<TracePage> export_trace(const TraceFolder& folder, const PageLimits& limits);

}  // namespace gantry::observation
