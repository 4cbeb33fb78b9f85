// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recordings for clients, as far as the guard lets them: under the name trace_read, pictures also
// under those of the tools that take such. On the strand.

#include <gantry/contracts/observe.hpp>
#include <gantry/result.hpp>

#include <string>

#include "task.hpp"

namespace gantry::observation {

struct Engine;

/// Whether the guard keeps recordings, and what there is to know of them, from the caller.
Task<bool> recordings_are_withheld(Engine& engine, const std::string& caller);
/// Errors: permission_denied, resource_exhausted.
Task<Result<RecordingInfos>> list_recordings(Engine& engine, RecordingListRequest request);
/// Errors: permission_denied, and those of read_trace().
Task<Result<RecordingContents>> read_recording(Engine& engine, RecordingReadRequest request);

}  // namespace gantry::observation
