// SPDX-License-Identifier: Apache-2.0
//
// gantry_host: the kernel's side of one loaded plugin, and Runtime, which owns all of them together
// with the executor and the bus. Public to every kernel area; plugins see only the opaque pointer.
//
// Threads: Runtime's functions may be called from any thread, except close() and the destructor,
// which wait and therefore must not be called from a pool worker.
// Lifetime: a gantry_host lives as long as its Runtime, also after close(), so that late calls from
// a thread that a plugin forgot are refused instead of touching freed memory.
#pragma once

#include <gantry/abi/bus.h>
#include <gantry/abi/exec.h>
#include <gantry/abi/plugin.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::kernel {

class Bus;
class Clock;
class Exec;
class HostBus;      // what the bus keeps per plugin (kernel/src/bus)
class StrandGroup;  // the plugin's strands (kernel/src/exec)
struct BusHooks;

// A host table that another kernel area implements: `table` is what get_interface() hands out,
// `self` is that area's own object for this plugin, reached from the table's functions as
// host->log.self and so on. Filled right after create_host(), before the plugin sees the host.
struct ServiceSlot {
  const void* table = nullptr;
  void* self = nullptr;
};

}  // namespace gantry::kernel

struct gantry_host {
  std::string name;
  std::uint32_t index = 0;  // order of creation, which is the load order for choosing providers
  gantry::kernel::Exec* exec = nullptr;
  gantry::kernel::Bus* bus = nullptr;
  std::unique_ptr<gantry::kernel::StrandGroup> strands;
  std::unique_ptr<gantry::kernel::HostBus> on_bus;
  gantry::kernel::ServiceSlot log;      // gantry.host.log/1
  gantry::kernel::ServiceSlot metrics;  // gantry.host.metrics/1
  gantry::kernel::ServiceSlot health;   // gantry.host.health/1
  gantry::kernel::ServiceSlot config;   // gantry.host.config/1
  gantry_host_api api{};                // handed to the plugin's create()
  std::string why_closed;  // set before Runtime::close(): told to those it leaves waiting

  gantry_host();
  ~gantry_host();
  gantry_host(const gantry_host&) = delete;
  gantry_host& operator=(const gantry_host&) = delete;
};

namespace gantry::kernel {

struct HostOptions {
  std::string name;
  unsigned strands = 1;    // handlers are sharded by key over so many serial strands
  bool dedicated = false;  // the (single) strand is a thread of its own, where waiting is allowed
  // true: calls, events and posts queue up and run only after release(); what run_on_strand() posts
  // runs at once. The kernel holds a plugin until its start() has succeeded.
  bool held = false;
};

struct RuntimeOptions {
  unsigned workers = 0;        // 0: max(2, cores); one more is reserved for the control lane
  unsigned max_blocking = 64;  // threads of the blocking pool
  std::int64_t blocking_idle_ns = 5'000'000'000;  // an idle blocking thread ends after so long
  std::int64_t look_ns =
      50'000;  // the longest that a worker looks for work before it sleeps; 0: not
  std::int64_t default_timeout_ns = 30'000'000'000;  // of calls that name none
  std::uint32_t recorder_size = 2048;                // flight records kept per worker
  Clock* clock = nullptr;  // nullptr: the system's; must outlive the runtime
};

// How close() went. `clean` is false when the deadline passed while plugin code was still running:
// then the plugin must not be destroyed, its memory stays.
struct CloseReport {
  bool clean = true;
  unsigned calls_failed = 0;     // calls to it that were answered UNAVAILABLE
  unsigned calls_cancelled = 0;  // its own calls that were still open
  unsigned streams_closed = 0;
  unsigned running_blocking = 0;  // blocking work that had not returned at the deadline
  std::string stuck;              // empty, or what was still running, for the log
};

class Runtime {
 public:
  explicit Runtime(RuntimeOptions options = {});
  // Closes every host that is still open, then ends all threads. It waits for plugin code that does
  // not return: a daemon that must end all the same calls std::_Exit after an unclean close().
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  Exec& exec() { return *exec_; }
  Bus& bus() { return *bus_; }

  gantry_host& create_host(const HostOptions& options);
  std::vector<gantry_host*> hosts() const;
  gantry_host* find_host(std::string_view name) const;  // the newest of that name, or nullptr

  // Runs life-cycle code (init, start, reconfigure, stop) alone on the plugin's first strand, on a
  // thread where waiting is allowed, also while the host is held. Returns at once.
  void run_on_strand(gantry_host& host, std::function<void()> work);
  // Lets queued and future deliveries run.
  void release(gantry_host& host);
  // Ends a plugin's part in the bus. When it returns `clean`, none of its handlers runs or will
  // run, everything queued for it was dropped, calls to it were answered UNAVAILABLE and its own
  // calls were cancelled (their completions did run). deadline_ns: monotonic, of the real clock.
  CloseReport close(gantry_host& host, std::int64_t deadline_ns);

  // The table for an id ("gantry.host.bus/1"), or nullptr. This is gantry_host_api.get_interface.
  static const void* get_interface(gantry_host* host, const char* id);

 private:
  std::unique_ptr<Exec> exec_;
  std::unique_ptr<Bus> bus_;
  struct Hosts;
  std::unique_ptr<Hosts> hosts_;
};

}  // namespace gantry::kernel
