// SPDX-License-Identifier: Apache-2.0
// Saying why a window has no tree, or a poor one, and what would cure it.
#pragma once

#include "app.hpp"
#include "assemble.hpp"
#include "tree.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gantry::atspi {

/// Why a process has no application on the accessibility bus, judged from what it has mapped
/// (`<proc>/<pid>/maps`) and started with: a toolkit whose bridge is off, or none at all.
Degraded diagnose_missing(std::uint32_t pid, const std::string& proc = "/proc");

/// A Chromium-family window whose page is not in the tree.
std::optional<Degraded> diagnose_renderer(const App& app, const Order& order);

}  // namespace gantry::atspi
