// SPDX-License-Identifier: Apache-2.0
#include <gantry/contracts/run.hpp>
#include <gantry/contracts/store.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "runs_plugin.hpp"
#include "store_plugin.hpp"

namespace gantry::runs {
namespace {

using namespace std::chrono_literals;

class World {
 public:
  explicit World(int max_active = 1) : max_active_(max_active) { start(); }
  void start() {
    REQUIRE(kit_.load<store::StorePlugin>("store",
                                          R"({"path":")" + folder_.path().string() + "/store.db\"}")
                .ok());
    REQUIRE(kit_.load<RunsPlugin>(
                    "runs", R"({"max_active_per_workspace":)" + std::to_string(max_active_) + "}")
                .ok());
  }
  /// As when the daemon ends and starts again.
  void restart() {
    kit_.unload("runs");
    kit_.unload("store");
    start();
  }
  testkit::FakeHost& kit() { return kit_; }

  template <class C>
  Result<typename C::Response> call(typename C::Request request) {
    auto answer = kit_.host().bus().template call_wait<C>(std::move(request));
    if (!answer.ok()) return answer.error();
    return **answer;
  }
  Run create(const std::string& workspace = "w", const std::string& metadata = "{}") {
    RunCreateRequest request;
    request.workspace_id = workspace;
    request.query = "do it";
    request.metadata = Json(metadata);
    const auto made = call<RunCreate>(request);
    REQUIRE(made.ok());
    return made->run;
  }
  RunHeartbeatAnswer beat(const std::string& worker = "worker-1",
                          const std::string& status = "ready", const std::string& workspace = "w") {
    const auto answer = call<RunHeartbeat>(
        {workspace, worker, "vm-" + worker, "user-" + worker, {}, {}, status, Json("{}")});
    REQUIRE(answer.ok());
    return *answer;
  }
  Result<RunAndEvent> control(const std::string& run, RunAction action,
                              std::optional<RunControlMode> mode = {}) {
    return call<RunControl>({run, action, "ann", mode});
  }
  RunStatus status(const std::string& run) { return call<RunGet>({run})->status; }
  std::vector<std::string> event_types(const std::string& run) {
    std::vector<std::string> types;
    const auto page = call<RunEvents>({run, 0, 1000});
    REQUIRE(page.ok());
    for (const RunEvent& event : page->events) {
      CHECK(event.seq == static_cast<std::int64_t>(types.size()) + 1);
      types.push_back(event.event_type);
    }
    return types;
  }
  RunAndEvent post(const std::string& run, const std::string& type) {
    const auto done = call<RunPostEvent>({run, type, "worker-stream", Json("{}")});
    REQUIRE(done.ok());
    return *done;
  }

 private:
  int max_active_;
  testkit::TempDir folder_;
  testkit::FakeHost kit_;
};

using Types = std::vector<std::string>;

TEST_CASE("a run waits for a worker, is given out, dispatched and completed") {
  World world;
  const Run run = world.create();
  CHECK(run.status == RunStatus::awaiting_worker);
  CHECK(run.last_event_seq == 2);
  CHECK(run.conversation_ref == "run-" + run.run_id);
  const RunHeartbeatAnswer given = world.beat();
  REQUIRE(given.assigned_run.has_value());
  CHECK(given.assigned_run->run_id == run.run_id);
  CHECK(given.assigned_run->status == RunStatus::queued);
  CHECK_FALSE(world.beat("worker-2").assigned_run.has_value());
  const auto dispatched =
      world.call<RunDispatched>({run.run_id, "worker-1", "user-worker-1", "turn-1", std::nullopt});
  REQUIRE(dispatched.ok());
  CHECK(dispatched->run.status == RunStatus::running);
  CHECK(dispatched->run.query_message_id == "turn-1");
  CHECK(world.post(run.run_id, "tool-call").latest_event.event_type == "tool-call");
  CHECK(world.post(run.run_id, "streaming-complete").run.status == RunStatus::completed);
  CHECK(world.event_types(run.run_id) == Types{"run-created", "trace-event", "run-worker-assigned",
                                               "run-dispatched", "tool-call", "trace-event",
                                               "streaming-complete", "trace-event"});
}

TEST_CASE("the conversation may be named by the metadata") {
  World world(9);
  CHECK(world.create("w", R"({"conversation_ref":"c1"})").conversation_ref == "c1");
  for (const char* other : {R"({"conversation_ref":"  "})", R"({"conversation_ref":7})", "{}"}) {
    const Run run = world.create("w", other);
    CHECK(run.conversation_ref == "run-" + run.run_id);
  }
}

TEST_CASE("a workspace has a limit of active runs") {
  World world;
  const Run first = world.create();
  const auto refused = world.call<RunCreate>({"w", {}, "again", {}, {}, Json("{}")});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::FailedPrecondition);
  CHECK(refused.error().message == "Active run limit reached for workspace 'w' (1).");
  CHECK(world.create("other").workspace_id == "other");
  REQUIRE(world.control(first.run_id, RunAction::pause).ok());
  CHECK_FALSE(world.call<RunCreate>({"w", {}, "again", {}, {}, Json("{}")}).ok());
  REQUIRE(world.control(first.run_id, RunAction::stop).ok());
  CHECK(world.call<RunCreate>({"w", {}, "again", {}, {}, Json("{}")}).ok());
}

