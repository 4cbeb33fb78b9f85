// SPDX-License-Identifier: Apache-2.0
// The kernel's own contracts (gantry.kernel.*), served under the plugin name "kernel" like those of
// any plugin.
//
// Thread rules: made and destroyed on the loop thread; handlers run on the kernel's own strand.
#pragma once

#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/kernel_settings.hpp>
#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host.hpp"
#include "plugin/manager.hpp"
#include "service/host_tables.hpp"

namespace gantry::service {

/// Where the answers come from. Functions may be called from any thread, unless they say otherwise.
struct KernelFacts {
  std::function<std::vector<plugin::PluginStatus>()> plugins;
  std::function<EffectiveConfig()> config;
  std::function<double()> uptime_s;
  std::string version;
  std::function<void()> request_stop;  ///< empty: nobody may stop this kernel over the bus
  /// Runs something on the kernel's loop thread.
  std::function<void(std::function<void()>)> on_loop;
  std::function<Result<SettingsReport>()> settings;    ///< on the loop thread
  std::function<ConfigDescription()> describe_config;  ///< on the loop thread
  std::function<Result<SettingsWritten>(const SettingsWriteRequest&, const std::string& sender)>
      write_settings;  ///< on the loop thread
};

class KernelContracts {
 public:
  KernelContracts(kernel::Runtime& runtime, Observers observers, KernelFacts facts);

  /// Registers the handlers.
  Result<void> serve();
  /// The kernel as a caller on the bus: for the command line's in-process calls.
  Host& host() { return *host_; }
  gantry_host& raw_host() { return raw_host_; }

 private:
  Result<void> serve_settings();
  Result<Done> stop(const StopRequest& request, const CallInfo& info);

  kernel::Runtime& runtime_;
  Observers observers_;
  KernelFacts facts_;
  HostServices services_;
  gantry_host& raw_host_;
  std::unique_ptr<Host> host_;
};

}  // namespace gantry::service
