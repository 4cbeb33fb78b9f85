// SPDX-License-Identifier: Apache-2.0
// Scheduled jobs, as the scheduler has them.
#include <gantry/contract.hpp>
#include <gantry/contracts/schedule.hpp>
#include <gantry/iso_time.hpp>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "api_wire.hpp"
#include "chats.hpp"
#include "routes.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

namespace json = boost::json;

constexpr std::int32_t kMostJobs = 1000;
constexpr auto kRunLimit = std::chrono::hours(2);

std::string text_in(const json::object& object, std::string_view name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

/// Milliseconds since 1970 of 2026-03-03T16:00[:00[.000]][Z|+01:00]; without a zone it is UTC.
std::optional<std::int64_t> read_time(const std::string& text) {
  std::tm parts{};
  int used = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d%n", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &used) != 5) {
    return std::nullopt;
  }
  std::string_view rest = std::string_view(text).substr(static_cast<std::size_t>(used));
  double seconds = 0;
  if (rest.starts_with(':')) {
    int length = 0;
    if (std::sscanf(rest.data(), ":%lf%n", &seconds, &length) != 1) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(length));
  }
  const bool exists = parts.tm_mon >= 1 && parts.tm_mon <= 12 && parts.tm_mday >= 1 &&
                      parts.tm_mday <= 31 && parts.tm_hour >= 0 && parts.tm_hour <= 23 &&
                      parts.tm_min >= 0 && parts.tm_min <= 59 && seconds >= 0 && seconds < 61;
  if (!exists) return std::nullopt;
  int hours = 0;
  int minutes = 0;
  char sign = '+';
  if (!rest.empty() && rest != "Z") {
    int length = 0;
    const bool read =
        std::sscanf(rest.data(), "%c%2d:%2d%n", &sign, &hours, &minutes, &length) == 3;
    if (!read || (sign != '+' && sign != '-') || static_cast<std::size_t>(length) != rest.size()) {
      return std::nullopt;
    }
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  const std::int64_t offset = (hours * 60 + minutes) * 60'000LL * (sign == '-' ? 1 : -1);
  return static_cast<std::int64_t>(timegm(&parts)) * 1000 +
         static_cast<std::int64_t>(seconds * 1000) + offset;
}

Result<Schedule> read_schedule(const json::object& given) {
  Schedule out;
  const std::string type = text_in(given, "type");
  if (type == "at") {
    out.kind = ScheduleKind::At;
    const auto at = read_time(text_in(given, "datetime"));
    if (!at)
      return invalid_argument("schedule.datetime must be a time such as 2026-03-03T16:00:00Z");
    out.at_ms = *at;
  } else if (type == "every") {
    out.kind = ScheduleKind::Every;
    const json::value* interval = given.if_contains("intervalMs");
    if (interval == nullptr || !interval->is_int64()) {
      return invalid_argument("schedule.intervalMs must be a number");
    }
    out.every_ms = interval->get_int64();
  } else if (type == "cron") {
    out.kind = ScheduleKind::Cron;
    out.expression = text_in(given, "expression");
    out.time_zone = text_in(given, "timezone");
  } else {
    return invalid_argument("schedule.type must be at, every or cron");
  }
  return out;
}

ScheduleDelivery read_delivery(const json::object& given) {
  return {text_in(given, "channel"), text_in(given, "target"), text_in(given, "sessionKey")};
}

std::optional<std::string> if_any(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

CronScheduleView view_of(const Schedule& schedule) {
  CronScheduleView view;
  switch (schedule.kind) {
    case ScheduleKind::At:
      view.type = "at";
      view.datetime = iso_time_of(schedule.at_ms);
      break;
    case ScheduleKind::Every:
      view.type = "every";
      view.intervalMs = schedule.every_ms;
      break;
    case ScheduleKind::Cron:
      view.type = "cron";
      view.expression = schedule.expression;
      view.timezone = if_any(schedule.time_zone);
      break;
  }
  return view;
}

Json number_json(const std::optional<std::int64_t>& number) {
  return number ? Json(std::to_string(*number)) : Json();
}

Json status_json(const std::optional<ScheduledRunStatus>& status) {
  if (!status || *status == ScheduledRunStatus::Running) return {};
  return Json(*status == ScheduledRunStatus::Succeeded ? "\"success\"" : "\"error\"");
}

CronJobView view_of(const ScheduleJob& job, bool with_state) {
  CronJobView view;
  view.id = job.id;
  view.name = job.spec.name;
  view.enabled = job.spec.enabled;
  view.schedule = view_of(job.spec.schedule);
  view.prompt = job.spec.prompt;
  if (job.spec.delivery) {
    view.delivery = {if_any(job.spec.delivery->channel), if_any(job.spec.delivery->target),
                     if_any(job.spec.delivery->session_key)};
  }
  view.workspaceId = if_any(job.workspace);
  view.createdAt = iso_time_of(job.created_ms);
  view.updatedAt = iso_time_of(job.updated_ms);
  if (!with_state) return view;
  CronStateView state;
  state.jobId = job.id;
  state.nextRunAtMs = number_json(job.state.next_run_ms);
  state.lastRunAtMs = number_json(job.state.last_run_ms);
  state.lastStatus = status_json(job.state.last_status);
  if (!job.state.last_error.empty()) state.lastError = Json(to_json(job.state.last_error));
  state.consecutiveErrors = job.state.consecutive_errors;
  view.state = std::move(state);
  return view;
}

void fail(Exchange& exchange, const Error& problem) {
  if (problem.code == Code::NotFound) return exchange.error(404, "Job not found");
  exchange.fail(problem);
}

/// Answers with the job that a call of the scheduler's ends with.
std::function<void(const Result<Ref<ScheduleJob>>&)> answer_job(Exchange& exchange, int status,
                                                                bool with_state) {
  return [self = exchange.shared_from_this(), status,
          with_state](const Result<Ref<ScheduleJob>>& job) {
    if (!job.ok()) return fail(*self, job.error());
    self->json(to_json(view_of(**job, with_state)), status);
  };
}

const json::object* object_member(const Exchange& exchange, std::string_view name) {
  const json::value* found = exchange.body.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}

}  // namespace

