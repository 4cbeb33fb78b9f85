// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/testkit/eventually.hpp>
#include <gantry/testkit/kernel.hpp>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gantry::test {

inline std::string build_dir() {
  const char* dir = std::getenv("GANTRY_BUILD_DIR");
  return dir == nullptr ? "." : dir;
}

/// A kernel whose installation is the folder of bad plugins.
inline std::unique_ptr<testkit::InProcessKernel> start_kernel(const std::string& config) {
  testkit::KernelSetup setup;
  setup.config = config;
  setup.plugin_dir = build_dir() + "/tests/plugins_bad";
  auto kernel = std::make_unique<testkit::InProcessKernel>(std::move(setup));
  const auto started = kernel->start();
  if (!started.ok()) throw std::runtime_error(started.error().message);
  return kernel;
}

using testkit::eventually;

inline bool has_line(const testkit::InProcessKernel& kernel, std::string_view part) {
  for (const auto& line : kernel.log_lines()) {
    if (line.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace gantry::test
