// SPDX-License-Identifier: Apache-2.0
// Scheduled jobs: the scheduler's, in the protocol's words.
#include <gantry/contracts/schedule.hpp>

#include <algorithm>
#include <utility>

#include "call.hpp"
#include "session_keys.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr std::int64_t kUsualRuns = 20;

std::string_view status_word(ScheduledRunStatus status) {
  switch (status) {
    case ScheduledRunStatus::Running: return "running";
    case ScheduledRunStatus::Succeeded: return "ok";
    case ScheduledRunStatus::Failed: return "error";
    case ScheduledRunStatus::Stopped: return "stopped";
    case ScheduledRunStatus::Interrupted: return "interrupted";
    case ScheduledRunStatus::Skipped: break;
  }
  return "skipped";
}

json::object schedule_row(const Schedule& schedule) {
  switch (schedule.kind) {
    case ScheduleKind::At: return {{"kind", "at"}, {"atMs", schedule.at_ms}};
    case ScheduleKind::Every: return {{"kind", "every"}, {"everyMs", schedule.every_ms}};
    case ScheduleKind::Cron: break;
  }
  json::object row{{"kind", "cron"}, {"expr", schedule.expression}};
  if (!schedule.time_zone.empty()) row["tz"] = schedule.time_zone;
  return row;
}

json::object state_row(const ScheduleState& state) {
  json::object row;
  if (state.next_run_ms) row["nextRunAtMs"] = *state.next_run_ms;
  if (state.last_run_ms) row["lastRunAtMs"] = *state.last_run_ms;
  if (state.last_status) row["lastStatus"] = status_word(*state.last_status);
  if (!state.last_error.empty()) row["lastError"] = state.last_error;
  return row;
}

json::object job_row(const ScheduleJob& job) {
  const ScheduleSpec& spec = job.spec;
  const ScheduleDelivery delivery = spec.delivery.value_or(ScheduleDelivery{});
  json::object row{{"id", job.id},
                   {"tenantId", kTenantId},
                   {"name", spec.slug.empty() ? spec.name : spec.slug},
                   {"agentId", spec.agent},
                   {"userId", user_of(job.principal)},
                   {"enabled", spec.enabled},
                   {"createdAtMs", job.created_ms},
                   {"updatedAtMs", job.updated_ms},
                   {"deleteAfterRun", spec.delete_after_run},
                   {"stateless", spec.stateless},
                   {"deliver", !delivery.channel.empty()},
                   {"deliverChannel", delivery.channel},
                   {"deliverTo", delivery.target},
                   {"wakeHeartbeat", false}};
  row["schedule"] = schedule_row(spec.schedule);
  row["payload"] = json::object{{"kind", "agent_turn"}, {"message", spec.prompt}};
  row["state"] = state_row(job.state);
  return row;
}

json::object run_row(const ScheduledRun& run) {
  json::object row{{"ts", run.started_ms == 0 ? run.due_ms : run.started_ms},
                   {"jobId", run.job},
                   {"status", status_word(run.status)},
                   {"inputTokens", run.input_tokens},
                   {"outputTokens", run.output_tokens}};
  if (!run.error.empty()) row["error"] = run.error;
  if (!run.summary.empty()) row["summary"] = run.summary;
  if (run.finished_ms != 0) row["durationMs"] = run.finished_ms - run.started_ms;
  return row;
}

bool is_slug(std::string_view text) {
  const auto inside = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && inside(text.front()) && inside(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return inside(c) || c == '-'; });
}

/// A schedule of the protocol, or of its older command line; what is wrong with it is in `problem`.
std::optional<Schedule> read_schedule(const json::object& params, std::string& problem) {
  Schedule out;
  const json::object* given = object(params, "schedule");
  const std::string expression = text(params, {"cron_expression", "cronExpression"});
  if (given == nullptr && expression.empty()) {
    problem = "schedule is required";
    return std::nullopt;
  }
  if (given == nullptr) {
    out.expression = expression;
    out.time_zone = text(params, {"timezone", "tz"});
    return out;
  }
  const std::string kind = text(*given, "kind");
  if (kind == "at") {
    out.kind = ScheduleKind::At;
    out.at_ms = integer(*given, "atMs").value_or(0);
    if (out.at_ms <= 0) problem = "schedule.atMs is required";
  } else if (kind == "every") {
    out.kind = ScheduleKind::Every;
    out.every_ms = integer(*given, "everyMs").value_or(0);
    if (out.every_ms <= 0) problem = "schedule.everyMs is required";
  } else if (kind == "cron") {
    out.expression = text(*given, {"expr", "expression"});
    out.time_zone = text(*given, {"tz", "timezone"});
    if (out.expression.empty()) problem = "schedule.expr is required";
  } else {
    problem = "schedule.kind is one of at, every, cron";
  }
  return problem.empty() ? std::optional(out) : std::nullopt;
}

