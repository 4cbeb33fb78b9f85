// SPDX-License-Identifier: Apache-2.0
//
// Host: what the kernel offers one plugin, as C++. Bus, executors, timers, clock, log, metrics,
// health and configuration. Every member may be called from any thread. Valid until the plugin is
// destroyed.
#pragma once

#include <gantry/abi/observe.h>
#include <gantry/abi/plugin.h>
#include <gantry/bus.hpp>
#include <gantry/closure.hpp>
#include <gantry/log.hpp>
#include <gantry/time.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace gantry {

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

/// Cancels its timer when it goes. When that happens on the plugin's strand the work will not run
/// again; on another thread it may be running at that moment.
class Timer {
 public:
  Timer() = default;
  Timer(gantry_host* host, const gantry_host_exec* exec, std::uint64_t id)
      : host_(host), exec_(exec), id_(id) {}
  Timer(Timer&& other) noexcept
      : host_(other.host_), exec_(other.exec_), id_(std::exchange(other.id_, 0)) {}
  Timer& operator=(Timer&& other) noexcept {
    if (this != &other) {
      cancel();
      host_ = other.host_;
      exec_ = other.exec_;
      id_ = std::exchange(other.id_, 0);
    }
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

namespace detail {

/// Bytes of each table in ABI 1.0. A host of any minor version has these; members that were added
/// later need GANTRY_HAS before they are used.
template <class Table>
constexpr std::size_t kFirstSize = sizeof(Table);
template <>
inline constexpr std::size_t kFirstSize<gantry_host_exec> =
    offsetof(gantry_host_exec, context_trace) + sizeof(gantry_host_exec::context_trace);
template <>
inline constexpr std::size_t kFirstSize<gantry_host_bus> =
    offsetof(gantry_host_bus, call_json) + sizeof(gantry_host_bus::call_json);
template <>
inline constexpr std::size_t kFirstSize<gantry_host_metrics> =
    offsetof(gantry_host_metrics, set) + sizeof(gantry_host_metrics::set);
template <>
inline constexpr std::size_t kFirstSize<gantry_host_health> =
    offsetof(gantry_host_health, set) + sizeof(gantry_host_health::set);
template <>
inline constexpr std::size_t kFirstSize<gantry_host_config> =
    offsetof(gantry_host_config, json) + sizeof(gantry_host_config::json);
template <>
inline constexpr std::size_t kFirstSize<gantry_host_log> =
    offsetof(gantry_host_log, write) + sizeof(gantry_host_log::write);

}  // namespace detail

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
        bus_(api.host, table<gantry_host_bus>(api, GANTRY_HOST_BUS_1), exec_, log_) {}

  /// Whether this host has what no plugin can do without. Log, metrics, health and configuration
  /// may be missing: then they do nothing.
  static Result<void> check(const gantry_host_api& api) {
    if (api.get_interface == nullptr || api.host == nullptr) {
      return failed_precondition("the host handed over no interfaces");
    }
    for (const char* id : {GANTRY_HOST_EXEC_1, GANTRY_HOST_BUS_1}) {
      const bool there = id == std::string_view(GANTRY_HOST_BUS_1)
                             ? table<gantry_host_bus>(api, id) != nullptr
                             : table<gantry_host_exec>(api, id) != nullptr;
      if (!there) {
        return failed_precondition(std::string("this host has no complete ") + id +
                                   "; the plugin needs a host with ABI " +
                                   std::to_string(GANTRY_ABI_MAJOR) + ".0 or later");
      }
    }
    return {};
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Log& log() const { return log_; }
  [[nodiscard]] Bus& bus() { return bus_; }
  [[nodiscard]] gantry_host* raw() const { return host_; }
  [[nodiscard]] const gantry_host_exec* exec() const { return exec_; }

  /// Runs `work` on the plugin's strand (the shard of `key`).
  template <class F>
  void post(F&& work, std::uint64_t key = 0, gantry_lane lane = GANTRY_LANE_INTERACTIVE) const {
    exec_->post(host_, key, lane, closure(std::forward<F>(work), "post"));
  }
  /// Runs `work` where waiting is allowed, with the current trace, deadline and cancellation.
  template <class F>
  void blocking(F&& work) const {
    exec_->blocking(host_, closure(std::forward<F>(work), "blocking"));
  }
  /// Calls `work` on the strand once after `delay`.
  template <class F>
  [[nodiscard]] Timer after(Duration delay, F&& work, std::uint64_t key = 0) const {
    return {
        host_, exec_,
        exec_->timer_start(host_, delay.count(), 0, key, closure(std::forward<F>(work), "timer"))};
  }
  /// Calls `work` on the strand every `period`.
  template <class F>
  [[nodiscard]] Timer every(Duration period, F&& work, std::uint64_t key = 0) const {
    return {host_, exec_,
            exec_->timer_start(host_, period.count(), period.count(), key,
                               closure(std::forward<F>(work), "timer"))};
  }
  [[nodiscard]] std::int64_t monotonic_ns() const { return exec_->monotonic_ns(host_); }
  [[nodiscard]] std::int64_t wall_ns() const { return exec_->wall_ns(host_); }
  /// The trace, deadline and cancellation of the work that this thread is doing.
  [[nodiscard]] Context context() const { return {exec_, exec_->context_current(host_)}; }
  /// Makes `context` this thread's until the returned scope goes: for threads of the plugin's own.
  /// `context` must outlive the scope.
  [[nodiscard]] ContextScope enter(const Context& context) const { return {host_, exec_, context}; }

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
  /// The table, or nullptr when the host lacks it or has less of it than ABI 1.0.
  template <class Table>
  static const Table* table(const gantry_host_api& api, const char* id) {
    const auto* found = static_cast<const Table*>(api.get_interface(api.host, id));
    return found != nullptr && found->size >= detail::kFirstSize<Table> ? found : nullptr;
  }
  template <class F>
  gantry_closure closure(F&& work, std::string_view what) const {
    return make_closure(std::forward<F>(work), log_, what);
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
