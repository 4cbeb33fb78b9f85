// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/kernel.hpp>
#include <gantry/contracts/kernel_settings.hpp>

GANTRY_INSTANTIATE(gantry::PluginInfo)
GANTRY_INSTANTIATE(gantry::PluginInfoList)
GANTRY_INSTANTIATE(gantry::HealthComponent)
GANTRY_INSTANTIATE(gantry::HealthReport)
GANTRY_INSTANTIATE(gantry::MetricsText)
GANTRY_INSTANTIATE(gantry::ContractInfo)
GANTRY_INSTANTIATE(gantry::ContractInfoList)
GANTRY_INSTANTIATE(gantry::ContractSchemaRequest)
GANTRY_INSTANTIATE(gantry::ContractSchemas)
GANTRY_INSTANTIATE(gantry::TraceRequest)
GANTRY_INSTANTIATE(gantry::TraceEntry)
GANTRY_INSTANTIATE(gantry::TraceList)
GANTRY_INSTANTIATE(gantry::EffectiveConfig)
GANTRY_INSTANTIATE(gantry::LogTailRequest)
GANTRY_INSTANTIATE(gantry::LogLines)
GANTRY_INSTANTIATE(gantry::StopRequest)
GANTRY_INSTANTIATE(gantry::ConfigDescription)
GANTRY_INSTANTIATE(gantry::SettingsWriteRequest)
GANTRY_INSTANTIATE(gantry::SettingsWritten)
GANTRY_INSTANTIATE(gantry::SettingsReport)