std::string message_of(const json::object& params) {
  std::string message = text(params, kMessage);
  const json::object* payload = object(params, "payload");
  if (message.empty() && payload != nullptr) message = text(*payload, kMessage);
  return message;
}

std::optional<ScheduleDelivery> delivery_of(const json::object& params) {
  if (!flag(params, "deliver").value_or(false)) return std::nullopt;
  ScheduleDelivery out;
  out.channel = text(params, {"deliverChannel", "deliver_channel"});
  out.target = text(params, {"deliverTo", "deliver_to"});
  return out;
}

/// Whose job it may be: administrators leave it open.
std::string scope_of(const Call& call) {
  return call.who.at_least(Role::Admin) ? std::string() : call.who.principal;
}

/// Somebody else's job, and one that is not there, look the same to whoever may not know.
Answer job_failure(const Call& call, const Error& error, const std::string& job) {
  if (error.code != Code::NotFound) return failed(error);
  if (call.frame.method == "cron.run") return refused(wire::kInvalidRequest, "job not found");
  if (call.who.at_least(Role::Admin)) return refused(wire::kNotFound, "job not found: " + job);
  return refused(wire::kUnauthorized, "permission denied: cron job");
}

/// The job that is meant; empty with the refusal in `answer`.
std::string job_of(const Call& call, Answer& answer) {
  std::string job = text(call.params(), kJob);
  if (job.empty()) answer = refused(wire::kInvalidRequest, "jobId is required");
  return job;
}

Task<Answer> change(CallPtr call, std::string job, SchedulePatch patch, bool toggled) {
  ScheduleUpdateRequest request;
  request.principal = scope_of(*call);
  request.job = job;
  request.patch = std::move(patch);
  const auto updated = co_await ask<ScheduleUpdate>(call->host(), std::move(request));
  if (!updated.ok()) co_return job_failure(*call, updated.error(), job);
  if (toggled) {
    co_return fine(json::object{{"jobId", (*updated)->id}, {"enabled", (*updated)->spec.enabled}});
  }
  co_return fine(json::object{{"job", job_row(**updated)}});
}

}  // namespace

Task<Answer> cron_list(CallPtr call) {
  ScheduleListRequest request;
  request.principal = scope_of(*call);
  request.include_disabled =
      flag(call->params(), {"includeDisabled", "include_disabled"}).value_or(false);
  request.limit = 1000;
  ScheduleStatusRequest asked;
  asked.principal = scope_of(*call);
  const auto list = co_await ask<ScheduleList>(call->host(), std::move(request));
  if (!list.ok()) co_return failed(list.error());
  const auto status = co_await ask<ScheduleStatus>(call->host(), std::move(asked));
  json::array rows;
  for (const ScheduleJob& job : (*list)->jobs) rows.push_back(job_row(job));
  json::object state{{"enabled", status.ok() && (*status)->enabled}, {"jobs", (*list)->total}};
  co_return fine(json::object{{"jobs", std::move(rows)}, {"status", std::move(state)}});
}

Task<Answer> cron_create(CallPtr call) {
  const json::object& params = call->params();
  ScheduleCreateRequest request;
  request.principal = call->who.principal;
  request.workspace = kWorkspace;
  if (request.principal.empty()) co_return refused(wire::kInvalidRequest, "user_id is required");
  ScheduleSpec& spec = request.spec;
  spec.name = text(params, "name");
  spec.slug = spec.name;
  if (!is_slug(spec.slug)) {
    co_return refused(wire::kInvalidRequest,
                      "name must be a valid slug (lowercase letters, numbers, hyphens only)");
  }
  spec.prompt = message_of(params);
  if (spec.prompt.empty()) co_return refused(wire::kInvalidRequest, "message is required");
  std::string problem;
  const auto schedule = read_schedule(params, problem);
  if (!schedule) co_return refused(wire::kInvalidRequest, problem);
  spec.schedule = *schedule;
  spec.agent = text(params, kAgent);
  if (!spec.agent.empty() && !call->server.agents().find(spec.agent)) {
    co_return refused(wire::kNotFound, "agent not found: " + spec.agent);
  }
  if (spec.agent.empty()) spec.agent = call->server.agents().usual()->key;
  spec.model = call->server.agents().find(spec.agent)->model;
  spec.session_key = "agent:{agent}:cron:{id}";
  spec.stateless = flag(params, "stateless").value_or(true);
  spec.delete_after_run = spec.schedule.kind == ScheduleKind::At;
  spec.enabled = flag(params, "enabled").value_or(true);
  spec.delivery = delivery_of(params);
  const auto made = co_await ask<ScheduleCreate>(call->host(), std::move(request));
  if (!made.ok()) co_return failed(made.error());
  co_return fine(json::object{{"job", job_row(**made)}});
}

