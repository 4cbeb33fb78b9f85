// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transport as plain C++: listeners, loops, mounts. What plugin.cpp wires to the bus and tests
// drive directly. start() and stop() from one thread; the rest from any in between.

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
  /// Stops accepting, tells every peer, waits for the open connections up to `grace_ms` of real
  /// time, then cuts them.
  void stop(int64_t grace_ms);

  std::optional<MountFailure> mount(std::shared_ptr<const Mount> mount);
  void unmount(const Mount* mount);
  std::vector<MountPtr> mounts() const { return core_.table()->mounts(); }

  std::vector<BoundListener> listeners() const;
  const Counters& counters() const { return core_.counters; }
  /// Loops look at their deadlines again; for clocks that jump.
  void poke();

 private:
  /// Null when there is none of that name; caller holds listeners_mutex_.
  const ListenerState* find_listener(const std::string& name) const;
  void accept_ready(ListenerState& listener);
  void shed_connection(int listening_fd);
  void place(Poco::Net::StreamSocket socket, ListenerState& listener);
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