TEST_CASE("runs are given out in the order in which they came, and only to workers that are free") {
  World world(9);
  const Run first = world.create();
  const Run second = world.create();
  CHECK_FALSE(world.beat("worker-1", "busy").assigned_run.has_value());
  CHECK_FALSE(world.beat("worker-1", "ready", "elsewhere").assigned_run.has_value());
  CHECK(world.beat("worker-1").assigned_run->run_id == first.run_id);
  CHECK(world.beat("worker-2", "running").assigned_run->run_id == second.run_id);
}

TEST_CASE("a run that is paused before anybody has it survives the polls, and keeps its place") {
  World world(9);
  const Run first = world.create();
  const Run second = world.create();
  REQUIRE(world.control(first.run_id, RunAction::pause).ok());
  CHECK(world.beat("worker-1").assigned_run->run_id == second.run_id);
  CHECK_FALSE(world.beat("worker-2").assigned_run.has_value());
  const auto resumed = world.control(first.run_id, RunAction::resume);
  CHECK(resumed->run.status == RunStatus::awaiting_worker);
  const Run third = world.create();
  CHECK(world.beat("worker-2").assigned_run->run_id == first.run_id);
  CHECK(world.beat("worker-3").assigned_run->run_id == third.run_id);
}

TEST_CASE("a worker hears a command once, with the heartbeat") {
  World world;
  const Run run = world.create();
  world.beat();
  const auto paused = world.control(run.run_id, RunAction::pause);
  REQUIRE(paused.ok());
  CHECK(paused->latest_event.event_type == "run-control");
  REQUIRE(
      world.control(run.run_id, RunAction::set_control_mode, RunControlMode::human_override).ok());
  CHECK(world.beat("worker-2").control_commands.empty());
  const auto heard = world.beat().control_commands;
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].action == RunAction::pause);
  CHECK(heard[0].requested_by == "ann");
  CHECK(heard[1].action == RunAction::set_control_mode);
  CHECK(heard[1].control_mode == RunControlMode::human_override);
  CHECK(heard[0].command_id != heard[1].command_id);
  CHECK(world.beat().control_commands.empty());
  // Also that it was stopped, although the run is over.
  REQUIRE(world.control(run.run_id, RunAction::stop).ok());
  world.restart();
  CHECK(world.beat().control_commands.at(0).action == RunAction::stop);
  CHECK(world.beat().control_commands.empty());
}

TEST_CASE("every state and every action") {
  struct Case {
    const char* last_event;  // brings the run to its state, once a worker has it; null: nobody has
    RunAction action;
    std::optional<RunStatus> becomes;  // none: refused
  };
  const std::vector<Case> cases = {
      {nullptr, RunAction::pause, RunStatus::paused},
      {nullptr, RunAction::resume, RunStatus::awaiting_worker},
      {nullptr, RunAction::stop, RunStatus::stopped},
      {"", RunAction::pause, RunStatus::paused},
      {"", RunAction::resume, RunStatus::running},
      {"tool-call", RunAction::pause, RunStatus::paused},
      {"tool-call", RunAction::resume, RunStatus::running},
      {"tool-call", RunAction::stop, RunStatus::stopped},
      {"streaming-complete", RunAction::pause, std::nullopt},
      {"streaming-complete", RunAction::resume, std::nullopt},
      {"error", RunAction::pause, std::nullopt},
      {"error", RunAction::resume, std::nullopt},
  };
  for (const Case& c : cases) {
    World world;
    const Run run = world.create();
    if (c.last_event != nullptr) world.beat();
    if (c.last_event != nullptr && *c.last_event != '\0') world.post(run.run_id, c.last_event);
    const auto done = world.control(run.run_id, c.action);
    CHECK(done.ok() == c.becomes.has_value());
    if (done.ok()) CHECK(done->run.status == *c.becomes);
    if (!done.ok()) CHECK(done.error().code == Code::FailedPrecondition);
  }
}

