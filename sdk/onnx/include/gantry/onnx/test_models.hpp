// SPDX-License-Identifier: Apache-2.0
//
// Model files in tests. Where they have not been fetched a test says so and is skipped; with
// CI=true that is a failure (tools/setup fetches them).
#pragma once

#include <gantry/models_dir.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::onnx {

/// The folder of models, by the daemon's rule.
inline std::filesystem::path test_models_dir() {
  return models_dir(
      [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
      },
      "/usr");
}

/// Whether all these files are there; says loudly which are not, and ends the process with CI=true.
inline bool have_models(const std::initializer_list<std::string_view>& files) {
  for (const std::string_view file : files) {
    const std::filesystem::path path = test_models_dir() / file;
    if (std::filesystem::exists(path)) continue;
    std::fprintf(stderr, "SKIPPED: there is no %s; run tools/setup\n", path.c_str());
    const char* ci = std::getenv("CI");  // NOLINT(concurrency-mt-unsafe)
    if (ci != nullptr && std::string_view(ci) == "true") std::exit(1);
    return false;
  }
  return true;
}

}  // namespace gantry::onnx
