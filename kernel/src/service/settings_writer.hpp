// SPDX-License-Identifier: Apache-2.0
// What becomes of a wish to change settings while the daemon runs: a file that could be written,
// and what it would change. Nothing is written or applied here.
//
// Thread rules: plain functions for the kernel's loop thread; they read files.
#pragma once

#include <gantry/contracts/kernel_settings.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/layers.hpp"
#include "plugin/plan.hpp"

namespace gantry::service {

/// The plan that a daemon started now would have with `written` as its written settings, and every
/// finding that `gantry check` has.
using TryPlan = std::function<std::optional<plugin::Plan>(const config::Value& written,
                                                          config::Diagnostics& diagnostics)>;

struct SettingsDraft {
  config::Value written;                ///< what the file would hold
  std::vector<config::Change> changes;  ///< of this wish
  plugin::Plan next;                    ///< with it
};

/// Errors: those of KernelWriteSettings but aborted and unavailable.
Result<SettingsDraft> draft_settings(const SettingsWriteRequest& request,
                                     const plugin::Plan& in_force, const TryPlan& try_plan);

/// What is written now. Errors: failed_precondition.
Result<config::Value> read_settings(const plugin::Plan& in_force);

/// The same as JSON, secrets as ***.
std::string settings_json(config::Value written, const plugin::Plan& in_force);

/// What differs between two plans in the sections that both have.
std::vector<config::Change> differences(const config::Settings& before, const plugin::Plan& after);

/// "plugins.mcp.config.tool_timeout"
std::string full_key(const config::Change& change);

/// Puts those changes that can be taken while running into `plan`; answers whether there are any.
bool take_live(plugin::Plan& plan, const std::vector<config::Change>& changes);

}  // namespace gantry::service
