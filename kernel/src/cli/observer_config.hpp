// SPDX-License-Identifier: Apache-2.0
// The published screen observer's config.json and command line, laid over our own configuration, so
// that an existing start script only changes the program's name.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "config/value.hpp"

namespace gantry::cli {

/// Whether this installation has the key ("budgets.max_actions") of a plugin ("guard").
using HasKey = std::function<bool(std::string_view plugin, std::string_view key)>;

/// Parses config.json and lays its keys over `tree` (see LayerOptions::overlay). Broken JSON is an
/// error with line and column. Unknown keys, and known ones without effect here, are warnings; a
/// key that protects the user and cannot be honoured is an error. Values are never shown. `mock`
/// becomes true when the file asks for the made-up desktop.
void lay_observer_config(std::string_view text, const std::string& file, const HasKey& has_key,
                         config::Value& tree, bool& mock, config::Diagnostics& diagnostics);

/// Lays one value ("plugins", "guard", "config", "budgets.max_actions" and so on) into `tree`.
void lay_key(config::Value& tree, std::string_view plugin, std::string_view key,
             config::Value value);

}  // namespace gantry::cli
