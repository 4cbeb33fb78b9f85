// SPDX-License-Identifier: Apache-2.0
#include "observe/metrics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace gantry::observe {
namespace {

constexpr std::size_t kSeriesLimit = 20'000;

std::string_view kind_word(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter: return "counter";
    case MetricKind::kGauge: return "gauge";
    case MetricKind::kHistogram: break;
  }
  return "histogram";
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

void sample(std::string& out, const std::string& name, const std::string& labels,
            const std::string& value) {
  out += name;
  if (!labels.empty()) out += "{" + labels + "}";
  out += " " + value + "\n";
}

void histogram(std::string& out, const std::string& name, const std::string& labels,
               const Metric& metric) {
  const std::string before_bound = labels + (labels.empty() ? "le=\"" : ",le=\"");
  const std::string bucket = name + "_bucket";
  std::uint64_t total = 0;
  for (std::size_t i = 0; i <= metric.bounds().size(); ++i) {
    total += metric.bucket(i);
    const std::string bound = i < metric.bounds().size() ? number(metric.bounds()[i]) : "+Inf";
    std::string bucket_labels = before_bound;
    bucket_labels.append(bound).append("\"");
    sample(out, bucket, bucket_labels, std::to_string(total));
  }
  sample(out, name + "_sum", labels, number(metric.value()));
  // The total of the buckets, so that a scrape in the middle of an observation is consistent.
  sample(out, name + "_count", labels, std::to_string(total));
}

}  // namespace

Metric::Metric(MetricKind kind, std::vector<double> bounds)
    : kind_(kind), bounds_(std::move(bounds)) {
  if (kind != MetricKind::kHistogram) return;
  std::sort(bounds_.begin(), bounds_.end());
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  buckets_ = std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1);
}

void Metric::add(double value) {
  if (kind_ == MetricKind::kCounter && !(value >= 0)) return;
  if (kind_ == MetricKind::kHistogram) {
    if (std::isnan(value)) return;
    const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    buckets_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
  }
  value_.fetch_add(value, std::memory_order_relaxed);
}

void Metric::set(double value) {
  if (kind_ == MetricKind::kGauge) value_.store(value, std::memory_order_relaxed);
}

Metric& Metrics::get(MetricKind kind, const MetricName& name, std::vector<double> bounds) {
  const std::string family_name = legal_name(name.name);
  const std::string labels = render_labels(name.labels);
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = families_.try_emplace(family_name);
  Family& family = at->second;
  if (fresh) {
    family.kind = kind;
    family.help = std::string(name.help);
  }
  if (family.kind == kind) {
    const auto known = family.series.find(labels);
    if (known != family.series.end()) return *known->second;
  }
  if (family.kind != kind || series_ >= kSeriesLimit) {
    // Whoever asks again must not grow memory without end.
    return hidden_.at(static_cast<std::size_t>(kind) - 1);
  }
  Metric& metric = storage_.emplace_back(kind, std::move(bounds));
  family.series.emplace(labels, &metric);
  ++series_;
  return metric;
}

void Metrics::add_collector(Collector collector) {
  const std::lock_guard lock(mutex_);
  collectors_.push_back(std::move(collector));
}

std::string Metrics::prometheus() const {
  std::string out;
  std::vector<Collector> collectors;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, family] : families_) {
      if (family.series.empty()) continue;
      append_head(out, name, family.help, kind_word(family.kind));
      for (const auto& [labels, metric] : family.series) {
        if (family.kind == MetricKind::kHistogram) {
          histogram(out, name, labels, *metric);
        } else {
          sample(out, name, labels, number(metric->value()));
        }
      }
    }
    collectors = collectors_;
  }
  for (const auto& collector : collectors) collector(out);
  return out;
}

void append_head(std::string& out, std::string_view name, std::string_view help,
                 std::string_view kind) {
  out += "# HELP ";
  out += name;
  out += ' ';
  for (const char c : help) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\\')
      out += "\\\\";
    else
      out += c;
  }
  out += "\n# TYPE ";
  out += name;
  out += ' ';
  out += kind;
  out += '\n';
}

void append_sample(std::string& out, std::string_view kind, const MetricName& name, double value) {
  append_head(out, name.name, name.help, kind);
  sample(out, std::string(name.name), render_labels(name.labels), number(value));
}

std::string legal_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
    const bool digit = c >= '0' && c <= '9';
    if (digit && out.empty()) out += '_';
    out += letter || digit ? c : '_';
  }
  return out.empty() ? "_" : out;
}

std::string render_labels(std::string_view labels) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!labels.empty()) {
    const std::size_t comma = labels.find(',');
    const std::string_view part = labels.substr(0, comma);
    labels = comma == std::string_view::npos ? std::string_view{} : labels.substr(comma + 1);
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos) {
      pairs.emplace_back(legal_name(part.substr(0, equals)), part.substr(equals + 1));
    } else if (!pairs.empty()) {
      // A comma inside a value.
      pairs.back().second += "," + std::string(part);
    }
  }
  std::string out;
  for (const auto& [name, value] : pairs) {
    if (!out.empty()) out += ',';
    out += name + "=\"";
    for (const char c : value) {
      if (c == '\n')
        out += "\\n";
      else if (c == '"' || c == '\\')
        (out += '\\') += c;
      else
        out += c;
    }
    out += '"';
  }
  return out;
}

}  // namespace gantry::observe
