// SPDX-License-Identifier: Apache-2.0
// Log, metrics, health and configuration of FakeHost, and the list of its tables.
#include "world.hpp"

namespace gantry::testkit::detail {

namespace {

void log_write(gantry_host* host, int level, std::uint64_t, gantry_str message,
               const gantry_log_field* fields, std::size_t count) {
  LogLine line{Participant::of(host).name, level, std::string(view(message)), {}};
  for (std::size_t i = 0; i < count; ++i) {
    const bool hidden = (fields[i].flags & GANTRY_FIELD_SECRET) != 0;
    line.fields.emplace(view(fields[i].key),
                        hidden ? std::string_view("***") : view(fields[i].value));
  }
  world_of(host).logs.push_back(std::move(line));
}

gantry_metric* metric_get(gantry_host* host, int kind, gantry_str name, gantry_str,
                          gantry_str labels, const double*, std::size_t) {
  std::string key = Participant::of(host).name;
  key += '/';
  key += view(name);
  key += '{';
  key += view(labels);
  key += '}';
  Metric& metric = world_of(host).metrics[key];
  metric.kind = kind;
  return reinterpret_cast<gantry_metric*>(&metric);
}
void metric_add(gantry_metric* raw, double value) {
  auto& metric = *reinterpret_cast<Metric*>(raw);
  metric.value += metric.kind == GANTRY_HISTOGRAM ? 1 : value;
}
void metric_set(gantry_metric* raw, double value) { reinterpret_cast<Metric*>(raw)->value = value; }

void health_set(gantry_host* host, gantry_str component, int state, gantry_str reason,
                gantry_str cure) {
  const std::string key = Participant::of(host).name + "/" + std::string(view(component));
  world_of(host).health[key] = {state, std::string(view(reason)), std::string(view(cure))};
}

void config_json(gantry_host* host, gantry_buf* out) {
  *out = Buffer::copy(Participant::of(host).config).detach();
}

const gantry_host_log kLog = {sizeof(gantry_host_log), [](gantry_host*, int) { return 1; },
                              log_write};
const gantry_host_metrics kMetrics = {sizeof(gantry_host_metrics), metric_get, metric_add,
                                      metric_set};
const gantry_host_health kHealth = {sizeof(gantry_host_health), health_set};
const gantry_host_config kConfig = {sizeof(gantry_host_config), config_json};

}  // namespace

const void* find_table(gantry_host*, const char* id) {
  const std::string_view name = id;
  if (name == GANTRY_HOST_BUS_1) return &bus_table();
  if (name == GANTRY_HOST_EXEC_1) return &exec_table();
  if (name == GANTRY_HOST_LOG_1) return &kLog;
  if (name == GANTRY_HOST_METRICS_1) return &kMetrics;
  if (name == GANTRY_HOST_HEALTH_1) return &kHealth;
  if (name == GANTRY_HOST_CONFIG_1) return &kConfig;
  return nullptr;
}

}  // namespace gantry::testkit::detail
