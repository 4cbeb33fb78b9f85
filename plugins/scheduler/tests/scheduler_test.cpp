// SPDX-License-Identifier: Apache-2.0
//
// When jobs run: what is due, one after the other, and a daemon that ends.
#include <gantry/contracts/workspace.hpp>
#include <gantry/testkit/probe.hpp>
#include <gantry/workspace_defaults.hpp>

#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "world.hpp"

namespace gantry::scheduler {
namespace {

using namespace std::chrono_literals;

// ---- workspaces ---------------------------------------------------------------------------------

/// Answers for the plugin that keeps workspaces.
struct Keeper {
  explicit Keeper(World& world) {
    REQUIRE(world.kit()
                .host("keeper")
                .bus()
                .serve<WorkspaceGet>([this](const WorkspaceRef& ref) {
                  asked.push_back(ref);
                  return answer;
                })
                .ok());
  }
  std::vector<WorkspaceRef> asked;
  Result<Workspace> answer = not_found("no such workspace");
};

ScheduleJob job_in_workspace(World& world) {
  ScheduleSpec spec = every(kMinute);
  spec.tools = ToolPolicy{};
  spec.tools->execute = ApprovalMode::Allow;
  spec.tools->act = ApprovalMode::Allow;
  const auto made = world.call<ScheduleCreate>({"ann", "w1", spec});
  REQUIRE(made.ok());
  world.kit().pump();
  return *made;
}

TEST_CASE("what a workspace forbids when a run begins is forbidden in it") {
  World world;
  Keeper keeper(world);
  Workspace strict;
  strict.root = "/w1";
  strict.policy.execute = ApprovalMode::Deny;
  strict.policy.act = ApprovalMode::Ask;  // nobody is there
  strict.policy.deny = {"write_*"};
  keeper.answer = strict;
  const ScheduleJob job = job_in_workspace(world);
  world.pass(1min);
  REQUIRE(world.started() == 1);
  REQUIRE(keeper.asked.size() == 1);
  CHECK(keeper.asked.front().principal == "ann");
  CHECK(keeper.asked.front().workspace == "w1");
  CHECK(keeper.asked.front().by_id);
  const TurnOptions first = world.engine().turns().front().options;
  CHECK(first.tools.execute == ApprovalMode::Deny);
  CHECK(first.tools.act == ApprovalMode::Deny);
  CHECK(first.tools.deny == std::vector<std::string>{"write_*"});
  CHECK(first.workspace_path == "/w1");
  world.engine().end_last();
  keeper.answer = not_found("forgotten");
  world.pass(1min);
  REQUIRE(world.started() == 2);
  CHECK(world.engine().turns().back().options.tools.execute == ApprovalMode::Allow);
  CHECK(world.job(job.id).state.last_status == ScheduledRunStatus::Running);
}

TEST_CASE("a run fails whose workspace cannot be read") {
  World world;
  Keeper keeper(world);
  keeper.answer = unavailable("the disk sleeps");
  const ScheduleJob job = job_in_workspace(world);
  world.pass(1min);
  CHECK(world.started() == 0);
  const std::vector<ScheduledRun> runs = world.runs(job.id);
  REQUIRE(runs.size() == 1);
  CHECK(runs.front().status == ScheduledRunStatus::Failed);
  CHECK(runs.front().error.find("the disk sleeps") != std::string::npos);
}

TEST_CASE("only who knows it says that there is no workspace") {
  const auto unserved = [](const std::string& detail) {
    return is_no_workspace({Code::Unavailable, "nobody serves it", detail});
  };
  CHECK(is_no_workspace(not_found("no such workspace")));
  CHECK(unserved(R"({"contract":"gantry.workspace.get/1","plugins":["workspaces"]})"));
  CHECK_FALSE(unserved(R"({"contract":"gantry.workspace.get/1","plugins":[],"down":true})"));
  CHECK_FALSE(unserved(R"({"contract":"gantry.workspace.get/1"})"));
  CHECK_FALSE(unserved(R"({"contract":"gantry.store.get/1","plugins":[]})"));
  CHECK_FALSE(unserved(""));
  CHECK_FALSE(is_no_workspace({Code::DeadlineExceeded, "it takes too long", {}}));
}

TEST_CASE("without a keeper of workspaces jobs run as they say") {
  World world;
  job_in_workspace(world);
  world.pass(1min);
  CHECK(world.started() == 1);
}

// ---- what is due --------------------------------------------------------------------------------

TEST_CASE("a job is made with its next run, and runs then") {
  World world;
  const ScheduleJob made = world.create(cron("30 9 * * *"));
  CHECK(made.state.next_run_ms == kStart + 90 * kMinute);
  CHECK(made.spec.slug == "morning-report");
  CHECK(made.created_ms == kStart);
  world.pass(90min - 1s);
  CHECK(world.started() == 0);
  world.pass(1s);
  REQUIRE(world.started() == 1);
  const TurnStartRequest& turn = world.engine().turns().front();
  CHECK(turn.text == "say what is new");
  CHECK(turn.session == SessionKey{"ann", "", "cron:" + made.id});
  CHECK(turn.caller == "scheduler:morning-report");
  CHECK(turn.options.linger_ms < 0);
  CHECK(turn.options.max_ms == 30 * kMinute);
  CHECK(world.job(made.id).state.last_status == ScheduledRunStatus::Running);
  CHECK(world.job(made.id).state.running == 1);
  world.pass(5s);
  world.engine().end_last(TurnEnd::Completed, "nothing is new");
  world.kit().pump();
  const ScheduleState state = world.job(made.id).state;
  CHECK(state.last_status == ScheduledRunStatus::Succeeded);
  CHECK(state.running == 0);
  CHECK(state.next_run_ms == kStart + 25 * 60 * kMinute + 30 * kMinute);
  const std::vector<ScheduledRun> runs = world.runs(made.id);
  REQUIRE(runs.size() == 1);
  CHECK(runs.front().summary == "nothing is new");
  CHECK(runs.front().trigger == ScheduledRunTrigger::Due);
  CHECK(runs.front().due_ms == kStart + 90 * kMinute);
  CHECK(runs.front().finished_ms - runs.front().started_ms == 5000);
  CHECK(runs.front().input_tokens == 7);
  CHECK(runs.front().output_tokens == 3);
  CHECK(world.kit().double_answers() == 0);
}

TEST_CASE("a morning job stays in the morning when the clocks are changed") {
  World world;
  constexpr std::int64_t kSaturday = 1'774'692'000'000;  // 2026-03-28 10:00 UTC
  world.kit().clock().set_wall_ns(kSaturday * 1'000'000);
  const ScheduleJob gone = world.create(cron("30 2 * * *", "Europe/Berlin"));
  ScheduleSpec spec = cron("0 9 * * *", "Europe/Berlin");
  spec.slug = "nine";
  const ScheduleJob nine = world.create(spec);
  CHECK(gone.state.next_run_ms == 1'774'746'000'000);  // 2026-03-29 01:00 UTC: 03:00 there
  CHECK(nine.state.next_run_ms == 1'774'767'600'000);  // 2026-03-29 07:00 UTC: 09:00 there
  world.pass(15h);
  REQUIRE(world.started() == 1);
  world.engine().end_last();
  world.pass(6h);
  REQUIRE(world.started() == 2);
  world.engine().end_last();
  world.kit().pump();
  CHECK(world.runs(gone.id).size() == 1);
  CHECK(world.job(gone.id).state.next_run_ms == 1'774'830'600'000);  // 02:30 there, a day later
  CHECK(world.job(nine.id).state.next_run_ms == 1'774'854'000'000);
}

TEST_CASE("in the hour that comes twice a fixed job runs once and a frequent one goes on") {
  World world;
  constexpr std::int64_t kEve = 1'792'879'200'000;  // 2026-10-24 22:00 UTC
  world.kit().clock().set_wall_ns(kEve * 1'000'000);
  const ScheduleJob fixed = world.create(cron("30 2 * * *", "Europe/Berlin"));
  ScheduleSpec spec = cron("*/30 2 * * *", "Europe/Berlin");
  spec.slug = "often";
  const ScheduleJob often = world.create(spec);
  for (int half_hour = 0; half_hour < 12; ++half_hour) {
    world.pass(30min);
    for (const TurnStartRequest& turn : std::vector(world.engine().turns())) {
      world.engine().end(turn.turn, TurnEnd::Completed, "done");
    }
    world.kit().pump();
  }
  CHECK(world.runs(fixed.id).size() == 1);
  CHECK(world.runs(often.id).size() == 4);
}

TEST_CASE("a job for one time runs once, and goes when it is to go") {
  World world;
  const ScheduleJob stays = world.create(at(kStart + kMinute));
  ScheduleSpec spec = at(kStart + kMinute);
  spec.delete_after_run = true;
  const ScheduleJob goes = world.create(spec);
  CHECK(goes.spec.slug == "morning-report-2");
  testkit::EventProbe<ScheduleChanged> changes(world.kit().host());
  world.pass(1min);
  REQUIRE(world.started() == 2);
  for (const TurnStartRequest& turn : std::vector(world.engine().turns())) {
    world.engine().end(turn.turn, TurnEnd::Completed, "done");
  }
  world.pass(48h);
  CHECK(world.started() == 2);
  CHECK_FALSE(world.job(stays.id).state.next_run_ms);
  CHECK(world.runs(stays.id).size() == 1);
  CHECK(world.call<ScheduleGet>({"ann", goes.id}).error().code == Code::NotFound);
  std::vector<ScheduleChange> told;
  for (const ScheduleChangedEvent& event : changes.all()) {
    if (event.job.id == goes.id) told.push_back(event.change);
  }
  CHECK(told == std::vector{ScheduleChange::RunStarted, ScheduleChange::RunFinished,
                            ScheduleChange::Deleted});
}

TEST_CASE("a job that fails is tried again, later each time, and then waits for its schedule") {
  World world;
  ScheduleSpec spec = every(24 * 60 * kMinute);
  spec.retries = 2;
  spec.delete_after_run = true;
  const ScheduleJob made = world.create(spec);
  world.pass(24h);
  REQUIRE(world.started() == 1);
  world.engine().end_last(TurnEnd::Failed, "", "the model is overloaded");
  world.pass(29s);
  CHECK(world.started() == 1);
  world.pass(1s);
  REQUIRE(world.started() == 2);
  world.engine().end_last(TurnEnd::Failed, "", "the model is overloaded");
  world.pass(60s);
  REQUIRE(world.started() == 3);
  world.engine().end_last(TurnEnd::Failed, "", "the model is overloaded");
  world.pass(20h);
  CHECK(world.started() == 3);
  const ScheduleState state = world.job(made.id).state;  // still there: it has never succeeded
  CHECK(state.consecutive_errors == 3);
  CHECK(state.last_error == "the model is overloaded");
  const std::vector<ScheduledRun> runs = world.runs(made.id);
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].attempt == 3);
  CHECK(runs[0].trigger == ScheduledRunTrigger::Retry);
  CHECK(runs[2].attempt == 1);
}

