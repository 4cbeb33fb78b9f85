// SPDX-License-Identifier: Apache-2.0
#pragma once
// A window on the wire (observer contract 1.4).

#include <gantry/contracts/window.hpp>

#include <optional>

#include "json_object.hpp"

namespace gantry::observation {

/// Without `index` for windows that are part of a snapshot.
[[nodiscard]] JsonObject window_json(const WindowInfo& window, std::optional<std::size_t> index,
                                     const MonitorList& monitors);

}  // namespace gantry::observation
