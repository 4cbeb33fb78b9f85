// SPDX-License-Identifier: Apache-2.0
//
// What jobs are, what their runs may do, and who reaches them.
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "world.hpp"

namespace gantry::scheduler {
namespace {

using namespace std::chrono_literals;

// ---- what a run may do --------------------------------------------------------------------------

TEST_CASE("nobody is asked: a job without a policy has the configured tools, and they only read") {
  World world(R"(,"tools":["web_*"])");
  world.create(every(kMinute));
  world.pass(1min);
  REQUIRE(world.started() == 1);
  const ToolPolicy& tools = world.engine().turns().front().options.tools;
  CHECK(tools.daemon_tools == std::vector<std::string>{"web_*"});
  CHECK(tools.read == ApprovalMode::Allow);
  CHECK(tools.network == ApprovalMode::Allow);
  CHECK(tools.act == ApprovalMode::Deny);
  CHECK(tools.execute == ApprovalMode::Deny);
  CHECK_FALSE(tools.questionnaires);
}

TEST_CASE("what the policy of a job would ask about is denied") {
  World world;
  ScheduleSpec spec = every(kMinute);
  spec.tools.emplace();
  spec.tools->daemon_tools = {"write_file", "run_shell_command"};
  spec.tools->act = ApprovalMode::Allow;
  spec.tools->execute = ApprovalMode::Ask;
  spec.tools->questionnaires = true;
  world.create(spec);
  world.pass(1min);
  REQUIRE(world.started() == 1);
  const ToolPolicy& tools = world.engine().turns().front().options.tools;
  CHECK(tools.daemon_tools == std::vector<std::string>{"write_file", "run_shell_command"});
  CHECK(tools.act == ApprovalMode::Allow);
  CHECK(tools.execute == ApprovalMode::Deny);
  CHECK_FALSE(tools.questionnaires);
}

TEST_CASE("a stateless job begins with an empty history, others go on") {
  World world;
  ScheduleSpec spec = every(kMinute);
  spec.session_key = "agent:{agent}:cron:{id}";
  spec.agent = "fox";
  const ScheduleJob without = world.create(spec);
  spec.stateless = false;
  const ScheduleJob with = world.create(spec);
  for (int run = 0; run < 2; ++run) {
    world.pass(1min);
    for (const TurnStartRequest& turn : std::vector(world.engine().turns())) {
      world.engine().end(turn.turn, TurnEnd::Completed, "done");
    }
    world.kit().pump();
  }
  CHECK(world.started() == 4);
  CHECK(world.engine().emptied() == std::vector<std::string>{"agent:fox:cron:" + without.id});
  CHECK(world.engine().titles().front() == "Morning report");
  CHECK(world.engine().turns()[1].session.key == "agent:fox:cron:" + with.id);
}

TEST_CASE("an answer goes to the session that the job names") {
  World world;
  ScheduleSpec spec = every(kMinute);
  spec.delivery = ScheduleDelivery{"", "", "main"};
  world.create(spec);
  spec.delivery = ScheduleDelivery{"webhook", "somewhere", "main"};  // a channel's matter
  world.create(spec);
  world.pass(1min);
  for (const TurnStartRequest& turn : std::vector(world.engine().turns())) {
    world.engine().end(turn.turn, TurnEnd::Completed, "the news");
  }
  world.kit().pump();
  REQUIRE(world.engine().appended().size() == 1);
  CHECK(world.engine().appended().front().session == SessionKey{"ann", "", "main"});
  CHECK(world.engine().appended().front().row.text == "the news");
}

// ---- by hand ------------------------------------------------------------------------------------

TEST_CASE("a job can be run by hand, also when it is switched off") {
  World world;
  ScheduleSpec spec = every(60 * kMinute);
  spec.enabled = false;
  const ScheduleJob made = world.create(spec);
  CHECK_FALSE(world.call<ScheduleRun>({"ann", made.id, true, false})->ran);
  const auto ran = world.call<ScheduleRun>({"ann", "morning-report", false, false});
  REQUIRE(ran.ok());
  CHECK(ran->ran);
  CHECK(ran->run->status == ScheduledRunStatus::Running);
  CHECK(ran->run->trigger == ScheduledRunTrigger::Manual);
  world.kit().pump();
  CHECK(world.started() == 1);
  CHECK(world.call<ScheduleRun>({"ann", made.id, false, false}).error().code ==
        Code::FailedPrecondition);
}

TEST_CASE("who waits for a run hears how it ended") {
  World world;
  const ScheduleJob made = world.create(every(60 * kMinute));
  std::vector<ScheduledRunStatus> ends;
  world.kit().host().bus().call<ScheduleRun>(
      {"ann", made.id, false, true},
      [&](const Result<Ref<ScheduleRan>>& ran) { ends.push_back((*ran)->run->status); });
  world.kit().pump();
  CHECK(ends.empty());
  world.engine().end_last();
  world.kit().pump();
  CHECK(ends == std::vector{ScheduledRunStatus::Succeeded});
}

TEST_CASE("a job that is deleted while it runs is stopped") {
  World world;
  const ScheduleJob made = world.create(every(kMinute));
  world.pass(1min);
  CHECK(world.call<ScheduleDelete>({"ann", made.id}).ok());
  world.kit().pump();
  CHECK(world.engine().stops().size() == 1);
  CHECK(world.call<ScheduleGet>({"ann", made.id}).error().code == Code::NotFound);
  world.stop();
  world.start();
  CHECK(world.call<ScheduleList>({"", {}, true, 10, 0})->total == 0);
}

// ---- jobs ---------------------------------------------------------------------------------------

TEST_CASE("a job that could not run is refused with what is wrong") {
  struct Wrong {
    const char* what;
    ScheduleSpec spec;
    const char* words;
  };
  std::vector<Wrong> cases = {
      {"no name", cron("0 9 * * *"), "name"},
      {"no prompt", cron("0 9 * * *"), "prompt"},
      {"a bad expression", cron("99 * * * *"), "minute"},
      {"no such zone", cron("0 9 * * *", "Mars/Olympus"), "time zone"},
      {"no such day", cron("0 0 31 2 *"), "never comes"},
      {"a time that has gone by", at(kStart - 1), "never comes"},
      {"too often", every(10), "every_ms"},
      {"a bad slug", cron("0 9 * * *"), "slug"},
      {"jitter", cron("0 9 * * *"), "jitter_ms"},
      {"retries", cron("0 9 * * *"), "retries"},
      {"metadata", cron("0 9 * * *"), "metadata"},
  };
  cases[0].spec.name.clear();
  cases[1].spec.prompt.clear();
  cases[7].spec.slug = "Not A Slug";
  cases[8].spec.jitter_ms = -1;
  cases[9].spec.retries = 11;
  cases[10].spec.metadata = Json("[]");
  World world;
  for (const Wrong& test : cases) {
    INFO(test.what);
    const Result<ScheduleJob> made = world.try_create(test.spec);
    REQUIRE_FALSE(made.ok());
    CHECK(made.error().code == Code::InvalidArgument);
    CHECK(made.error().message.find(test.words) != std::string::npos);
  }
  CHECK(world.try_create(cron("0 9 * * *"), "").error().code == Code::InvalidArgument);
  CHECK(world.call<ScheduleList>({"", {}, true, 10, 0})->total == 0);
}

TEST_CASE("a slug is one job's, and of each principal apart") {
  World world;
  ScheduleSpec spec = cron("0 9 * * *");
  spec.slug = "report";
  const ScheduleJob mine = world.create(spec);
  CHECK(world.try_create(spec).error().code == Code::AlreadyExists);
  const ScheduleJob other = world.create(spec, "bob");
  CHECK(world.call<ScheduleGet>({"ann", "report"})->id == mine.id);
  CHECK(world.call<ScheduleGet>({"bob", "report"})->id == other.id);
  CHECK(world.call<ScheduleGet>({"", "report"}).error().code == Code::NotFound);  // of two
  spec.slug.clear();
  spec.name = "Ünïcode ☃";
  CHECK(world.create(spec).spec.slug == "n-code");
  spec.name = "☃";
  const ScheduleJob snow = world.create(spec);
  CHECK(snow.spec.slug == "job");
  SchedulePatch patch;
  patch.slug = "report";
  CHECK(world.call<ScheduleUpdate>({"ann", snow.id, patch}).error().code == Code::AlreadyExists);
}

TEST_CASE("nobody reaches the jobs of somebody else") {
  World world;
  const ScheduleJob made = world.create(every(kMinute));
  CHECK(world.call<ScheduleGet>({"bob", made.id}).error().code == Code::NotFound);
  CHECK(world.call<ScheduleUpdate>({"bob", made.id, {}}).error().code == Code::NotFound);
  CHECK(world.call<ScheduleDelete>({"bob", made.id}).error().code == Code::NotFound);
  CHECK(world.call<ScheduleRun>({"bob", made.id, false, false}).error().code == Code::NotFound);
  CHECK(world.call<ScheduleRuns>({"bob", made.id, 10, 0}).error().code == Code::NotFound);
  CHECK(world.call<ScheduleList>({"bob", {}, true, 10, 0})->total == 0);
  CHECK(world.call<ScheduleStatus>({"bob"})->jobs == 0);
  CHECK(world.call<ScheduleGet>({"", made.id}).ok());  // an administrator's protocol
}

TEST_CASE("a user has only so many jobs") {
  World world(R"(,"jobs_per_principal":2)");
  world.create(every(kMinute));
  world.create(every(kMinute));
  CHECK(world.try_create(every(kMinute)).error().code == Code::ResourceExhausted);
  world.create(every(kMinute), "bob");
}

TEST_CASE("a change of a job replaces what it names") {
  World world;
  ScheduleSpec spec = cron("0 9 * * *");
  spec.delivery = ScheduleDelivery{"webhook", "x", ""};
  const ScheduleJob made = world.create(spec);
  SchedulePatch patch;
  patch.name = "Evening report";
  patch.schedule = cron("0 21 * * *").schedule;
  patch.delivery = ScheduleDelivery{};
  const auto changed = world.call<ScheduleUpdate>({"ann", made.id, patch});
  REQUIRE(changed.ok());
  CHECK(changed->spec.name == "Evening report");
  CHECK(changed->spec.prompt == made.spec.prompt);
  CHECK(changed->spec.slug == made.spec.slug);
  CHECK_FALSE(changed->spec.delivery);
  CHECK(changed->state.next_run_ms == kStart + 13 * 60 * kMinute);
  patch.schedule = cron("0 0 30 2 *").schedule;
  CHECK(world.call<ScheduleUpdate>({"ann", made.id, patch}).error().code == Code::InvalidArgument);
  CHECK(world.job(made.id).spec.schedule.expression == "0 21 * * *");
  world.stop();
  world.start();
  CHECK(world.job(made.id).spec.name == "Evening report");
  CHECK(world.job(made.id).state.next_run_ms == kStart + 13 * 60 * kMinute);
}

TEST_CASE("jobs are listed in the order in which they were made, a page at a time") {
  World world;
  std::vector<std::string> ids;
  for (int count = 0; count < 5; ++count) ids.push_back(world.create(every(kMinute)).id);
  const auto page = world.call<ScheduleList>({"ann", {}, true, 2, 2});
  REQUIRE(page.ok());
  CHECK(page->total == 5);
  REQUIRE(page->jobs.size() == 2);
  CHECK(page->jobs[0].id == ids[2]);
  CHECK(page->jobs[1].id == ids[3]);
  CHECK(world.call<ScheduleList>({"ann", "elsewhere", true, 10, 0})->total == 0);
  CHECK(world.call<ScheduleList>({"ann", {}, true, 0, 0}).error().code == Code::InvalidArgument);
}

TEST_CASE("the history keeps the latest runs, a page at a time, of one job or of all") {
  World world(R"(,"history":3)");
  const ScheduleJob first = world.create(every(kMinute));
  for (int run = 0; run < 5; ++run) {
    world.pass(1min);
    world.engine().end_last();
    world.kit().pump();
  }
  const std::vector<ScheduledRun> runs = world.runs(first.id);
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].id == first.id + "/5");
  CHECK(runs[2].id == first.id + "/3");
  CHECK(world.job(first.id).state.runs == 3);
  const auto page = world.call<ScheduleRuns>({"ann", first.id, 1, 1});
  REQUIRE(page->runs.size() == 1);
  CHECK(page->runs.front().id == first.id + "/4");
  CHECK(page->total == 3);
  const ScheduleJob second = world.create(every(60 * kMinute));
  world.pass(1s);
  CHECK(world.call<ScheduleRun>({"ann", second.id, false, false}).ok());
  const auto all = world.call<ScheduleRuns>({"ann", "", 10, 0});
  REQUIRE(all->runs.size() == 4);
  CHECK(all->runs.front().job == second.id);
}

TEST_CASE("a schedule can be looked at before it is used") {
  World world;
  const auto times = world.call<SchedulePreview>({cron("0 9 * * *").schedule, 2, std::nullopt});
  REQUIRE(times.ok());
  CHECK(times->times_ms ==
        std::vector<std::int64_t>{kStart + 60 * kMinute, kStart + 25 * 60 * kMinute});
  CHECK(times->time_zone == "UTC");
  CHECK(world.call<SchedulePreview>({at(kStart + 5).schedule, 5, std::nullopt})->times_ms.size() ==
        1);
  CHECK(world.call<SchedulePreview>({cron("x").schedule, 2, std::nullopt}).error().code ==
        Code::InvalidArgument);
  CHECK(world.call<SchedulePreview>({cron("0 9 * * *").schedule, 0, std::nullopt}).error().code ==
        Code::InvalidArgument);
}

}  // namespace
}  // namespace gantry::scheduler
