// SPDX-License-Identifier: Apache-2.0
//
// What the kernel tells about itself.
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct PluginInfo {
  std::string name;
  std::string version;
  std::string state;  // disabled, waiting, lazy, running, failed, quarantined, stopped
  std::string reason;
  std::string summary;
  std::string path;
  std::vector<std::string> provides;
  std::vector<std::string> requires_contracts;
  double load_ms = 0;
  double start_ms = 0;
  std::int64_t memory_bytes = 0;  // growth of the resident set while it was loaded and started
  std::int32_t restarts = 0;
  std::int32_t suitability = -1;  // -1: says nothing about it
  std::string suitability_reason;
};
BOOST_DESCRIBE_STRUCT(PluginInfo, (),
                      (name, version, state, reason, summary, path, provides, requires_contracts,
                       load_ms, start_ms, memory_bytes, restarts, suitability, suitability_reason))

struct PluginInfoList {
  std::vector<PluginInfo> plugins;
};
BOOST_DESCRIBE_STRUCT(PluginInfoList, (), (plugins))

struct KernelPlugins {
  static constexpr std::string_view kName = "gantry.kernel.plugins/1";
  static constexpr std::string_view kDoc = "Lists the plugins with their state, cost and reasons.";
  using Request = Nothing;
  using Response = PluginInfoList;
};

struct HealthComponent {
  std::string plugin;
  std::string component;
  std::string state;  // ok, degraded, failed
  std::string reason;
  std::string cure;
};
BOOST_DESCRIBE_STRUCT(HealthComponent, (), (plugin, component, state, reason, cure))

struct HealthReport {
  bool live = true;
  bool ready = false;
  bool degraded = false;
  double uptime_s = 0;
  std::string version;
  std::vector<HealthComponent> components;
};
BOOST_DESCRIBE_STRUCT(HealthReport, (), (live, ready, degraded, uptime_s, version, components))

struct KernelHealth {
  static constexpr std::string_view kName = "gantry.kernel.health/1";
  static constexpr std::string_view kDoc = "Live, ready, degraded, and why.";
  using Request = Nothing;
  using Response = HealthReport;
};

struct MetricsText {
  std::string text;  // Prometheus text format 0.0.4
};
BOOST_DESCRIBE_STRUCT(MetricsText, (), (text))

struct KernelMetrics {
  static constexpr std::string_view kName = "gantry.kernel.metrics/1";
  static constexpr std::string_view kDoc = "All metrics as Prometheus text.";
  using Request = Nothing;
  using Response = MetricsText;
};

struct ContractInfo {
  std::string name;
  std::string kind;  // event, call, stream
  std::string doc;
  std::vector<std::string> providers;
  std::vector<std::string> known_to;
  std::uint64_t calls = 0;
  std::uint64_t errors = 0;
  std::uint64_t delivered = 0;
  std::uint64_t dropped = 0;
};
BOOST_DESCRIBE_STRUCT(ContractInfo, (),
                      (name, kind, doc, providers, known_to, calls, errors, delivered, dropped))

struct ContractInfoList {
  std::vector<ContractInfo> contracts;
};
BOOST_DESCRIBE_STRUCT(ContractInfoList, (), (contracts))

struct KernelContracts {
  static constexpr std::string_view kName = "gantry.kernel.contracts/1";
  static constexpr std::string_view kDoc = "Lists the contracts, who serves them and how often.";
  using Request = Nothing;
  using Response = ContractInfoList;
};

struct ContractSchemaRequest {
  std::string name;
};
BOOST_DESCRIBE_STRUCT(ContractSchemaRequest, (), (name))

struct ContractSchemas {
  std::string name;
  std::string kind;
  Json first;   // event, request or opening
  Json second;  // response or down chunk, else null
  Json third;   // up chunk, else null
};
BOOST_DESCRIBE_STRUCT(ContractSchemas, (), (name, kind, first, second, third))

