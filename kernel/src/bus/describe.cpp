// SPDX-License-Identifier: Apache-2.0
//
// What the kernel may list about contracts: for `gantry contracts`, metrics and `doctor`.
#include "bus/bus.hpp"
#include "bus/host_bus.hpp"
#include "host.hpp"

namespace gantry::kernel {

namespace {

std::uint64_t read(const std::atomic<std::uint64_t>& counter) {
  return counter.load(std::memory_order_relaxed);
}

ContractCounters read_counters(const ContractStats& stats) {
  ContractCounters counters;
  counters.published = read(stats.published);
  counters.delivered = read(stats.delivered);
  counters.dropped = read(stats.dropped);
  counters.calls = read(stats.calls);
  counters.finished = read(stats.finished);
  counters.errors = read(stats.errors);
  counters.streams = read(stats.streams);
  counters.chunks = read(stats.chunks);
  counters.latency_sum_ns = read(stats.latency_sum_ns);
  for (std::size_t i = 0; i < kLatencyBuckets; ++i) counters.latency[i] = read(stats.latency[i]);
  return counters;
}

ContractInfo describe(const Contract& contract) {
  ContractInfo info;
  info.name = contract.name;
  info.id = contract.id;
  info.kind = contract.kind.load(std::memory_order_acquire);
  info.doc = contract.doc();
  const gantry_host* first = nullptr;
  for (const Ref<Provider>& provider : contract.providers()) {
    if (first == nullptr) first = provider->host;
    std::lock_guard lock(provider->host->on_bus->mutex);
    info.providers.push_back({provider->host->name, provider->host->on_bus->suitability,
                              provider->host->on_bus->suitability_reason});
  }
  for (const Ref<Subscription>& subscription : *contract.subscribers()) {
    info.subscribers.push_back(subscription->host().name);
  }
  if (const gantry_contract* declared = contract.declaration(first)) {
    info.first = declared->first;
    info.second = declared->second;
    info.third = declared->third;
  }
  info.counters = read_counters(contract.stats);
  return info;
}

}  // namespace

std::vector<ContractInfo> Bus::contracts() const {
  std::vector<ContractInfo> result;
  for (const Contract* contract : table_.all()) result.push_back(describe(*contract));
  return result;
}

}  // namespace gantry::kernel
