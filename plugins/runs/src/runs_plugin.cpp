// SPDX-License-Identifier: Apache-2.0
#include "runs_plugin.hpp"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "payloads.hpp"

namespace gantry::runs {
namespace {

constexpr std::int64_t kNsInMs = 1'000'000;
constexpr std::int32_t kMaxPage = 1000;
/// Runs that are stopped in one transaction: each is two changes and an append of the store's 1000.
constexpr std::size_t kStoppedTogether = 300;

Result<std::string> random_id(std::string_view prefix) {
  std::array<std::uint8_t, 16> random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1) {
    return unavailable("the system gave no random bytes", "see whether it has a source of them");
  }
  std::string id(prefix);
  for (const std::uint8_t byte : random) id += fmt::format("{:02x}", byte);
  return id;
}

Result<void> need(std::initializer_list<std::pair<const char*, const std::string*>> fields) {
  for (const auto& [name, value] : fields) {
    if (value->empty()) return invalid_argument(std::string(name) + " is empty; give it");
  }
  return {};
}

RunWorkerState state_of(const RunHeartbeatRequest& request, std::int64_t now_ms) {
  return {request.worker_id, request.workspace_id, request.vm_id,
          request.user_id,   request.session_id,   request.agent_id,
          request.status,    request.metadata,     now_ms};
}

/// The key of a worker: ids may hold a slash, lengths in front keep two of them apart.
std::string worker_key(const RunHeartbeatRequest& request) {
  return fmt::format("{}/{}/{}", request.workspace_id.size(), request.workspace_id,
                     request.worker_id);
}

}  // namespace

Result<void> RunsPlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_ASSIGN(life_, random_id(""));
  created_ = host().counter("created_total", "Runs that were created");
  assigned_ = host().counter("assigned_total", "Runs that were given to a worker");
  GANTRY_TRY(serve_loaded<RunCreate>(&RunsPlugin::create));
  GANTRY_TRY(serve_loaded<RunHeartbeat>(&RunsPlugin::heartbeat));
  GANTRY_TRY(serve_loaded<RunStopAll>(&RunsPlugin::stop_all));
  GANTRY_TRY(serve_change<RunPostEvent>(
      [this](Record& record, const RunPostEventRequest& request, bool& sync) -> Result<Events> {
        GANTRY_TRY(need({{"event_type", &request.event_type}}));
        Events events = post_event(record, request, now_ms());
        sync = !is_active(record.run.status);
        return events;
      }));
  GANTRY_TRY(serve_change<RunControl>(
      [this](Record& record, const RunControlRequest& request, bool&) -> Result<Events> {
        GANTRY_ASSIGN(const Control wanted, control_of(request));
        return control(record, wanted, now_ms());
      }));
  GANTRY_TRY(serve_change<RunDispatched>(
      [this](Record& record, const RunDispatchedRequest& request, bool&) -> Result<Events> {
        GANTRY_TRY(need({{"turn_ref", &request.turn_ref}}));
        return dispatched(record, request, now_ms());
      }));
  return serve_reads();
}

Result<void> RunsPlugin::reconfigure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  return {};
}

std::int64_t RunsPlugin::now_ms() const { return host().wall_ns() / kNsInMs; }

/// Serves with a member function that runs once the live runs are in memory.
template <class C, class F>
Result<void> RunsPlugin::serve_loaded(F work) {
  return host().bus().serve<C>(
      [this, work](const Ref<typename C::Request>& request, const CallInfo&, Reply<C> reply) {
        auto answer = std::make_shared<Reply<C>>(std::move(reply));
        registry_.when_loaded([this, work, request, answer](const Result<void>& loaded) {
          if (!loaded.ok()) return answer->fail(loaded.error());
          (this->*work)(*request, std::move(*answer));
        });
      });
}

/// Serves a change of one run that answers the run and its event. The one that is told of is the
/// caller's own, not the trace beside it.
template <class C, class F>
Result<void> RunsPlugin::serve_change(F work) {
  return host().bus().serve<C>(
      [this, work](const Ref<typename C::Request>& request, const CallInfo&, Reply<C> reply) {
        auto answer = std::make_shared<Reply<C>>(std::move(reply));
        const auto change_run = [this, work, request, answer](const Result<Record*>& found) {
          if (!found.ok()) return answer->fail(found.error());
          Record& record = **found;
          bool sync = true;
          Result<Events> events = work(record, *request, sync);
          if (!events.ok()) return answer->fail(events.error());
          Registry::Change change;
          change.write.sync = sync;
          const auto numbered = registry_.record(change, record, std::move(*events), now_ms());
          const auto told = std::find_if(numbered.begin(), numbered.end(), [](const RunEvent& e) {
            return e.event_type != "trace-event";
          });
          RunAndEvent done{record.run, told == numbered.end() ? numbered.front() : *told};
          registry_.write(std::move(change), [answer, done](const Result<void>& written) {
            if (!written.ok()) return answer->fail(written.error());
            (*answer)(done);
          });
        };
        registry_.when_loaded([this, request, answer, change_run](const Result<void>& loaded) {
          if (!loaded.ok()) return answer->fail(loaded.error());
          registry_.with_run(request->run_id, change_run);
        });
      });
}

