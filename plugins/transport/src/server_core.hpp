// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all loops of one server share.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "arriving.hpp"
#include "leaving.hpp"
#include "listener.hpp"
#include "mounts.hpp"

namespace gantry::transport {

/// Counters since start; all monotonic but `connections_open` and `websockets_open`.
struct Counters {
  std::atomic<uint64_t> connections_accepted{0};
  std::atomic<uint64_t> connections_refused{0};  ///< over a limit
  std::atomic<uint64_t> connections_open{0};
  std::atomic<uint64_t> bytes_received{0};  ///< as they came from the sockets
  std::atomic<uint64_t> websockets_open{0};
  std::atomic<uint64_t> websockets_accepted{0};
  std::atomic<uint64_t> messages_received{0};
  std::atomic<uint64_t> messages_sent{0};
  std::atomic<uint64_t> slow_consumers{0};
  std::atomic<uint64_t> protocol_errors{0};
  std::array<std::atomic<uint64_t>, 6> responses{};  ///< by hundreds of the status
};

/// Asks whether all plugins that start with the daemon have started, so that all that will be
/// mounted is; answers once, on any thread.
using ReadinessProbe = std::function<void(std::function<void(bool ready)> done)>;

class Loop;

class ServerCore {
 public:
  /// `clock` outlives it.
  ServerCore(size_t arriving_limit, size_t leaving_limit, const Clock& clock)
      : arriving(arriving_limit), leaving(leaving_limit, clock) {}

  std::shared_ptr<const MountTable> table() const {
    const std::lock_guard lock(mutex_);
    return table_;
  }
  /// Puts `added` in the place of `removed`, all at once. Fails like MountTable::with(), and then
  /// nothing has changed.
  std::optional<MountFailure> exchange_mounts(const std::vector<MountPtr>& removed,
                                              const std::vector<MountPtr>& added) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const MountTable> table = table_;
    for (const auto& mount : removed) table = MountTable::without(table, mount.get());
    for (const auto& mount : added) {
      auto grown = MountTable::with(table, mount);
      if (auto* failure = std::get_if<MountFailure>(&grown)) return std::move(*failure);
      table = std::get<std::shared_ptr<const MountTable>>(std::move(grown));
    }
    table_ = std::move(table);
    return std::nullopt;
  }

  /// Set while the daemon starts; null: what is not mounted will not be.
  std::shared_ptr<const ReadinessProbe> readiness() const {
    const std::lock_guard lock(mutex_);
    return readiness_;
  }
  void set_readiness(ReadinessProbe probe) {
    const std::lock_guard lock(mutex_);
    readiness_ = probe ? std::make_shared<const ReadinessProbe>(std::move(probe)) : nullptr;
  }

  /// The address under which a peer's connections are counted; empty: this machine.
  static std::string counted_as(const PeerInfo& peer) {
    return peer.loopback ? std::string() : peer.address;
  }
  /// Counts one more connection of `peer`; false when it would be over a limit.
  bool admit(const PeerInfo& peer, const Limits& limits) {
    const std::lock_guard lock(peers_mutex_);
    const std::string key = counted_as(peer);
    const auto found = by_address_.find(key);
    const size_t same = found == by_address_.end() ? 0 : found->second;
    const size_t most =
        peer.loopback ? limits.connections_loopback : limits.connections_per_address;
    if (open_ >= limits.connections || same >= most) return false;
    ++open_;
    by_address_[key] = same + 1;
    return true;
  }
  /// `address` as counted_as() gave it.
  void leave(const std::string& address) {
    const std::lock_guard lock(peers_mutex_);
    --open_;
    const auto found = by_address_.find(address);
    if (found != by_address_.end() && --found->second == 0) by_address_.erase(found);
  }

  const std::shared_ptr<Counters> shared_counters = std::make_shared<Counters>();
  Counters& counters = *shared_counters;
  ArrivingBytes arriving;
  LeavingBytes leaving;
  std::atomic<bool> shutting_down{false};

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const MountTable> table_ = std::make_shared<MountTable>();
  std::shared_ptr<const ReadinessProbe> readiness_;
  std::mutex peers_mutex_;
  std::unordered_map<std::string, size_t> by_address_;
  size_t open_ = 0;
};

}  // namespace gantry::transport
