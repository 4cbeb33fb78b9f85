// SPDX-License-Identifier: Apache-2.0
// The kernel's state as the structs of gantry/contracts/kernel.hpp.
#pragma once

#include <gantry/contracts/kernel.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "bus/bus.hpp"
#include "host.hpp"
#include "observe/health.hpp"
#include "observe/log.hpp"
#include "plugin/manager.hpp"

namespace gantry::service {

/// "event", "call", "stream", or "unknown" when nobody has declared the contract.
std::string_view kind_name(std::uint32_t kind);

PluginInfoList describe_plugins(const std::vector<plugin::PluginStatus>& plugins,
                                const std::vector<kernel::ContractInfo>& contracts);
HealthReport describe_health(const observe::HealthReport& report, double uptime_s,
                             const std::string& version);
/// Also lists what plugins that are not opened yet would serve, with the kind "unknown".
ContractInfoList describe_contracts(const std::vector<kernel::ContractInfo>& contracts,
                                    const std::vector<plugin::PluginStatus>& plugins);
/// The most entries that one answer of the flight recorder has.
inline constexpr std::int32_t kMostTraceEntries = 10'000;
/// Errors: invalid_argument (a limit that is not 1…kMostTraceEntries, a trace id that is not
/// hexadecimal).
Result<TraceList> describe_trace(kernel::Runtime& runtime, const TraceRequest& request);

/// The most lines that one answer of the log has.
inline constexpr std::int32_t kMostLogLines = 1'000;
/// Errors: invalid_argument (a limit that is not 0…kMostLogLines).
Result<LogLines> describe_log(const observe::Logger& log, const LogTailRequest& request);

/// Bus counters as Prometheus families.
void collect_bus(kernel::Runtime& runtime, std::string& out);

}  // namespace gantry::service