void RunsPlugin::create(const RunCreateRequest& request, Reply<RunCreate> reply) {
  const auto complete = need({{"workspace_id", &request.workspace_id}, {"query", &request.query}});
  if (!complete.ok()) return reply.fail(complete.error());
  const std::vector<Record*> live = registry_.live(request.workspace_id);
  const auto active = std::count_if(
      live.begin(), live.end(), [](const Record* record) { return is_active(record->run.status); });
  const std::int64_t limit = settings_.max_active_per_workspace;
  if (active >= limit) {
    return reply.fail({Code::FailedPrecondition,
                       fmt::format("Active run limit reached for workspace '{}' ({}).",
                                   request.workspace_id, limit),
                       to_json(LimitDetail{"active_run_limit", limit})});
  }
  const auto id = random_id("run-");
  if (!id.ok()) return reply.fail(id.error());
  Record fresh;
  fresh.order = registry_.next_order(now_ms());
  Events events = runs::create(fresh, request, *id, now_ms());
  Record& record = registry_.insert(std::move(fresh));
  Registry::Change change;
  change.write.sync = true;
  RunAndEvents done;
  done.events = registry_.record(change, record, std::move(events), now_ms());
  done.run = record.run;
  auto answer = std::make_shared<Reply<RunCreate>>(std::move(reply));
  registry_.write(std::move(change), [this, answer, done](const Result<void>& written) {
    if (!written.ok()) return answer->fail(written.error());
    created_.add();
    (*answer)(done);
  });
}

void RunsPlugin::heartbeat(const RunHeartbeatRequest& request, Reply<RunHeartbeat> reply) {
  const auto complete = need({{"workspace_id", &request.workspace_id},
                              {"worker_id", &request.worker_id},
                              {"vm_id", &request.vm_id},
                              {"user_id", &request.user_id}});
  if (!complete.ok()) return reply.fail(complete.error());
  const std::int64_t now = now_ms();
  const std::vector<Record*> live = registry_.live(request.workspace_id);
  Record* next = next_run(request, live);
  Registry::Change change;
  RunHeartbeatAnswer done;
  for (Record* record : live) {
    if (record == next || !belongs_to(*record, request)) continue;
    Events events;
    if (is_active(record->run.status)) events = runs::heartbeat(*record, request, now);
    for (RunCommand& command : std::exchange(record->commands, {})) {
      done.control_commands.push_back(std::move(command));
      change.write.sync = true;
    }
    registry_.record(change, *record, std::move(events), now);
  }
  if (next != nullptr) {
    Events events = belongs_to(*next, request) ? runs::heartbeat(*next, request, now)
                                               : assign(*next, request, now);
    next->life = life_;
    for (RunCommand& command : std::exchange(next->commands, {})) {
      done.control_commands.push_back(std::move(command));
    }
    registry_.record(change, *next, std::move(events), now);
    change.write.sync = true;
    done.assigned_run = next->run;
  }
  done.worker = state_of(request, now);
  change.write.changes.push_back(
      {kWorkers, worker_key(request), Json(to_json(done.worker)), std::nullopt});
  auto answer = std::make_shared<Reply<RunHeartbeat>>(std::move(reply));
  registry_.write(std::move(change), [this, answer, done](const Result<void>& written) {
    if (!written.ok()) return answer->fail(written.error());
    if (done.assigned_run) assigned_.add();
    (*answer)(done);
  });
}

/// The oldest run that waits. Before that one that this worker was given in an earlier life of the
/// daemon and has done nothing with: its answer may have been lost when the daemon ended.
Record* RunsPlugin::next_run(const RunHeartbeatRequest& worker, const std::vector<Record*>& live) {
  if (worker.status != "ready" && worker.status != "running") return nullptr;
  const auto lost = std::find_if(live.begin(), live.end(), [&](const Record* record) {
    return worker.status == "ready" && record->run.status == RunStatus::queued &&
           record->life != life_ && belongs_to(*record, worker);
  });
  if (lost != live.end()) return *lost;
  const auto waiting = std::find_if(live.begin(), live.end(),
                                    [](const Record* record) { return is_waiting(*record); });
  return waiting == live.end() ? nullptr : *waiting;
}

