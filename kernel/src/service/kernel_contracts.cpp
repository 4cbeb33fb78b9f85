// SPDX-License-Identifier: Apache-2.0
#include "service/kernel_contracts.hpp"

#include <gantry/contracts/kernel.hpp>

#include <algorithm>
#include <utility>

#include "bus/bus.hpp"
#include "config/value.hpp"
#include "service/describe.hpp"

namespace gantry::service {
namespace {

kernel::HostOptions own_host() {
  kernel::HostOptions options;
  options.name = "kernel";
  return options;
}

const kernel::ContractInfo* find(const std::vector<kernel::ContractInfo>& contracts,
                                 std::string_view name) {
  const auto at = std::find_if(contracts.begin(), contracts.end(),
                               [&](const auto& info) { return info.name == name; });
  return at == contracts.end() ? nullptr : &*at;
}

Result<ContractSchemas> schemas(const std::vector<kernel::ContractInfo>& contracts,
                                const std::string& name) {
  const auto* info = find(contracts, name);
  if (info == nullptr || info->first == nullptr) {
    std::vector<std::string> known;
    known.reserve(contracts.size());
    for (const auto& contract : contracts) known.push_back(contract.name);
    return not_found("no plugin has declared the contract '" + name + "'." +
                     config::did_you_mean(name, known));
  }
  const auto schema = [](const gantry_type* type) {
    if (type == nullptr || type->schema == nullptr) return Json();
    try {  // the code of the plugin that declared it
      const gantry_str text = type->schema();
      return Json(std::string(text.data, text.size));
    } catch (...) {
      return Json();
    }
  };
  ContractSchemas out;
  out.name = info->name;
  out.kind = kind_name(info->kind);
  out.first = schema(info->first);
  out.second = schema(info->second);
  out.third = schema(info->third);
  return out;
}

}  // namespace

KernelContracts::KernelContracts(kernel::Runtime& runtime, Observers observers, KernelFacts facts)
    : runtime_(runtime),
      observers_(observers),
      facts_(std::move(facts)),
      services_(observers, "kernel", "{}"),
      raw_host_(runtime.create_host(own_host())) {
  services_.attach(raw_host_);
  host_ = std::make_unique<Host>(raw_host_.api);
}

Result<Done> KernelContracts::stop(const StopRequest& request, const CallInfo& info) {
  if (request.reason.empty()) {
    return invalid_argument("stopping the daemon needs a `reason` for its log");
  }
  if (!facts_.request_stop) {
    return failed_precondition("this kernel is stopped by whoever runs it, not over the bus");
  }
  host_->log().info("stopping", {{"asked_by", info.sender}, {"reason", request.reason}});
  facts_.request_stop();
  return Done{};
}

/// All are for the loop thread, where the plan in force lives.
Result<void> KernelContracts::serve_settings() {
  auto& bus = host_->bus();
  GANTRY_TRY(bus.serve<KernelSettings>(
      [this](const Ref<Nothing>&, const CallInfo&, Reply<KernelSettings> reply) {
        auto answer = std::make_shared<Reply<KernelSettings>>(std::move(reply));
        facts_.on_loop([this, answer] { (*answer)(facts_.settings()); });
      }));
  GANTRY_TRY(bus.serve<KernelConfigDescription>(
      [this](const Ref<Nothing>&, const CallInfo&, Reply<KernelConfigDescription> reply) {
        auto answer = std::make_shared<Reply<KernelConfigDescription>>(std::move(reply));
        facts_.on_loop([this, answer] { (*answer)(facts_.describe_config()); });
      }));
  return bus.serve<KernelWriteSettings>([this](const Ref<SettingsWriteRequest>& request,
                                               const CallInfo& info,
                                               Reply<KernelWriteSettings> reply) {
    auto answer = std::make_shared<Reply<KernelWriteSettings>>(std::move(reply));
    facts_.on_loop([this, answer, request, sender = std::string(info.sender)] {
      (*answer)(facts_.write_settings(*request, sender));
    });
  });
}

Result<void> KernelContracts::serve() {
  auto& bus = host_->bus();
  GANTRY_TRY(bus.serve<KernelPlugins>([this](const Nothing&) -> Result<PluginInfoList> {
    return describe_plugins(facts_.plugins(), runtime_.bus().contracts());
  }));
  GANTRY_TRY(bus.serve<KernelHealth>([this](const Nothing&) -> Result<HealthReport> {
    return describe_health(observers_.health.report(), facts_.uptime_s(), facts_.version);
  }));
  GANTRY_TRY(bus.serve<KernelMetrics>([this](const Nothing&) -> Result<MetricsText> {
    return MetricsText{observers_.metrics.prometheus()};
  }));
  GANTRY_TRY(bus.serve<gantry::KernelContracts>([this](const Nothing&) -> Result<ContractInfoList> {
    return describe_contracts(runtime_.bus().contracts(), facts_.plugins());
  }));
  GANTRY_TRY(bus.serve<KernelSchema>(
      [this](const ContractSchemaRequest& request) -> Result<ContractSchemas> {
        return schemas(runtime_.bus().contracts(), request.name);
      }));
  GANTRY_TRY(bus.serve<KernelTrace>([this](const TraceRequest& request) -> Result<TraceList> {
    return describe_trace(runtime_, request);
  }));
  GANTRY_TRY(bus.serve<KernelLog>([this](const LogTailRequest& request) -> Result<LogLines> {
    return describe_log(observers_.log, request);
  }));
  GANTRY_TRY(bus.serve<KernelStop>(
      [this](const StopRequest& request, const CallInfo& info) { return stop(request, info); }));
  GANTRY_TRY(serve_settings());
  return bus.serve<KernelConfig>(
      [this](const Nothing&) -> Result<EffectiveConfig> { return facts_.config(); });
}

}  // namespace gantry::service