struct KernelSchema {
  static constexpr std::string_view kName = "gantry.kernel.schema/1";
  static constexpr std::string_view kDoc = "JSON Schemas of a contract's messages.";
  using Request = ContractSchemaRequest;
  using Response = ContractSchemas;
};

struct TraceRequest {
  std::int32_t limit = 200;
  std::string contract;  // only this one; empty: all
  std::string trace;     // only this trace id (hexadecimal)
};
BOOST_DESCRIBE_STRUCT(TraceRequest, (), (limit, contract, trace))

struct TraceEntry {
  double at_ms = 0;  // wall clock, milliseconds since 1970
  std::string kind;  // event, call (with its answer), stream
  std::string contract;
  std::string sender;
  std::string receiver;
  std::string status;
  double duration_us = 0;
  std::string trace;
  std::string span;
  std::string parent;
};
BOOST_DESCRIBE_STRUCT(TraceEntry, (),
                      (at_ms, kind, contract, sender, receiver, status, duration_us, trace, span,
                       parent))

struct TraceList {
  std::vector<TraceEntry> entries;  // oldest first
};
BOOST_DESCRIBE_STRUCT(TraceList, (), (entries))

struct KernelTrace {
  static constexpr std::string_view kName = "gantry.kernel.trace/1";
  static constexpr std::string_view kDoc = "The flight recorder: the last envelopes on the bus.";
  using Request = TraceRequest;
  using Response = TraceList;
};

struct LogTailRequest {
  std::uint64_t after = 0;     // LogLine::sequence of the last that is known
  std::int32_t limit = 200;    // at most so many, the oldest first
  std::string level = "info";  // trace, debug, info, warn, error: nothing below
};
BOOST_DESCRIBE_STRUCT(LogTailRequest, (), (after, limit, level))

struct LogLine {
  std::uint64_t sequence = 0;
  std::int64_t at_ms = 0;  // wall clock, milliseconds since 1970
  std::string level;
  std::string plugin;
  std::string message;
  std::map<std::string, std::string> fields;  // secrets as ***
};
BOOST_DESCRIBE_STRUCT(LogLine, (), (sequence, at_ms, level, plugin, message, fields))

struct LogLines {
  std::vector<LogLine> lines;  // oldest first
  std::uint64_t last = 0;      // of those here, or of all when there is none after them
};
BOOST_DESCRIBE_STRUCT(LogLines, (), (lines, last))

/// The last few hundred lines are kept, whatever the log is written to.
struct KernelLog {
  static constexpr std::string_view kName = "gantry.kernel.log/1";
  static constexpr std::string_view kDoc = "The last lines of the daemon's log.";
  using Request = LogTailRequest;
  using Response = LogLines;
};

struct StopRequest {
  std::string reason;  // for the log; must not be empty
};
BOOST_DESCRIBE_STRUCT(StopRequest, (), (reason))

/// Ends the daemon as SIGTERM does: answered first, then every plugin stops. For a plugin whose
/// client was the daemon's whole purpose, such as one that serves standard input. The log says who
/// asked and why.
/// Errors: invalid_argument (no reason), failed_precondition (this kernel cannot be stopped so).
struct KernelStop {
  static constexpr std::string_view kName = "gantry.kernel.stop/1";
  static constexpr std::string_view kDoc = "Ends the daemon in an orderly way.";
  using Request = StopRequest;
  using Response = Done;
};

struct EffectiveConfig {
  Json config;  // secrets as ***
  // Another one as soon as anything of it, secrets too, is another, or another setting is written;
  // made by chance, so that it says nothing about them. Not kept over a restart.
  std::string tag;
};
BOOST_DESCRIBE_STRUCT(EffectiveConfig, (), (config, tag))

struct KernelConfig {
  static constexpr std::string_view kName = "gantry.kernel.config/1";
  static constexpr std::string_view kDoc = "The configuration in force, secrets hidden.";
  using Request = Nothing;
  using Response = EffectiveConfig;
};

}  // namespace gantry