TEST_CASE("an event that ends a run does so from every state") {
  World world;
  const Run run = world.create();
  REQUIRE(world.control(run.run_id, RunAction::stop).ok());
  CHECK(world.post(run.run_id, "run-control-applied").run.status == RunStatus::stopped);
  CHECK(world.post(run.run_id, "error").run.status == RunStatus::failed);
  CHECK(world.post(run.run_id, "streaming-complete").run.status == RunStatus::completed);
}

TEST_CASE("a paused run stays paused whatever its worker tells") {
  World world;
  const Run run = world.create();
  world.beat();
  REQUIRE(world.control(run.run_id, RunAction::pause).ok());
  CHECK(world.post(run.run_id, "tool-output").run.status == RunStatus::paused);
}

TEST_CASE("a mode needs to be said") {
  World world;
  const Run run = world.create();
  const auto refused = world.control(run.run_id, RunAction::set_control_mode);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::InvalidArgument);
  CHECK(refused.error().message == "control_mode is required when action is set-control-mode");
  CHECK(world.event_types(run.run_id).size() == 2);
}

TEST_CASE("a heartbeat of the worker that has the run is one of its events") {
  World world;
  const Run run = world.create();
  world.beat();
  world.kit().advance(5s);
  world.beat("worker-1", "running");
  world.beat("worker-2");
  CHECK(world.event_types(run.run_id) ==
        Types{"run-created", "trace-event", "run-worker-assigned", "worker-heartbeat"});
  const auto now = world.call<RunGet>({run.run_id});
  CHECK(*now->last_heartbeat_ms - now->created_ms == 5000);
}

TEST_CASE("only the worker and the user that have the run may say that it is dispatched") {
  World world;
  const Run run = world.create();
  const auto dispatch = [&](const std::string& worker, const std::string& user) {
    return world.call<RunDispatched>({run.run_id, worker, user, "t", std::nullopt});
  };
  CHECK(dispatch("worker-1", "user-worker-1").error().code == Code::NotFound);
  world.beat();
  CHECK(dispatch("worker-2", "user-worker-1").error().code == Code::NotFound);
  CHECK(dispatch("worker-1", "user-worker-2").error().code == Code::NotFound);
  CHECK(dispatch("worker-1", "user-worker-1").ok());
}

TEST_CASE("everything active can be stopped at once, in one workspace or in all") {
  World world(400);
  std::set<std::string> mine;
  for (int i = 0; i < 350; ++i) mine.insert(world.create("w").run_id);
  const Run other = world.create("other");
  const Run done = world.create("w");
  world.post(done.run_id, "streaming-complete");
  const auto stopped = world.call<RunStopAll>({"w", "operator"});
  REQUIRE(stopped.ok());
  CHECK(std::set(stopped->stopped_run_ids.begin(), stopped->stopped_run_ids.end()) == mine);
  CHECK(world.status(*mine.begin()) == RunStatus::stopped);
  CHECK(world.status(other.run_id) == RunStatus::awaiting_worker);
  CHECK(world.status(done.run_id) == RunStatus::completed);
  const auto rest = world.call<RunStopAll>({"  ", std::nullopt});
  CHECK(rest->stopped_run_ids == std::vector<std::string>{other.run_id});
  CHECK_FALSE(rest->workspace_id.has_value());
  const auto events = world.call<RunEvents>({other.run_id, 0, 10})->events;
  CHECK(events.back().payload.text.find("\"bulk\":true") != std::string::npos);
  CHECK(world.call<RunStopAll>({std::nullopt, std::nullopt})->stopped_run_ids.empty());
}

