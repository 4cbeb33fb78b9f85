// SPDX-License-Identifier: Apache-2.0
//
// Host: what the kernel offers one plugin, as C++. Bus, executors, timers, clock, log, metrics,
// health and configuration. Every member may be called from any thread. Valid until the plugin is
// destroyed.
#pragma once

#include <gantry/abi/observe.h>
#include <gantry/abi/plugin.h>
#include <gantry/bus.hpp>
#include <gantry/time.hpp>

#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gantry {

/// Moves a callable into a C closure that the host runs and drops.
template <class F>
gantry_closure make_closure(F&& function) {
  using Function = std::decay_t<F>;
  gantry_closure closure{};
  closure.user = new Function(std::forward<F>(function));
  closure.run = [](void* user) { (*static_cast<Function*>(user))(); };
  closure.drop = [](void* user) { delete static_cast<Function*>(user); };
  return closure;
}

/// One key and value of a structured log line.
struct Field {
  std::string_view key;
  std::string value;
  bool secret = false;

  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(v) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v) {}
  Field(std::string_view k, bool v) : key(k), value(v ? "true" : "false") {}
  template <class N>
    requires std::is_arithmetic_v<N>
  Field(std::string_view k, N v) : key(k), value(std::to_string(v)) {}
};

/// A field whose value is printed as ***.
inline Field secret(std::string_view key, std::string_view value) {
  Field field(key, value);
  field.secret = true;
  return field;
}

class Log {
 public:
  using Fields = std::initializer_list<Field>;

  Log() = default;
  Log(gantry_host* host, const gantry_host_log* table) : host_(host), table_(table) {}

  void trace(std::string_view m, Fields f = {},
             std::source_location at = std::source_location::current()) const {
    write(GANTRY_LOG_TRACE, m, f, at);
  }
  void debug(std::string_view m, Fields f = {},
             std::source_location at = std::source_location::current()) const {
    write(GANTRY_LOG_DEBUG, m, f, at);
  }
  void info(std::string_view m, Fields f = {},
            std::source_location at = std::source_location::current()) const {
    write(GANTRY_LOG_INFO, m, f, at);
  }
  void warn(std::string_view m, Fields f = {},
            std::source_location at = std::source_location::current()) const {
    write(GANTRY_LOG_WARN, m, f, at);
  }
  void error(std::string_view m, Fields f = {},
             std::source_location at = std::source_location::current()) const {
    write(GANTRY_LOG_ERROR, m, f, at);
  }

  [[nodiscard]] bool enabled(gantry_log_level level) const {
    return table_ != nullptr && table_->enabled(host_, level) != 0;
  }

 private:
  void write(gantry_log_level level, std::string_view message, Fields fields,
             const std::source_location& at) const {
    if (!enabled(level)) return;
    std::vector<gantry_log_field> raw;
    raw.reserve(fields.size());
    for (const Field& field : fields) {
      raw.push_back({to_str(field.key), to_str(field.value),
                     field.secret ? GANTRY_FIELD_SECRET : GANTRY_FIELD_PLAIN, 0});
    }
    const std::uint64_t site = contract_id(at.file_name()) ^ at.line();
    table_->write(host_, level, site, to_str(message), raw.data(), raw.size());
  }
  gantry_host* host_ = nullptr;
  const gantry_host_log* table_ = nullptr;
};

/// A counter, gauge or histogram of this plugin. Cheap to copy; add() is an atomic operation.
class Metric {
 public:
  Metric() = default;
  Metric(const gantry_host_metrics* table, gantry_metric* metric)
      : table_(table), metric_(metric) {}
  void add(double value = 1.0) const {
    if (metric_ != nullptr) table_->add(metric_, value);
  }
  void set(double value) const {
    if (metric_ != nullptr) table_->set(metric_, value);
  }

 private:
  const gantry_host_metrics* table_ = nullptr;
  gantry_metric* metric_ = nullptr;
};

/// Cancels its timer when it goes.
class Timer {
 public:
  Timer() = default;
  Timer(gantry_host* host, const gantry_host_exec* exec, std::uint64_t id)
      : host_(host), exec_(exec), id_(id) {}
  Timer(Timer&& other) noexcept
      : host_(other.host_), exec_(other.exec_), id_(std::exchange(other.id_, 0)) {}
  Timer& operator=(Timer&& other) noexcept {
    std::swap(host_, other.host_);
    std::swap(exec_, other.exec_);
    std::swap(id_, other.id_);
    return *this;
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }
  void cancel() {
    if (id_ != 0) exec_->timer_cancel(host_, std::exchange(id_, 0));
  }

 private:
  gantry_host* host_ = nullptr;
  const gantry_host_exec* exec_ = nullptr;
  std::uint64_t id_ = 0;
};