TEST_CASE("a job that is switched off does not run by itself") {
  World world;
  const ScheduleJob made = world.create(every(kMinute));
  SchedulePatch off;
  off.enabled = false;
  CHECK_FALSE(world.call<ScheduleUpdate>({"ann", made.id, off})->state.next_run_ms);
  world.pass(1h);
  CHECK(world.started() == 0);
  SchedulePatch on;
  on.enabled = true;
  const auto changed = world.call<ScheduleUpdate>({"ann", made.id, on});
  CHECK(changed->state.next_run_ms ==
        world.now() + kMinute);  // what was not due is not made up for
  world.pass(1min);
  CHECK(world.started() == 1);
}

TEST_CASE("nothing runs by itself when the configuration says so, but by hand") {
  World world(R"(,"enabled":false)");
  const ScheduleJob made = world.create(every(kMinute));
  world.pass(1h);
  CHECK(world.started() == 0);
  CHECK_FALSE(world.call<ScheduleStatus>({""})->enabled);
  CHECK(world.call<ScheduleRun>({"ann", made.id, false, false})->ran);
  world.kit().pump();
  CHECK(world.started() == 1);
}

TEST_CASE("each run begins later by chance, within what was allowed") {
  World world;
  ScheduleSpec spec = every(60 * kMinute);
  spec.jitter_ms = 10 * kMinute;
  const ScheduleJob made = world.create(spec);
  for (int hour = 1; hour <= 5; ++hour) {
    world.pass(1h);
    if (world.engine().turns().size() < static_cast<std::size_t>(hour)) world.pass(10min);
    world.engine().end_last();
    world.kit().pump();
  }
  for (const ScheduledRun& run : world.runs(made.id)) {
    CHECK((run.due_ms - kStart) % (60 * kMinute) == 0);
    CHECK(run.started_ms >= run.due_ms);
    CHECK(run.started_ms <= run.due_ms + 10 * kMinute + 30'000);
  }
}

TEST_CASE("the wall clock may be set: a job comes when it shows the time") {
  World world;
  world.create(cron("0 12 * * *"));
  world.pass(1h);
  world.kit().clock().set_wall_ns((kStart + 4 * 60 * kMinute) * 1'000'000);  // 12:00
  world.pass(30s);
  CHECK(world.started() == 1);
}

// ---- one after the other ------------------------------------------------------------------------

TEST_CASE("a job that is still running is left alone") {
  World world;
  const ScheduleJob made = world.create(every(kMinute));
  world.pass(3min);
  CHECK(world.started() == 1);
  const std::vector<ScheduledRun> runs = world.runs(made.id);
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].status == ScheduledRunStatus::Skipped);
  CHECK(runs[0].error == "the run before had not ended");
  CHECK(world.job(made.id).state.last_status == ScheduledRunStatus::Running);
  world.engine().end_last();
  world.pass(1min);
  CHECK(world.started() == 2);
}

