// SPDX-License-Identifier: Apache-2.0
#include "service/describe.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <map>

#include "exec/exec.hpp"

namespace gantry::service {
namespace {

std::string hex(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

PluginInfo describe_plugin(const plugin::PluginStatus& status) {
  PluginInfo info;
  info.name = status.name;
  info.version = status.version;
  info.state = plugin::state_name(status.state);
  info.reason = status.reason;
  info.summary = status.summary;
  info.path = status.path;
  info.provides = status.provides;
  info.requires_contracts = status.requires_contracts;
  info.load_ms = status.load_ms;
  info.start_ms = status.start_ms;
  info.memory_bytes = status.memory_bytes;
  info.restarts = status.restarts;
  return info;
}

// The wall clock of a monotonic instant, from how far apart the clocks are now.
double wall_ms(kernel::Clock& clock, std::int64_t monotonic_ns) {
  const std::int64_t offset = clock.wall_ns() - clock.monotonic_ns();
  return static_cast<double>(monotonic_ns + offset) / 1e6;
}

std::string trace_text(const kernel::FlightRecord& record) {
  return hex(record.trace_hi) + hex(record.trace_lo);
}

bool is_hexadecimal(std::string_view text) {
  return text.size() <= 32 &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

std::string_view kind_name(std::uint32_t kind) {
  switch (kind) {
    case GANTRY_EVENT: return "event";
    case GANTRY_CALL: return "call";
    case GANTRY_STREAM: return "stream";
    default: return "unknown";
  }
}

PluginInfoList describe_plugins(const std::vector<plugin::PluginStatus>& plugins,
                                const std::vector<kernel::ContractInfo>& contracts) {
  std::map<std::string, kernel::ProviderInfo> suitable;
  for (const auto& contract : contracts) {
    for (const auto& provider : contract.providers) suitable[provider.plugin] = provider;
  }
  PluginInfoList out;
  for (const auto& status : plugins) {
    PluginInfo info = describe_plugin(status);
    const auto at = suitable.find(status.name);
    if (at != suitable.end() && !at->second.reason.empty()) {
      info.suitability = at->second.suitability;
      info.suitability_reason = at->second.reason;
    }
    out.plugins.push_back(std::move(info));
  }
  return out;
}

HealthReport describe_health(const observe::HealthReport& report, double uptime_s,
                             const std::string& version) {
  HealthReport out;
  out.live = report.live;
  out.ready = report.ready;
  out.degraded = report.state != observe::HealthState::kOk;
  out.uptime_s = uptime_s;
  out.version = version;
  for (const auto& component : report.components) {
    out.components.push_back({component.plugin, component.component,
                              std::string(observe::health_name(component.state)), component.reason,
                              component.cure});
  }
  return out;
}

ContractInfoList describe_contracts(const std::vector<kernel::ContractInfo>& contracts,
                                    const std::vector<plugin::PluginStatus>& plugins) {
  ContractInfoList out;
  std::map<std::string, ContractInfo> unopened;
  for (const auto& status : plugins) {
    if (status.state != plugin::State::kLazy) continue;
    for (const auto& name : status.provides) {
      auto& info = unopened[name];
      info.name = name;
      info.kind = kind_name(0);
      info.doc = "Known when the plugin is opened, at the first call.";
      info.providers.push_back(status.name);
    }
  }
  for (const auto& contract : contracts) {
    ContractInfo info;
    info.name = contract.name;
    info.kind = kind_name(contract.kind);
    info.doc = contract.doc;
    for (const auto& provider : contract.providers) info.providers.push_back(provider.plugin);
    if (const auto lazy = unopened.extract(contract.name)) {
      const auto& more = lazy.mapped().providers;
      info.providers.insert(info.providers.end(), more.begin(), more.end());
    }
    info.known_to = contract.subscribers;
    info.calls = contract.counters.calls;
    info.errors = contract.counters.errors;
    info.delivered = contract.counters.delivered;
    info.dropped = contract.counters.dropped;
    out.contracts.push_back(std::move(info));
  }
  for (auto& [name, info] : unopened) out.contracts.push_back(std::move(info));
  std::sort(out.contracts.begin(), out.contracts.end(),
            [](const ContractInfo& a, const ContractInfo& b) { return a.name < b.name; });
  return out;
}

Result<TraceList> describe_trace(kernel::Runtime& runtime, const TraceRequest& request) {
  if (request.limit < 1 || request.limit > kMostTraceEntries) {
    return invalid_argument("limit: found " + std::to_string(request.limit) + ", allowed: 1…" +
                            std::to_string(kMostTraceEntries));
  }
  if (!is_hexadecimal(request.trace)) {
    return invalid_argument("trace: found '" + request.trace +
                            "', allowed: at most 32 hexadecimal digits");
  }
  std::map<std::uint64_t, std::string> contracts;
  for (const auto& contract : runtime.bus().contracts()) contracts[contract.id] = contract.name;
  std::map<std::uint32_t, std::string> hosts;
  for (const auto* host : runtime.hosts()) hosts[host->index] = host->name;
  const auto contract_name = [&](std::uint64_t id) {
    const auto at = contracts.find(id);
    return at == contracts.end() ? hex(id) : at->second;  // one that nobody lists
  };
  const auto host_name = [&](std::uint16_t index) {
    const auto at = hosts.find(index);
    return at == hosts.end() ? std::string{} : at->second;
  };
  TraceList out;
  auto& clock = runtime.exec().clock();
  for (const auto& record : runtime.bus().recorder().newest(kMostTraceEntries)) {
    TraceEntry entry;
    entry.contract = contract_name(record.contract);
    entry.trace = trace_text(record);
    if (!request.contract.empty() && entry.contract != request.contract) continue;
    if (!request.trace.empty() && entry.trace.find(request.trace) == std::string::npos) continue;
    entry.at_ms = wall_ms(clock, record.start_ns);
    entry.kind = kind_name(record.kind);
    entry.sender = host_name(record.sender);
    entry.receiver = host_name(record.receiver);
    entry.status = code_name(static_cast<Code>(record.status));
    entry.duration_us = static_cast<double>(record.duration_ns) / 1e3;
    entry.span = hex(record.span);
    if (record.parent_span != 0) entry.parent = hex(record.parent_span);
    out.entries.push_back(std::move(entry));
  }
  const auto limit = static_cast<std::size_t>(request.limit);
  if (out.entries.size() > limit) {
    out.entries.erase(out.entries.begin(), out.entries.end() - static_cast<std::ptrdiff_t>(limit));
  }
  return out;
}

Result<LogLines> describe_log(const observe::Logger& log, const LogTailRequest& request) {
  if (request.limit < 0 || request.limit > kMostLogLines) {
    return invalid_argument("limit is " + std::to_string(request.limit) + "; it is 0 to " +
                            std::to_string(kMostLogLines));
  }
  LogLines out;
  const auto records = log.recent(request.after, static_cast<std::size_t>(request.limit),
                                  observe::parse_level(request.level), out.last);
  for (const observe::KeptRecord& record : records) {
    LogLine line;
    line.sequence = record.sequence;
    line.at_ms = record.wall_ns / 1'000'000;
    line.level = observe::level_name(record.level);
    line.plugin = record.plugin;
    line.message = record.message;
    line.fields.insert(record.fields.begin(), record.fields.end());
    out.lines.push_back(std::move(line));
  }
  return out;
}

}  // namespace gantry::service
