// SPDX-License-Identifier: Apache-2.0
//
// The scheduler on a real store, a stand-in for the agent engine, and a clock that the test moves.
#pragma once

#include <gantry/contracts/schedule.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "fake_engine.hpp"
#include "scheduler_plugin.hpp"
#include "store_plugin.hpp"

namespace gantry::scheduler {

inline constexpr std::int64_t kMinute = 60'000;
inline constexpr std::int64_t kStart = 1'767'600'000'000;  // 2026-01-05 08:00 UTC, a Monday

class World {
 public:
  explicit World(std::string config = {}) : config_(std::move(config)) {
    kit_.clock().set_wall_ns(kStart * 1'000'000);
    REQUIRE(engine_.ready());
    start();
  }
  void start() {
    REQUIRE(kit_.load<store::StorePlugin>("store",
                                          R"({"path":")" + folder_.path().string() + "/store.db\"}")
                .ok());
    REQUIRE(kit_.load<SchedulerPlugin>("scheduler", R"({"time_zone":"UTC")" + config_ + "}").ok());
    kit_.pump();
  }
  /// As when the daemon is killed: nothing is told that it ends.
  void stop() {
    kit_.unload("scheduler");
    kit_.unload("store");
  }
  testkit::FakeHost& kit() { return kit_; }
  FakeEngine& engine() { return engine_; }
  [[nodiscard]] std::int64_t now() { return kit_.clock().wall_ns() / 1'000'000; }

  template <class C>
  Result<typename C::Response> call(typename C::Request request) {
    auto answer = kit_.host().bus().template call_wait<C>(std::move(request));
    if (!answer.ok()) return answer.error();
    return **answer;
  }
  Result<ScheduleJob> try_create(ScheduleSpec spec, const std::string& principal = "ann") {
    return call<ScheduleCreate>({principal, "", std::move(spec)});
  }
  ScheduleJob create(ScheduleSpec spec, const std::string& principal = "ann") {
    const Result<ScheduleJob> made = try_create(std::move(spec), principal);
    REQUIRE(made.ok());
    kit_.pump();
    return *made;
  }
  ScheduleJob job(const std::string& id) {
    const Result<ScheduleJob> found = call<ScheduleGet>({"ann", id});
    REQUIRE(found.ok());
    return *found;
  }
  std::vector<ScheduledRun> runs(const std::string& id) {
    const Result<ScheduledRunList> found = call<ScheduleRuns>({"ann", id, 100, 0});
    REQUIRE(found.ok());
    return found->runs;
  }
  void pass(std::chrono::nanoseconds time) { kit_.advance(time); }
  std::size_t started() { return engine_.turns().size(); }

 private:
  std::string config_;
  testkit::TempDir folder_;
  testkit::FakeHost kit_;
  FakeEngine engine_{kit_.host("engine")};
};

inline ScheduleSpec cron(const std::string& expression, const std::string& zone = "") {
  ScheduleSpec spec;
  spec.name = "Morning report";
  spec.prompt = "say what is new";
  spec.schedule.kind = ScheduleKind::Cron;
  spec.schedule.expression = expression;
  spec.schedule.time_zone = zone;
  return spec;
}

inline ScheduleSpec at(std::int64_t ms) {
  ScheduleSpec spec = cron("");
  spec.schedule.kind = ScheduleKind::At;
  spec.schedule.at_ms = ms;
  return spec;
}

inline ScheduleSpec every(std::int64_t ms) {
  ScheduleSpec spec = cron("");
  spec.schedule.kind = ScheduleKind::Every;
  spec.schedule.every_ms = ms;
  return spec;
}

}  // namespace gantry::scheduler