TEST_CASE("one run waits for the one before when the job says so") {
  World world;
  ScheduleSpec spec = every(kMinute);
  spec.overlap = OverlapPolicy::Queue;
  const ScheduleJob made = world.create(spec);
  world.pass(4min + 30s);
  CHECK(world.started() == 1);
  world.engine().end_last();
  world.kit().pump();
  REQUIRE(world.started() == 2);
  CHECK(world.runs(made.id).front().due_ms == kStart + 2 * kMinute);
  world.engine().end_last();
  world.kit().pump();
  CHECK(world.started() == 2);  // one waited, not three
}

TEST_CASE("the run before is stopped for the next when the job says so") {
  World world;
  ScheduleSpec spec = every(kMinute);
  spec.overlap = OverlapPolicy::Replace;
  const ScheduleJob made = world.create(spec);
  world.pass(2min);
  CHECK(world.started() == 2);
  REQUIRE(world.engine().stops().size() == 1);
  CHECK(world.engine().stops().front().turn == world.engine().turns().front().turn);
  CHECK(world.runs(made.id).back().status == ScheduledRunStatus::Stopped);
}

TEST_CASE("runs side by side have sessions of their own") {
  World world;
  ScheduleSpec spec = every(kMinute);
  spec.overlap = OverlapPolicy::Parallel;
  world.create(spec);
  world.pass(2min);
  REQUIRE(world.started() == 2);
  CHECK(world.engine().turns()[0].session.key != world.engine().turns()[1].session.key);
}

