// SPDX-License-Identifier: Apache-2.0
//
// InProcessKernel: the real kernel with given plugins and configuration, inside a test. Only for
// tests in this tree: it links the kernel itself.
//
//   testkit::InProcessKernel kernel({.config = "plugins: {mock: {}}"});
//   REQUIRE(kernel.start().ok());
//   auto windows = kernel.host().bus().call_wait<ListWindows>({});
//
// start() and stop() from the test's thread; host() from any thread between them.
#pragma once

#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace gantry::kernel {
class Clock;
class Kernel;
}  // namespace gantry::kernel

namespace gantry::testkit {

struct KernelSetup {
  std::string
      config{};  // the main configuration file; a profile must be named in it or none is used
  // Empty: what this build has made, lib/gantry/plugins in $GANTRY_BUILD_DIR or beside the program.
  std::filesystem::path plugin_dir{};
  kernel::Clock* clock = nullptr;  // nullptr: the system's; must outlive the kernel
  bool written_settings = false;   // whether kernel.state_dir/settings.yaml is a layer, and written
};

class InProcessKernel {
 public:
  explicit InProcessKernel(KernelSetup setup);
  ~InProcessKernel();  // stops
  InProcessKernel(const InProcessKernel&) = delete;
  InProcessKernel& operator=(const InProcessKernel&) = delete;

  /// Opens and starts the plugins. A configuration that is wrong is InvalidArgument with every
  /// finding; a plugin that fails is not an error here: plugin_state() tells.
  Result<void> start();
  /// False when something was left behind; then the test process must end.
  bool stop();

  /// The kernel as a caller on the bus.
  Host& host();
  /// "running", "failed: why", … as `gantry plugins` has it; "" for an unknown name.
  [[nodiscard]] std::string plugin_state(const std::string& name) const;
  /// Any contract by name, JSON in and out, waiting at most `limit`.
  Result<std::string> call_json(const std::string& contract, const std::string& request,
                                std::chrono::milliseconds limit = std::chrono::seconds(20));
  /// Lines that were logged so far, as JSON.
  [[nodiscard]] std::vector<std::string> log_lines() const;
  /// Where the configuration is.
  [[nodiscard]] const std::filesystem::path& folder() const;
  /// Puts a new main configuration in place and reloads. What is wrong with it is the error.
  Result<void> reload(const std::string& config);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gantry::testkit
