// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a client has missed of a session, once more. Strand only.

#include <gantry/result.hpp>
#include <gantry/task.hpp>

#include <cstdint>
#include <string>

#include "call.hpp"

namespace gantry::gateway {

struct Replayed {
  std::int64_t events = 0;
  std::uint64_t last = 0;  // `seq` of the last one; of none the one that was named
};

/// Sends the `agent` events after `seen` to the caller's socket, as fast as it reads. Errors: as of
/// gantry.session.poll/1.
Task<Result<Replayed>> replay(CallPtr call, SessionAccess access, std::string key,
                              std::uint64_t seen);

}  // namespace gantry::gateway
