// SPDX-License-Identifier: Apache-2.0
//
// Where model files are: one rule for the daemon, its command line and tests. Plugins have a key
// `models_dir` whose default is ${GANTRY_MODELS_DIR}; the daemon fills it in by this rule.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>

namespace gantry {

/// `get` reads a variable of the environment, `prefix` is the installation's. The first of:
/// GANTRY_MODELS_DIR; `configured` (kernel.models_dir); <prefix>/share/gantry/models if it is
/// there; $GANTRY_CACHE_DIR/models, $XDG_CACHE_HOME/gantry/models, ~/.cache/gantry/models (where
/// `gantry models fetch` and tools/setup put them); <prefix>/share/gantry/models.
inline std::filesystem::path models_dir(
    const std::function<std::optional<std::string>(const std::string&)>& get,
    const std::filesystem::path& prefix, const std::string& configured = {}) {
  const auto variable = [&](const char* name) { return get(name).value_or(""); };
  if (const std::string given = variable("GANTRY_MODELS_DIR"); !given.empty()) return given;
  if (!configured.empty()) return configured;
  std::filesystem::path installed = prefix / "share/gantry/models";
  std::error_code ignored;
  if (std::filesystem::is_directory(installed, ignored)) return installed;
  if (const std::string dir = variable("GANTRY_CACHE_DIR"); !dir.empty()) return dir + "/models";
  if (const std::string dir = variable("XDG_CACHE_HOME"); !dir.empty()) {
    return dir + "/gantry/models";
  }
  if (const std::string dir = variable("HOME"); !dir.empty()) return dir + "/.cache/gantry/models";
  return installed;
}

}  // namespace gantry
