// SPDX-License-Identifier: Apache-2.0
// Counters, gauges and histograms, read as Prometheus text.
//
// Thread rules: any thread; add() and set() are lock-free. A metric lives as long as its registry.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::observe {

/// The numbers of gantry_metric_kind.
enum class MetricKind : int { kCounter = 1, kGauge = 2, kHistogram = 3 };

class Metric {
 public:
  Metric(MetricKind kind, std::vector<double> bounds);

  /// Counter: adds what is not negative. Gauge: adds. Histogram: observes.
  void add(double value);
  /// Gauge only; ignored by the others.
  void set(double value);

  MetricKind kind() const { return kind_; }
  double value() const { return value_.load(std::memory_order_relaxed); }
  const std::vector<double>& bounds() const { return bounds_; }
  /// Observations in bucket `index` alone; the last bucket is everything above the last bound.
  std::uint64_t bucket(std::size_t index) const {
    return buckets_[index].load(std::memory_order_relaxed);
  }

 private:
  MetricKind kind_;
  std::vector<double> bounds_;
  std::atomic<double> value_{0};  // of a histogram: the sum
  std::unique_ptr<std::atomic<std::uint64_t>[]> buckets_;
};

struct MetricName {
  std::string_view name;
  std::string_view help;
  std::string_view labels;  ///< "k=v,k2=v2" or empty
};

class Metrics {
 public:
  /// Appends whole families ("# HELP …") to the text at every read.
  using Collector = std::function<void(std::string& out)>;

  /// The metric of that name and labels, made at first use. A name that exists with another kind
  /// and a registry that is full (20 000 series) answer a metric that is not shown.
  Metric& get(MetricKind kind, const MetricName& name, std::vector<double> bounds = {});
  void add_collector(Collector collector);

  /// Prometheus text format 0.0.4, families in order of name.
  std::string prometheus() const;

 private:
  struct Family {
    MetricKind kind = MetricKind::kCounter;
    std::string help;
    std::map<std::string, Metric*> series;  // by rendered labels
  };
  mutable std::mutex mutex_;
  std::map<std::string, Family> families_;
  std::deque<Metric> storage_;
  std::vector<Collector> collectors_;
  std::size_t series_ = 0;
  // What get() answers when it cannot keep a metric, one per kind.
  std::array<Metric, 3> hidden_{Metric{MetricKind::kCounter, {}}, Metric{MetricKind::kGauge, {}},
                                Metric{MetricKind::kHistogram, {}}};
};

/// The lines that begin a family, for collectors.
void append_head(std::string& out, std::string_view name, std::string_view help,
                 std::string_view kind);
/// One sample as a whole family, for collectors.
void append_sample(std::string& out, std::string_view kind, const MetricName& name, double value);
/// `k="v",k2="v2"` from "k=v,k2=v2", names made legal and values escaped.
std::string render_labels(std::string_view labels);
/// The nearest legal metric name.
std::string legal_name(std::string_view name);

/// Resident memory, processor time, threads, open files and start time of this process.
void collect_process(std::string& out);
/// Resident memory of this process in bytes, 0 when it cannot be read.
std::int64_t resident_bytes();

}  // namespace gantry::observe
