// SPDX-License-Identifier: Apache-2.0
// Opening a plugin's library through Boost.DLL, and the handshake.
//
// A library is opened once and stays mapped until the process ends: code that was loaded leaves
// unique symbols, thread-local destructors and static state behind that dlclose cannot take back.
#pragma once

#include <gantry/abi/plugin.h>
#include <gantry/result.hpp>

#include <filesystem>

#include "plugin/manifest.hpp"

namespace gantry::plugin {

/// Opens the library with immediate binding and local symbols and finds the entry. An error holds
/// the loader's own words. Opening the same file again answers the same entry.
Result<const gantry_plugin_entry_v1*> open_library(const std::filesystem::path& file);

/// Whether this host and the entry fit: magic, size, ABI, name and version against the manifest.
Result<void> check_entry(const gantry_plugin_entry_v1& entry, const Manifest& manifest);

}  // namespace gantry::plugin
