// SPDX-License-Identifier: Apache-2.0
// Runs the tests where a sandbox can be made; elsewhere says why not, and skips.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <cstdio>

#include "sandbox_support.hpp"

int main(int argc, char** argv) {
  const gantry::testkit::TempDir folder;
  const std::string reason = gantry::shell::testing::no_sandbox(folder.path().string());
  if (!reason.empty()) {
    std::fprintf(stderr, "skipped: %s\n", reason.c_str());
    return 77;
  }
  return Catch::Session().run(argc, argv);
}