TEST_CASE("unknown runs are not found on every contract") {
  World world;
  for (const std::string& id : Types{"run-none", "", std::string(600, 'x'), "a\nb"}) {
    CHECK(world.call<RunGet>({id}).error().code == Code::NotFound);
    CHECK(world.call<RunEvents>({id, 0, 10}).error().code == Code::NotFound);
    CHECK(world.call<RunPostEvent>({id, "x", "y", Json("{}")}).error().code == Code::NotFound);
    CHECK(world.control(id, RunAction::stop).error().code == Code::NotFound);
    CHECK(world.call<RunDispatched>({id, "w", "u", "t", {}}).error().code == Code::NotFound);
  }
}

TEST_CASE("a restart keeps runs, their order and who has them") {
  World world(9);
  const Run first = world.create();
  const Run second = world.create();
  const Run third = world.create();
  world.beat("worker-1");
  REQUIRE(world.call<RunDispatched>({first.run_id, "worker-1", "user-worker-1", "t", {}}).ok());
  world.restart();
  CHECK(world.status(first.run_id) == RunStatus::running);
  // It works on its run already: it is not given it again.
  CHECK(world.beat("worker-1").assigned_run->run_id == second.run_id);
  CHECK(world.beat("worker-2").assigned_run->run_id == third.run_id);
  CHECK_FALSE(world.beat("worker-3").assigned_run.has_value());
  const RunAndEvent ended = world.post(first.run_id, "streaming-complete");
  CHECK(ended.run.last_event_seq ==
        static_cast<std::int64_t>(world.event_types(first.run_id).size()));
}

TEST_CASE("an assignment whose answer was lost is answered again, to the same worker and once") {
  World world(9);
  const Run run = world.create();
  world.beat("worker-1");
  world.restart();
  CHECK_FALSE(world.beat("worker-2").assigned_run.has_value());
  CHECK_FALSE(world.beat("worker-1", "running").assigned_run.has_value());
  const auto again = world.beat("worker-1").assigned_run;
  REQUIRE(again.has_value());
  CHECK(again->run_id == run.run_id);
  CHECK_FALSE(world.beat("worker-1").assigned_run.has_value());
}

TEST_CASE("50 workers and restarts in the middle: no run is lost, none is given to two") {
  World world(200);
  std::set<std::string> created;
  for (int i = 0; i < 120; ++i) created.insert(world.create().run_id);
  std::map<std::string, std::string> owner;
  std::set<std::string> dispatched;
  for (int round = 0; round < 20 && dispatched.size() < created.size(); ++round) {
    for (int n = 0; n < 50; ++n) {
      const std::string worker = "worker-" + std::to_string(n);
      const auto given = world.beat(worker).assigned_run;
      if (n % 25 == 24) world.restart();
      if (!given) continue;
      const auto [known, first] = owner.emplace(given->run_id, worker);
      CHECK(known->second == worker);
      // To every third the answer was lost: it hears of its run again after a restart.
      if (first && n % 3 == 0) continue;
      REQUIRE(world.call<RunDispatched>({given->run_id, worker, "user-" + worker, "t", {}}).ok());
      dispatched.insert(given->run_id);
    }
  }
  CHECK(dispatched == created);
}

TEST_CASE("a change that the store refuses has not happened, and the next one works") {
  World world(9);
  const Run run = world.create();
  // Somebody has changed the log behind this plugin's back.
  REQUIRE(world.kit()
              .host("runs")
              .bus()
              .call_wait<StoreAppend>({run.run_id,
                                       {{"event", Json(R"({"event_type":"x","source":"y"})")}},
                                       std::nullopt,
                                       false})
              .ok());
  const auto refused = world.control(run.run_id, RunAction::stop);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::Unavailable);
  CHECK(world.status(run.run_id) == RunStatus::awaiting_worker);
  CHECK(world.create().status == RunStatus::awaiting_worker);
}

TEST_CASE("without a store nothing is accepted") {
  testkit::FakeHost kit;
  REQUIRE(kit.load<RunsPlugin>("runs").ok());
  const auto refused = kit.host().bus().call_wait<RunCreate>({"w", {}, "q", {}, {}, Json("{}")});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::Unavailable);
}

}  // namespace
}  // namespace gantry::runs