Task<Answer> cron_update(CallPtr call) {
  Answer answer;
  std::string job = job_of(*call, answer);
  if (job.empty()) co_return answer;
  const json::object* given = object(call->params(), "patch");
  if (given == nullptr) co_return refused(wire::kInvalidRequest, "patch is required");
  SchedulePatch patch;
  patch.name = given_text(*given, "name");
  patch.slug = patch.name;
  if (patch.slug && !is_slug(*patch.slug)) {
    co_return refused(wire::kInvalidRequest,
                      "name must be a valid slug (lowercase letters, numbers, hyphens only)");
  }
  patch.prompt = given_text(*given, kMessage);
  patch.enabled = flag(*given, "enabled");
  patch.stateless = flag(*given, "stateless");
  patch.delete_after_run = flag(*given, {"deleteAfterRun", "delete_after_run"});
  patch.agent = given_text(*given, kAgent);
  patch.delivery = delivery_of(*given);
  if (find(*given, "schedule") != nullptr) {
    std::string problem;
    patch.schedule = read_schedule(*given, problem);
    if (!patch.schedule) co_return refused(wire::kInvalidRequest, problem);
  }
  auto changing = change(call, std::move(job), std::move(patch), false);
  co_return co_await std::move(changing);
}

Task<Answer> cron_delete(CallPtr call) {
  Answer answer;
  const std::string job = job_of(*call, answer);
  if (job.empty()) co_return answer;
  ScheduleJobRequest request{scope_of(*call), job};
  const auto gone = co_await ask<ScheduleDelete>(call->host(), std::move(request));
  if (!gone.ok()) co_return job_failure(*call, gone.error(), job);
  co_return fine(json::object{{"deleted", true}});
}

Task<Answer> cron_toggle(CallPtr call) {
  Answer answer;
  std::string job = job_of(*call, answer);
  if (job.empty()) co_return answer;
  SchedulePatch patch;
  patch.enabled = flag(call->params(), "enabled");
  if (!patch.enabled) {
    // Older clients say only which job: they mean the other way round.
    ScheduleJobRequest look{scope_of(*call), job};
    const auto found = co_await ask<ScheduleGet>(call->host(), std::move(look));
    if (!found.ok()) co_return job_failure(*call, found.error(), job);
    patch.enabled = !(*found)->spec.enabled;
  }
  auto changing = change(call, std::move(job), std::move(patch), true);
  co_return co_await std::move(changing);
}

Task<Answer> cron_status(CallPtr call) {
  ScheduleStatusRequest request;
  request.principal = scope_of(*call);
  const auto status = co_await ask<ScheduleStatus>(call->host(), std::move(request));
  if (!status.ok()) co_return failed(status.error());
  json::object payload{{"enabled", (*status)->enabled}, {"jobs", (*status)->jobs}};
  if ((*status)->next_run_ms) payload["nextRunAtMs"] = *(*status)->next_run_ms;
  co_return fine(std::move(payload));
}

Task<Answer> cron_run(CallPtr call) {
  Answer answer;
  const std::string job = job_of(*call, answer);
  if (job.empty()) co_return answer;
  ScheduleRunRequest request;
  request.principal = scope_of(*call);
  request.job = job;
  request.only_if_due = text(call->params(), "mode") == "due";
  const auto ran = co_await ask<ScheduleRun>(call->host(), std::move(request));
  if (!ran.ok()) co_return job_failure(*call, ran.error(), job);
  co_return fine(json::object{{"ok", true}, {"ran", (*ran)->ran}});
}

Task<Answer> cron_runs(CallPtr call) {
  ScheduleRunsRequest request;
  request.principal = scope_of(*call);
  request.job = text(call->params(), kJob);
  request.limit = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(integer(call->params(), "limit").value_or(kUsualRuns), 1, 1000));
  request.offset = std::max<std::int64_t>(integer(call->params(), "offset").value_or(0), 0);
  const std::string job = request.job;
  const auto runs = co_await ask<ScheduleRuns>(call->host(), std::move(request));
  if (!runs.ok()) co_return job_failure(*call, runs.error(), job);
  json::array rows;
  for (const ScheduledRun& run : (*runs)->runs) rows.push_back(run_row(run));
  json::value shown = rows;
  co_return fine(json::object{{"entries", shown}, {"runs", shown}, {"total", (*runs)->total}});
}

}  // namespace gantry::gateway