Result<Control> RunsPlugin::control_of(const RunControlRequest& request) {
  GANTRY_ASSIGN(std::string command_id, random_id("cmd-"));
  return Control{request.action, request.requested_by, request.control_mode, std::move(command_id),
                 false};
}

void RunsPlugin::stop_all(const RunStopAllRequest& request, Reply<RunStopAll> reply) {
  struct Stopping {
    Reply<RunStopAll> reply;
    RunsStopped done;
    std::size_t open = 1;
    std::optional<Error> failure;
    void finish(const Result<void>& part) {
      if (!part.ok() && !failure) failure = part.error();
      if (--open != 0) return;
      if (failure) return reply.fail(*failure);
      reply(std::move(done));
    }
  };
  auto stopping = std::make_shared<Stopping>(Stopping{std::move(reply), {}, 1, {}});
  const bool everywhere = !request.workspace_id ||
                          request.workspace_id->find_first_not_of(" \t\r\n") == std::string::npos;
  if (!everywhere) stopping->done.workspace_id = request.workspace_id;
  Registry::Change change;
  const auto flush = [this, stopping, &change] {
    if (change.write.changes.empty()) return;
    change.write.sync = true;
    ++stopping->open;
    registry_.write(std::exchange(change, {}),
                    [stopping](const Result<void>& written) { stopping->finish(written); });
  };
  for (Record* record : registry_.live(everywhere ? "" : *request.workspace_id)) {
    if (!is_active(record->run.status)) continue;
    const auto id = random_id("cmd-");
    if (!id.ok()) return stopping->reply.fail(id.error());
    Result<Events> events = control(
        *record, {RunAction::stop, request.requested_by, std::nullopt, *id, true}, now_ms());
    if (!events.ok()) continue;
    registry_.record(change, *record, std::move(*events), now_ms());
    stopping->done.stopped_run_ids.push_back(record->run.run_id);
    if (change.write.appends.size() >= kStoppedTogether) flush();
  }
  flush();
  stopping->finish({});
}

Result<void> RunsPlugin::serve_reads() {
  Bus& bus = host().bus();
  GANTRY_TRY(bus.serve<RunGet>([this](const Ref<RunRequest>& request, const CallInfo&,
                                      Reply<RunGet> reply) { get(*request, std::move(reply)); }));
  return bus.serve<RunEvents>(
      [this](const Ref<RunEventsRequest>& request, const CallInfo&, Reply<RunEvents> reply) {
        if (request->after_seq < 0 || request->limit < 1 || request->limit > kMaxPage) {
          return reply.fail(invalid_argument("after_seq is 0 or more, limit 1 to 1000"));
        }
        events(*request, std::move(reply));
      });
}

/// From the store, so that nothing is told that a crash could still undo.
void RunsPlugin::get(const RunRequest& request, Reply<RunGet> reply) {
  auto answer = std::make_shared<Reply<RunGet>>(std::move(reply));
  host().bus().call<StoreGet>(
      {kRuns, {request.run_id}}, [answer](const Result<Ref<StoreDocuments>>& found) {
        const bool none =
            found.ok() ? (*found)->documents.empty() : found.error().code == Code::InvalidArgument;
        if (none) return answer->fail(not_found("there is no such run; create one"));
        if (!found.ok()) return answer->fail(found.error());
        Result<Record> record = from_json<Record>((*found)->documents.front().body.text);
        if (!record.ok()) return answer->fail(record.error());
        (*answer)(std::move(record->run));
      });
}

void RunsPlugin::events(const RunEventsRequest& request, Reply<RunEvents> reply) {
  auto answer = std::make_shared<Reply<RunEvents>>(std::move(reply));
  host().bus().call<StoreReadLog>(
      {request.run_id, request.after_seq, request.limit, false},
      [answer, request](const Result<Ref<StoreLogPage>>& page) {
        const bool none =
            page.ok() ? (*page)->last == 0 : page.error().code == Code::InvalidArgument;
        if (none) return answer->fail(not_found("there is no such run; create one"));
        if (!page.ok()) return answer->fail(page.error());
        RunEventPage out{request.run_id, {}, request.after_seq};
        for (const StoredEntry& entry : (*page)->entries) {
          Result<EventBody> body = from_json<EventBody>(entry.body.text);
          if (!body.ok()) return answer->fail(body.error());
          out.events.push_back({entry.sequence, entry.at_ms, std::move(body->event_type),
                                std::move(body->source), std::move(body->payload)});
          out.next_after_seq = entry.sequence;
        }
        (*answer)(std::move(out));
      });
}

}  // namespace gantry::runs
