// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include "bus/bus.hpp"
#include "bus/bus_table.hpp"
#include "bus/host_bus.hpp"
#include "exec/exec.hpp"
#include "exec/exec_table.hpp"
#include "exec/strand_group.hpp"

#include <gantry/abi/observe.h>

#include <mutex>

gantry_host::gantry_host() = default;
gantry_host::~gantry_host() = default;

namespace gantry::kernel {

namespace {
// How long the destructor waits for each plugin that was not closed before.
constexpr std::int64_t kLastGraceNs = 5'000'000'000;
}  // namespace

struct Runtime::Hosts {
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<gantry_host>> all;
};

Runtime::Runtime(RuntimeOptions options)
    : exec_(std::make_unique<Exec>(options)),
      bus_(std::make_unique<Bus>(*exec_, options)),
      hosts_(std::make_unique<Hosts>()) {}

Runtime::~Runtime() {
  const std::vector<gantry_host*> open = hosts();
  for (auto host = open.rbegin(); host != open.rend(); ++host) {
    close(**host, SystemClock::instance().monotonic_ns() + kLastGraceNs);
  }
  exec_->stop();
  // Workers are gone. Dropping what a plugin that hung has left may queue something for another
  // one, so all of them are emptied before any goes.
  for (bool any = true; any;) {
    any = false;
    for (gantry_host* host : open) any = host->strands->drain() || any;
  }
  hosts_.reset();
  bus_.reset();
}

gantry_host& Runtime::create_host(const HostOptions& options) {
  auto host = std::make_unique<gantry_host>();
  gantry_host& made = *host;
  made.name = options.name;
  made.exec = exec_.get();
  made.bus = bus_.get();
  made.strands = std::make_unique<StrandGroup>(made, *exec_, options);
  made.on_bus = std::make_unique<HostBus>();
  made.api.size = sizeof(gantry_host_api);
  made.api.host = &made;
  made.api.get_interface = [](gantry_host* of, const char* id) { return get_interface(of, id); };
  made.api.plugin_name = to_str(made.name);
  std::lock_guard lock(hosts_->mutex);
  made.index = static_cast<std::uint32_t>(hosts_->all.size());
  hosts_->all.push_back(std::move(host));
  return made;
}

std::vector<gantry_host*> Runtime::hosts() const {
  std::vector<gantry_host*> result;
  std::lock_guard lock(hosts_->mutex);
  for (const auto& host : hosts_->all) result.push_back(host.get());
  return result;
}

gantry_host* Runtime::find_host(std::string_view name) const {
  std::lock_guard lock(hosts_->mutex);
  for (auto host = hosts_->all.rbegin(); host != hosts_->all.rend(); ++host) {
    if ((*host)->name == name) return host->get();
  }
  return nullptr;
}

void Runtime::run_on_strand(gantry_host& host, std::function<void()> work) {
  host.strands->run_lifecycle(std::move(work));
}

void Runtime::release(gantry_host& host) { host.strands->release_hold(); }

CloseReport Runtime::close(gantry_host& host, std::int64_t deadline_ns) {
  CloseReport report;
  bus_->withdraw(host);
  // Handlers stop first, so that nothing new begins while the rest is taken down.
  host.strands->begin_close();
  bus_->close_host(host, report.calls_failed, report.calls_cancelled, report.streams_closed);
  const bool calls_ended = host.on_bus->wait_calls_ended(deadline_ns);
  report.clean = host.strands->wait_closed(deadline_ns) && calls_ended;
  if (!report.clean) {
    report.running_blocking = host.strands->running_blocking();
    report.stuck = host.strands->what_runs();
    if (!calls_ended) report.stuck += report.stuck.empty() ? "a completion" : " and a completion";
  }
  return report;
}

const void* Runtime::get_interface(gantry_host* host, const char* id) {
  const std::string_view asked = id != nullptr ? id : "";
  const struct {
    std::string_view id;
    const void* table;
  } tables[] = {
      {GANTRY_HOST_BUS_1, &kBusTable},
      {GANTRY_HOST_EXEC_1, &kExecTable},
      {GANTRY_HOST_LOG_1, host->log.table},
      {GANTRY_HOST_METRICS_1, host->metrics.table},
      {GANTRY_HOST_HEALTH_1, host->health.table},
      {GANTRY_HOST_CONFIG_1, host->config.table},
  };
  for (const auto& entry : tables) {
    if (entry.id == asked) return entry.table;
  }
  return nullptr;
}

}  // namespace gantry::kernel