TEST_CASE("no more runs at a time than are allowed, and what waits is not missed") {
  World world(R"(,"max_running":1)");
  const ScheduleJob first = world.create(cron("0 9 * * *"));
  const ScheduleJob second = world.create(cron("0 9 * * *"));
  world.pass(65min);
  CHECK(world.started() == 1);
  world.engine().end_last();
  world.kit().pump();
  REQUIRE(world.started() == 2);
  for (const ScheduleJob& made : {first, second}) {
    const std::vector<ScheduledRun> runs = world.runs(made.id);
    REQUIRE(runs.size() == 1);
    CHECK(runs.front().trigger == ScheduledRunTrigger::Due);
  }
}

// ---- a daemon that ends -------------------------------------------------------------------------

TEST_CASE("a run that was cut off shows as interrupted and is not run again") {
  World world;
  ScheduleSpec spec = every(60 * kMinute);
  spec.retries = 3;
  const ScheduleJob made = world.create(spec);
  world.pass(1h);
  REQUIRE(world.started() == 1);
  world.stop();
  world.start();
  const std::vector<ScheduledRun> runs = world.runs(made.id);
  REQUIRE(runs.size() == 1);
  CHECK(runs.front().status == ScheduledRunStatus::Interrupted);
  CHECK(world.job(made.id).state.last_status == ScheduledRunStatus::Interrupted);
  CHECK(world.job(made.id).state.running == 0);
  REQUIRE(world.engine().stops().size() == 1);  // what may have outlived the scheduler
  CHECK(world.engine().stops().front().turn == runs.front().turn);
  world.pass(59min);
  CHECK(world.started() == 1);
  world.pass(1min);
  CHECK(world.started() == 2);
}