class Host {
 public:
  explicit Host(const gantry_host_api& api)
      : host_(api.host),
        name_(view(api.plugin_name)),
        exec_(table<gantry_host_exec>(api, GANTRY_HOST_EXEC_1)),
        metrics_(table<gantry_host_metrics>(api, GANTRY_HOST_METRICS_1)),
        health_(table<gantry_host_health>(api, GANTRY_HOST_HEALTH_1)),
        config_(table<gantry_host_config>(api, GANTRY_HOST_CONFIG_1)),
        log_(api.host, table<gantry_host_log>(api, GANTRY_HOST_LOG_1)),
        bus_(api.host, table<gantry_host_bus>(api, GANTRY_HOST_BUS_1), exec_) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Log& log() const { return log_; }
  [[nodiscard]] Bus& bus() { return bus_; }
  [[nodiscard]] gantry_host* raw() const { return host_; }
  [[nodiscard]] const gantry_host_exec* exec() const { return exec_; }

  /// Runs `work` on the plugin's strand (the shard of `key`).
  template <class F>
  void post(F&& work, std::uint64_t key = 0, gantry_lane lane = GANTRY_LANE_INTERACTIVE) const {
    exec_->post(host_, key, lane, make_closure(std::forward<F>(work)));
  }
  /// Runs `work` where waiting is allowed, with the current trace, deadline and cancellation.
  template <class F>
  void blocking(F&& work) const {
    exec_->blocking(host_, make_closure(std::forward<F>(work)));
  }
  /// Calls `work` on the strand once after `delay`.
  template <class F>
  [[nodiscard]] Timer after(Duration delay, F&& work, std::uint64_t key = 0) const {
    return {host_, exec_,
            exec_->timer_start(host_, delay.count(), 0, key, make_closure(std::forward<F>(work)))};
  }
  /// Calls `work` on the strand every `period`.
  template <class F>
  [[nodiscard]] Timer every(Duration period, F&& work, std::uint64_t key = 0) const {
    return {host_, exec_,
            exec_->timer_start(host_, period.count(), period.count(), key,
                               make_closure(std::forward<F>(work)))};
  }
  [[nodiscard]] std::int64_t monotonic_ns() const { return exec_->monotonic_ns(host_); }
  [[nodiscard]] std::int64_t wall_ns() const { return exec_->wall_ns(host_); }
  [[nodiscard]] Context context() const { return {exec_, exec_->context_current(host_)}; }

  /// A metric of this plugin; labels "k=v,k2=v2". Name without the gantry_<plugin>_ prefix.
  [[nodiscard]] Metric counter(std::string_view name, std::string_view help,
                               std::string_view labels = {}) const {
    return metric(GANTRY_COUNTER, name, help, labels);
  }
  [[nodiscard]] Metric gauge(std::string_view name, std::string_view help,
                             std::string_view labels = {}) const {
    return metric(GANTRY_GAUGE, name, help, labels);
  }
  [[nodiscard]] Metric histogram(std::string_view name, std::string_view help,
                                 std::initializer_list<double> buckets,
                                 std::string_view labels = {}) const {
    if (metrics_ == nullptr) return {};
    return {metrics_, metrics_->get(host_, GANTRY_HISTOGRAM, to_str(name), to_str(help),
                                    to_str(labels), buckets.begin(), buckets.size())};
  }

  /// State of one component of the plugin for health and `gantry doctor`.
  void healthy(std::string_view component) const { health(component, GANTRY_HEALTH_OK, {}, {}); }
  void degraded(std::string_view component, std::string_view reason, std::string_view cure) const {
    health(component, GANTRY_HEALTH_DEGRADED, reason, cure);
  }
  void failed(std::string_view component, std::string_view reason, std::string_view cure) const {
    health(component, GANTRY_HEALTH_FAILED, reason, cure);
  }

  /// The plugin's validated configuration as JSON text; decode it into a described struct with
  /// from_json<MyConfig>() in the file that includes codec.hpp.
  [[nodiscard]] std::string config_json() const {
    if (config_ == nullptr) return "{}";
    gantry_buf out{};
    config_->json(host_, &out);
    return std::string(Buffer::adopt(out).text());
  }

 private:
  template <class Table>
  static const Table* table(const gantry_host_api& api, const char* id) {
    return static_cast<const Table*>(api.get_interface(api.host, id));
  }
  [[nodiscard]] Metric metric(int kind, std::string_view name, std::string_view help,
                              std::string_view labels) const {
    if (metrics_ == nullptr) return {};
    return {metrics_,
            metrics_->get(host_, kind, to_str(name), to_str(help), to_str(labels), nullptr, 0)};
  }
  void health(std::string_view component, int state, std::string_view reason,
              std::string_view cure) const {
    if (health_ != nullptr)
      health_->set(host_, to_str(component), state, to_str(reason), to_str(cure));
  }

  gantry_host* host_;
  std::string name_;
  const gantry_host_exec* exec_;
  const gantry_host_metrics* metrics_;
  const gantry_host_health* health_;
  const gantry_host_config* config_;
  Log log_;
  Bus bus_;
};

}  // namespace gantry
