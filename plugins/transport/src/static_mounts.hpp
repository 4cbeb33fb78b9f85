// SPDX-License-Identifier: Apache-2.0
#pragma once

// The folders of the configuration (key `static`) on their listeners. A folder appears when its
// listener serves its first route; one whose listener no plugin has opened by the time the daemon
// has started gets it opened, if the configuration says where. Thread-safe.

#include <gantry/host.hpp>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "server.hpp"
#include "settings.hpp"
#include "static_handler.hpp"

namespace gantry::transport {

class StaticMounts {
 public:
  /// Opens a listener by name, as gantry.http.listen/1 does.
  using Open = std::function<Result<void>(const std::string& listener)>;

  StaticMounts(Host& host, Server& server, const Settings& settings, Open open);

  bool empty() const { return settings_.folders.empty(); }
  /// Something is mounted on `listener` now.
  void listener_serves(const std::string& listener);
  /// All plugins had their turn to open their listeners.
  void daemon_started();

 private:
  std::vector<const StaticSettings*> take(const std::string& listener);
  void mount(const StaticSettings& folder);
  void complain(const std::string& listener, const std::string& reason);
  void refuse(const StaticSettings& folder, const std::string& reason, const std::string& cure);

  Host& host_;
  Server& server_;
  const Settings& settings_;
  const Open open_;
  std::mutex mutex_;
  std::vector<const StaticSettings*> waiting_;
};

}  // namespace gantry::transport