TEST_CASE("what came due while the daemon was down is not held up by the run that was cut off") {
  World world;
  const ScheduleJob made = world.create(every(60 * kMinute));
  world.pass(1h);
  REQUIRE(world.started() == 1);
  world.stop();
  world.kit().clock().advance(90min);
  world.start();
  const std::vector<ScheduledRun> runs = world.runs(made.id);  // the newest first
  REQUIRE(runs.size() == 2);
  CHECK(runs.back().status == ScheduledRunStatus::Interrupted);
  CHECK(runs.front().trigger == ScheduledRunTrigger::Missed);
  CHECK(runs.front().status == ScheduledRunStatus::Running);
  CHECK(world.started() == 2);
}

TEST_CASE("however often the daemon ends, a due job is started once") {
  World world;
  const ScheduleJob made = world.create(at(kStart + kMinute));
  world.pass(1min);
  for (int life = 0; life < 5; ++life) {
    world.stop();
    world.start();
    world.pass(10min);
  }
  CHECK(world.started() == 1);
  CHECK(world.runs(made.id).size() == 1);
}

TEST_CASE("missed times are made up for once, or not at all") {
  World world;
  const ScheduleJob once = world.create(every(60 * kMinute));
  ScheduleSpec spec = every(60 * kMinute);
  spec.missed = MissedRuns::Skip;
  const ScheduleJob never = world.create(spec);
  world.stop();
  world.kit().clock().advance(5h + 30min);
  world.start();
  REQUIRE(world.started() == 1);
  CHECK(world.engine().turns().front().session.key == "cron:" + once.id);
  CHECK(world.runs(once.id).front().trigger == ScheduledRunTrigger::Missed);
  CHECK(world.runs(once.id).front().due_ms == kStart + 60 * kMinute);
  const std::vector<ScheduledRun> skipped = world.runs(never.id);
  REQUIRE(skipped.size() == 1);
  CHECK(skipped.front().status == ScheduledRunStatus::Skipped);
  for (const ScheduleJob& made : {once, never}) {
    CHECK(world.job(made.id).state.next_run_ms == kStart + 6 * 60 * kMinute);
  }
}

TEST_CASE("no engine: the run has failed, and the job stays") {
  World world;
  const ScheduleJob made = world.create(every(kMinute));
  world.engine().refuse_turns(unavailable("no model is configured", "name one"));
  world.pass(1min);
  CHECK(world.job(made.id).state.last_status == ScheduledRunStatus::Failed);
  CHECK(world.job(made.id).state.last_error == "no model is configured (cure: name one)");
  CHECK(world.job(made.id).state.next_run_ms == kStart + 2 * kMinute);
}

}  // namespace
}  // namespace gantry::scheduler
