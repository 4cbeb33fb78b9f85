// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server behind its bus contracts: listeners by name, mounts by plugin, counters as metrics.
// Thread-safe: the plugin has several strands.

#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "server.hpp"
#include "settings.hpp"
#include "static_mounts.hpp"

namespace gantry::transport {

class Listeners {
 public:
  Listeners(Host& host, const Settings& settings);

  void start();
  void stop(std::int64_t grace_ms);

  /// gantry.http.listen/1. A listener that exists is returned as it is, but for its bearer token.
  Result<ListenerInfo> listen(const ListenRequest& wanted);
  ListenerList list() const;
  /// gantry.http.mount/1. What the same plugin mounted before at the same place is replaced, so
  /// that a restarted plugin does not overlap itself. All of the routes are mounted or none.
  Result<Done> mount(const MountRequest& wanted, const std::string& owner);

 private:
  using Mounts = std::vector<MountPtr>;

  /// With the prefix and the host that the configuration has for the plugin.
  MountRequest placed(const MountRequest& asked, const std::string& owner) const;
  std::vector<std::shared_ptr<Mount>> make_mounts(const MountRequest& wanted,
                                                  const std::string& owner);
  std::shared_ptr<MountHandler> make_handler(const HttpRoute& route, const std::string& owner);
  ListenerInfo describe(const BoundListener& listener) const;
  void renew_token(const ListenRequest& wanted);
  void ask_kernel(std::function<void(bool)> done);
  std::string address_of(const std::string& name) const;
  /// Once for each listener, when something is mounted on it.
  void log_serving(const std::string& listener);
  void await_start();
  void publish_counters();

  struct Series {
    Metric metric;
    const std::atomic<std::uint64_t>* value;
    std::uint64_t published;
    bool gauge;
  };

  Host& host_;
  const Settings& settings_;
  Server server_;
  StaticMounts folders_;
  mutable std::mutex mutex_;
  std::map<std::string, Mounts> mounts_;  ///< by owner, listener, host name and prefix
  std::set<std::string> serving_;         ///< listeners on which something is mounted
  std::vector<Series> series_;
  Timer timer_;
  Timer start_timer_;
};

}  // namespace gantry::transport
