// SPDX-License-Identifier: Apache-2.0
#include "observe/health.hpp"

#include <array>

namespace gantry::observe {

std::string_view health_name(HealthState state) {
  constexpr std::array<std::string_view, 3> kNames{"ok", "degraded", "failed"};
  return kNames.at(static_cast<std::size_t>(state));
}

void Health::set(ComponentHealth health) {
  const std::lock_guard lock(mutex_);
  auto& slot = components_[{health.plugin, health.component}];
  const bool same = !slot.plugin.empty() && slot.state == health.state;
  const std::int64_t since = same ? slot.since_wall_ns : wall_ns_();
  slot = std::move(health);
  slot.since_wall_ns = since;
}

void Health::forget(const std::string& plugin) {
  const std::lock_guard lock(mutex_);
  std::erase_if(components_, [&](const auto& item) { return item.first.first == plugin; });
}

void Health::set_ready(bool ready) {
  const std::lock_guard lock(mutex_);
  ready_ = ready;
}

void Health::set_live(bool live) {
  const std::lock_guard lock(mutex_);
  live_ = live;
}

HealthReport Health::report() const {
  const std::lock_guard lock(mutex_);
  HealthReport report;
  report.live = live_;
  report.ready = ready_ && live_;
  for (const auto& [key, component] : components_) {
    if (component.state != HealthState::kOk) report.state = HealthState::kDegraded;
    report.components.push_back(component);
  }
  return report;
}

}  // namespace gantry::observe
