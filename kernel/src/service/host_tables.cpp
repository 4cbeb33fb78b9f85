// SPDX-License-Identifier: Apache-2.0
#include "service/host_tables.hpp"

#include <gantry/abi/exec.h>
#include <gantry/abi/observe.h>
#include <gantry/buffer.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace gantry::service {
namespace {

HostServices& of(void* self) { return *static_cast<HostServices*>(self); }

std::string_view text(gantry_str value) { return {value.data, value.size}; }

observe::LogLevel level_of(int level) {
  return static_cast<observe::LogLevel>(std::clamp(level, 0, 4));
}

int log_enabled(gantry_host* host, int level) {
  return of(host->log.self).log_source().enabled(level_of(level)) ? 1 : 0;
}

void add_trace(gantry_host* host, observe::LogRecord& record) {
  const auto* exec = static_cast<const gantry_host_exec*>(
      kernel::Runtime::get_interface(host, GANTRY_HOST_EXEC_1));
  if (exec == nullptr) return;
  gantry_context* context = exec->context_current(host);
  std::uint64_t span = 0;
  exec->context_trace(context, &record.trace_hi, &record.trace_lo, &span);
  exec->context_release(context);
}

void log_write(gantry_host* host, int level, std::uint64_t site, gantry_str message,
               const gantry_log_field* fields, std::size_t count) {
  auto& services = of(host->log.self);
  std::vector<observe::LogField> copies;
  copies.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    copies.push_back(
        {text(fields[i].key), text(fields[i].value), (fields[i].flags & GANTRY_FIELD_SECRET) != 0});
  }
  observe::LogRecord record;
  record.level = level_of(level);
  record.message = text(message);
  record.fields = copies;
  add_trace(host, record);
  services.observers().log.write(services.log_source(), site, record);
}

gantry_metric* metric_get(gantry_host* host, int kind, gantry_str name, gantry_str help,
                          gantry_str labels, const double* buckets, std::size_t bucket_count) {
  if (kind < GANTRY_COUNTER || kind > GANTRY_HISTOGRAM) return nullptr;
  auto& services = of(host->metrics.self);
  std::string full(text(name));
  if (!full.starts_with("gantry_")) full = "gantry_" + services.plugin() + "_" + full;
  std::vector<double> bounds;
  if (buckets != nullptr) bounds.assign(buckets, buckets + bucket_count);
  auto& metric = services.observers().metrics.get(
      static_cast<observe::MetricKind>(kind), {full, text(help), text(labels)}, std::move(bounds));
  return reinterpret_cast<gantry_metric*>(&metric);
}

void metric_add(gantry_metric* metric, double value) {
  if (metric != nullptr) reinterpret_cast<observe::Metric*>(metric)->add(value);
}

void metric_set(gantry_metric* metric, double value) {
  if (metric != nullptr) reinterpret_cast<observe::Metric*>(metric)->set(value);
}

void health_set(gantry_host* host, gantry_str component, int state, gantry_str reason,
                gantry_str cure) {
  auto& services = of(host->health.self);
  observe::ComponentHealth health;
  health.plugin = services.plugin();
  health.component = std::string(text(component));
  health.state = static_cast<observe::HealthState>(std::clamp(state, 0, 2));
  health.reason = std::string(text(reason));
  health.cure = std::string(text(cure));
  services.observers().health.set(std::move(health));
}

void config_json(gantry_host* host, gantry_buf* out) {
  *out = Buffer::copy(of(host->config.self).config_json()).detach();
}

constexpr gantry_host_log kLog{sizeof(gantry_host_log), &log_enabled, &log_write};
constexpr gantry_host_metrics kMetrics{sizeof(gantry_host_metrics), &metric_get, &metric_add,
                                       &metric_set};
constexpr gantry_host_health kHealth{sizeof(gantry_host_health), &health_set};
constexpr gantry_host_config kConfig{sizeof(gantry_host_config), &config_json};

}  // namespace

HostServices::HostServices(Observers observers, std::string plugin, std::string config_json)
    : observers_(observers),
      plugin_(std::move(plugin)),
      source_(observers_.log.source(plugin_)),
      config_json_(std::move(config_json)) {}

void HostServices::attach(gantry_host& host) {
  host.log = {&kLog, this};
  host.metrics = {&kMetrics, this};
  host.health = {&kHealth, this};
  host.config = {&kConfig, this};
}

std::string HostServices::config_json() const {
  const std::lock_guard lock(mutex_);
  return config_json_;
}

void HostServices::set_config_json(std::string json) {
  const std::lock_guard lock(mutex_);
  config_json_ = std::move(json);
}

}  // namespace gantry::service
