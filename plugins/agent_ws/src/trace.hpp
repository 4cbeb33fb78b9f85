// SPDX-License-Identifier: Apache-2.0
#pragma once
// The payload of trace-event, which most frames of a turn are: written without an object of its
// members in between. Pure, any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::agent_ws {

struct TraceError {
  std::string_view code;
  std::string_view message;
};

/// Empty members are left out; path, status, runtime and time need no escapes.
struct Trace {
  std::string_view path{};    // path/stage
  std::string_view status{};  // started, succeeded, failed, skipped
  std::string_view id{};      // traceId and requestId
  std::string_view time{};    // startedAt when it has started, else endedAt; see iso_time()
  std::string_view runtime = "backend";
  std::optional<std::int64_t> duration_ms{};
  std::string_view data{};  // JSON
  std::optional<TraceError> error{};
};

/// Appends the JSON text.
void write_trace(std::string& out, const Trace& trace);

}  // namespace gantry::agent_ws
