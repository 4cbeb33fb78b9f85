// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transport as plain C++: listeners, loops, mounts. What plugin.cpp wires to the bus and tests
// drive directly. start() and stop() from one thread; the rest from any in between.

#include <gantry/unique_fd.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "clock.hpp"
#include "listener.hpp"
#include "mounts.hpp"
#include "server_core.hpp"

namespace gantry::transport {

struct ServerOptions {
  size_t loops = 0;                    ///< 0: one per core, eight at most
  std::shared_ptr<const Clock> clock;  ///< null: the system's
  size_t arriving_bytes =
      256 * 1024 * 1024;  ///< of incomplete bodies and messages; more → 503, 1013
  size_t leaving_bytes = 64 * 1024 * 1024;  ///< unread by all peers together; more → cut
};

struct BoundListener {
  std::string name;
  std::string address;  ///< "127.0.0.1:5001" or "unix:/path"
  uint16_t port = 0;
  bool tls = false;
};

class Server {
 public:
  explicit Server(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Raises the limit of open files and starts the loops.
  void start();
  /// Binds and begins to serve. Fails like open_listener(), or because the name is taken.
  std::variant<BoundListener, ListenFailure> listen(ListenerOptions options);
  /// From the next request on, mounts of the open listener that have no authenticator of their own
  /// ask for this token; does nothing without such a listener.
  void set_token(const std::string& listener, const std::string& token);
  /// Stops accepting, tells every peer, waits for the open connections up to `grace_ms` of real
  /// time, then cuts them.
  void stop(int64_t grace_ms);

  std::optional<MountFailure> mount(MountPtr mount) { return exchange({}, {std::move(mount)}); }
  /// Puts `added` in the place of `removed`; no request sees a part of it. On a failure nothing has
  /// changed.
  std::optional<MountFailure> exchange(const std::vector<MountPtr>& removed,
                                       const std::vector<MountPtr>& added);
  /// While it is set, a path without a mount is 503 until the probe says that the daemon is ready,
  /// and 404 only then: the plugin of that path may be about to mount it.
  void set_readiness(ReadinessProbe probe) { core_.set_readiness(std::move(probe)); }
  std::vector<MountPtr> mounts() const { return core_.table()->mounts(); }

  std::vector<BoundListener> listeners() const;
  const Counters& counters() const { return core_.counters; }
  /// Loops look at their deadlines again; for clocks that jump.
  void poke();

 private:
  /// Null when there is none of that name; caller holds listeners_mutex_.
  ListenerState* find_listener(const std::string& name) const;
  std::optional<MountFailure> check_place(const MountPtr& mount) const;
  void accept_ready(ListenerState& listener);
  void shed_connection(int listening_fd);
  void place(UniqueFd socket, ListenerState& listener);
  size_t open_connections() const { return core_.counters.connections_open; }

  ServerOptions options_;
  std::shared_ptr<const Clock> clock_;
  ServerCore core_;
  mutable std::mutex listeners_mutex_;
  std::vector<std::unique_ptr<ListenerState>> listeners_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<std::thread> threads_;
  size_t next_loop_ = 0;
  size_t file_limit_ = 0;
  int spare_fd_ = -1;
};

}  // namespace gantry::transport
