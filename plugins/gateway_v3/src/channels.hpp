// SPDX-License-Identifier: Apache-2.0
#pragma once
// Channels of all plugins that have some. Strand only.

#include <gantry/contracts/channel.hpp>
#include <gantry/host.hpp>
#include <gantry/task.hpp>

#include <string>
#include <vector>

namespace gantry::gateway {

struct FoundChannel {
  ChannelInfo info;
  std::string plugin;
};

/// Plugins that do not answer are left out.
Task<std::vector<FoundChannel>> list_channels(Host& host);

}  // namespace gantry::gateway
