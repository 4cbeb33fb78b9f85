// SPDX-License-Identifier: Apache-2.0
// What went through the bus, per contract, as Prometheus text.
#include <array>
#include <map>

#include "observe/metrics.hpp"
#include "service/describe.hpp"

namespace gantry::service {
namespace {

using observe::append_head;

struct Family {
  std::string_view name;
  std::string_view help;
  std::uint64_t kernel::ContractCounters::*member;
};

using Counters = kernel::ContractCounters;
constexpr std::array kFamilies{
    Family{"gantry_bus_calls_total", "Calls made.", &Counters::calls},
    Family{"gantry_bus_errors_total", "Calls and streams that did not end well.",
           &Counters::errors},
    Family{"gantry_bus_published_total", "Events published.", &Counters::published},
    Family{"gantry_bus_delivered_total", "Events delivered to a subscriber.", &Counters::delivered},
    Family{"gantry_bus_dropped_total", "Events that a full mailbox refused or displaced.",
           &Counters::dropped},
    Family{"gantry_bus_streams_total", "Streams opened.", &Counters::streams},
    Family{"gantry_bus_chunks_total", "Chunks sent on streams.", &Counters::chunks},
};

std::string label(const kernel::ContractInfo& contract) {
  return observe::render_labels("contract=" + contract.name);
}

// Every other bucket is enough to see a shape: 4 µs, 16 µs, … 4 s.
void latency(std::string& out, const kernel::ContractInfo& contract) {
  constexpr std::string_view kName = "gantry_bus_call_seconds";
  std::uint64_t total = 0;
  for (std::size_t i = 0; i + 1 < contract.counters.latency.size(); ++i) {
    total += contract.counters.latency[i];
    if (i % 2 != 0) continue;
    const double bound = static_cast<double>(1ULL << i) / 1e6;
    out += std::string(kName) + "_bucket{" + label(contract) + ",le=\"" + std::to_string(bound) +
           "\"} " + std::to_string(total) + "\n";
  }
  total += contract.counters.latency.back();
  out += std::string(kName) + "_bucket{" + label(contract) + ",le=\"+Inf\"} " +
         std::to_string(total) + "\n";
  out += std::string(kName) + "_sum{" + label(contract) + "} " +
         std::to_string(static_cast<double>(contract.counters.latency_sum_ns) / 1e9) + "\n";
  out += std::string(kName) + "_count{" + label(contract) + "} " + std::to_string(total) + "\n";
}

}  // namespace

void collect_bus(kernel::Runtime& runtime, std::string& out) {
  const auto contracts = runtime.bus().contracts();
  for (const auto& family : kFamilies) {
    bool begun = false;
    for (const auto& contract : contracts) {
      const std::uint64_t value = contract.counters.*family.member;
      if (value == 0) continue;  // a series appears when it has something to say
      if (!begun) append_head(out, family.name, family.help, "counter");
      begun = true;
      out += std::string(family.name) + "{" + label(contract) + "} " + std::to_string(value) + "\n";
    }
  }
  bool begun = false;
  for (const auto& contract : contracts) {
    if (contract.counters.finished == 0) continue;
    if (!begun)
      append_head(out, "gantry_bus_call_seconds", "Time from call to completion.", "histogram");
    begun = true;
    latency(out, contract);
  }
  // A plugin that was started again has several hosts, which are one series.
  std::map<std::string, std::uint64_t> violations;
  for (const auto* host : runtime.hosts()) {
    const auto counters = runtime.bus().counters(*host);
    const std::uint64_t count = counters.double_completions + counters.faults;
    if (count > 0) violations[host->name] += count;
  }
  constexpr std::string_view kViolations = "gantry_bus_violations_total";
  if (!violations.empty())
    append_head(out, kViolations, "Broken rules of the boundary.", "counter");
  for (const auto& [plugin, count] : violations) {
    out += std::string(kViolations) + "{" + observe::render_labels("plugin=" + plugin) + "} " +
           std::to_string(count) + "\n";
  }
}

}  // namespace gantry::service