/// Without a scheduler there are none.
void list_jobs(Exchange& exchange) {
  ScheduleListRequest request;
  request.principal = kPrincipal;
  request.workspace = exchange.query("workspaceId");
  request.limit = kMostJobs;
  exchange.host().bus().call<ScheduleList>(
      std::move(request),
      [self = exchange.shared_from_this()](const Result<Ref<ScheduleJobList>>& list) {
        std::vector<CronJobView> rows;
        if (!list.ok() && list.error().code != Code::Unavailable) return self->fail(list.error());
        if (list.ok()) {
          for (const ScheduleJob& job : (*list)->jobs) rows.push_back(view_of(job, true));
        }
        self->json(to_json(rows));
      });
}

void create_job(Exchange& exchange) {
  const json::object* schedule = object_member(exchange, "schedule");
  ScheduleCreateRequest request;
  request.principal = kPrincipal;
  request.workspace = exchange.text("workspaceId").value_or("");
  if (const Workspace* workspace = exchange.services().workspaces.find(request.workspace)) {
    request.spec.workspace_path = workspace->root;
    request.spec.model = workspace->model;
  }
  request.spec.name = exchange.text("name").value_or("");
  request.spec.prompt = exchange.text("prompt").value_or("");
  if (request.spec.name.empty() || request.spec.prompt.empty() || schedule == nullptr) {
    return exchange.error(400, "name, schedule, and prompt are required");
  }
  auto when = read_schedule(*schedule);
  if (!when.ok()) return exchange.fail(when.error());
  request.spec.schedule = std::move(*when);
  if (const auto* delivery = object_member(exchange, "delivery")) {
    request.spec.delivery = read_delivery(*delivery);
  }
  exchange.host().bus().call<ScheduleCreate>(std::move(request), answer_job(exchange, 201, false));
}

void read_job(Exchange& exchange) {
  exchange.host().bus().call<ScheduleGet>({kPrincipal, exchange.parameters[0]},
                                          answer_job(exchange, 200, true));
}

void change_job(Exchange& exchange) {
  ScheduleUpdateRequest request;
  request.principal = kPrincipal;
  request.job = exchange.parameters[0];
  request.patch.name = exchange.text("name");
  request.patch.prompt = exchange.text("prompt");
  request.patch.workspace = exchange.text("workspaceId");
  const json::value* enabled = exchange.body.if_contains("enabled");
  if (enabled != nullptr && enabled->is_bool()) request.patch.enabled = enabled->get_bool();
  if (const auto* schedule = object_member(exchange, "schedule")) {
    auto when = read_schedule(*schedule);
    if (!when.ok()) return exchange.fail(when.error());
    request.patch.schedule = std::move(*when);
  }
  if (const auto* delivery = object_member(exchange, "delivery")) {
    request.patch.delivery = read_delivery(*delivery);
  }
  exchange.host().bus().call<ScheduleUpdate>(std::move(request), answer_job(exchange, 200, false));
}

void delete_job(Exchange& exchange) {
  exchange.host().bus().call<ScheduleDelete>(
      {kPrincipal, exchange.parameters[0]},
      [self = exchange.shared_from_this()](const Result<Ref<Done>>& gone) {
        if (!gone.ok()) return fail(*self, gone.error());
        self->nothing();
      });
}

/// Answers when the run has ended.
void run_job(Exchange& exchange) {
  ScheduleRunRequest request;
  request.principal = kPrincipal;
  request.job = exchange.parameters[0];
  request.wait = true;
  CallOptions options;
  options.timeout = kRunLimit;
  exchange.host().bus().call<ScheduleRun>(
      std::move(request),
      [self = exchange.shared_from_this()](const Result<Ref<ScheduleRan>>& ran) {
        if (!ran.ok()) return fail(*self, ran.error());
        self->json(R"({"status":"executed"})");
      },
      options);
}

}  // namespace gantry::chat_cortask
