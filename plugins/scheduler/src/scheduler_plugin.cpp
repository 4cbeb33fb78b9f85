// SPDX-License-Identifier: Apache-2.0
#include "scheduler_plugin.hpp"

#include <gantry/contract.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "history.hpp"
#include "job_id.hpp"
#include "rules.hpp"

namespace gantry::scheduler {
namespace {

constexpr std::int32_t kMaxPage = 1000;
constexpr std::int64_t kMaxOffset = 1'000'000;
constexpr std::int32_t kMaxPreview = 100;

Result<void> check_page(std::int32_t limit, std::int64_t offset) {
  if (limit >= 1 && limit <= kMaxPage && offset >= 0 && offset <= kMaxOffset) return {};
  return invalid_argument("limit is 1 to 1000, offset 0 to 1000000");
}

Error slug_taken(const std::string& slug) {
  return {Code::AlreadyExists, "there is a job with the slug '" + slug + "'; choose another", {}};
}

}  // namespace

Result<void> SchedulerPlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(serve_changes());
  return serve_reads();
}

Result<void> SchedulerPlugin::start() {
  scheduler_.start();
  return {};
}

Result<void> SchedulerPlugin::reconfigure() {
  GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
  const Result<Zone> zone = Zone::find(settings.time_zone);  // also reads the database here, once
  if (!zone.ok()) return zone.error().with_context("time_zone");
  scheduler_.set_settings(std::move(settings));
  return {};
}

/// `work(request, reply)` runs when the jobs are in memory.
template <class C, class F>
Result<void> SchedulerPlugin::serve_loaded(F work) {
  return host().bus().serve<C>(
      [this, work](const Ref<typename C::Request>& request, const CallInfo&, Reply<C> reply) {
        auto answer = std::make_shared<Reply<C>>(std::move(reply));
        jobs_.when_loaded([work, request, answer](const Result<void>& loaded) {
          if (!loaded.ok()) return answer->fail(loaded.error());
          work(*request, std::move(*answer));
        });
      });
}

Result<void> SchedulerPlugin::serve_changes() {
  GANTRY_TRY(serve_loaded<ScheduleCreate>([this](const auto& request, Reply<ScheduleCreate> reply) {
    create(request, std::move(reply));
  }));
  GANTRY_TRY(serve_loaded<ScheduleUpdate>([this](const auto& request, Reply<ScheduleUpdate> reply) {
    update(request, std::move(reply));
  }));
  GANTRY_TRY(serve_loaded<ScheduleDelete>([this](const auto& request, Reply<ScheduleDelete> reply) {
    remove(request, std::move(reply));
  }));
  return serve_loaded<ScheduleRun>(
      [this](const auto& request, Reply<ScheduleRun> reply) { run(request, std::move(reply)); });
}

Result<void> SchedulerPlugin::serve_reads() {
  GANTRY_TRY(serve_loaded<ScheduleGet>([this](const auto& request, Reply<ScheduleGet> reply) {
    const Result<Record*> record = need(request.job, request.principal);
    if (!record.ok()) return reply.fail(record.error());
    reply(job_of(**record));
  }));
  GANTRY_TRY(serve_loaded<ScheduleList>(
      [this](const auto& request, Reply<ScheduleList> reply) { reply(list(request)); }));
  GANTRY_TRY(serve_loaded<ScheduleRuns>(
      [this](const auto& request, Reply<ScheduleRuns> reply) { runs(request, std::move(reply)); }));
  GANTRY_TRY(host().bus().serve<SchedulePreview>(
      [this](const SchedulePreviewRequest& request) { return preview(request); }));
  return serve_loaded<ScheduleStatus>(
      [this](const auto& request, Reply<ScheduleStatus> reply) { reply(status(request)); });
}

Result<Record*> SchedulerPlugin::need(const std::string& job, const std::string& principal) {
  Record* const record = jobs_.find(job, principal);
  if (record == nullptr) return not_found("there is no such job; list the jobs");
  return record;
}

void SchedulerPlugin::create(const ScheduleCreateRequest& request, Reply<ScheduleCreate> reply) {
  if (request.principal.empty()) return reply.fail(invalid_argument("principal is empty"));
  const Result<void> fits = check(request.spec);
  if (!fits.ok()) return reply.fail(fits.error());
  if (jobs_.count(request.principal) >= scheduler_.settings().jobs_per_principal) {
    return reply.fail({Code::ResourceExhausted,
                       "there are as many jobs as one user may have (" +
                           std::to_string(scheduler_.settings().jobs_per_principal) +
                           "); delete one",
                       {}});
  }
  const Result<std::string> id = new_job_id();
  if (!id.ok()) return reply.fail(id.error());
  Record record;
  ScheduleJob& job = record.job;
  job = {*id, request.principal, request.workspace, request.spec, scheduler_.now_ms(), 0, {}};
  job.updated_ms = job.created_ms;
  const bool named = !job.spec.slug.empty();
  const std::string wanted = named ? job.spec.slug : slug_of(job.spec.name);
  job.spec.slug = jobs_.free_slug(request.principal, wanted, *id);
  if (named && job.spec.slug != wanted) return reply.fail(slug_taken(wanted));
  const Result<void> planned = scheduler_.plan(record);
  if (!planned.ok()) return reply.fail(planned.error());
  if (!record.due_ms) {
    return reply.fail(
        invalid_argument("the schedule never comes: its time has gone by, or there "
                         "is no such day"));
  }
  StoreWriteRequest change;
  const Record& kept = jobs_.insert(std::move(record));
  Jobs::put(change, kept);
  auto answer = std::make_shared<Reply<ScheduleCreate>>(std::move(reply));
  scheduler_.write(std::move(change), [this, answer, made = job_of(kept)](const auto& written) {
    if (!written.ok()) return answer->fail(written.error());
    scheduler_.tell(ScheduleChange::Created, made);
    (*answer)(made);
    scheduler_.look();
  });
}

void SchedulerPlugin::update(const ScheduleUpdateRequest& request, Reply<ScheduleUpdate> reply) {
  const Result<Record*> found = need(request.job, request.principal);
  if (!found.ok()) return reply.fail(found.error());
  Record changed = **found;
  const ScheduleSpec before = changed.job.spec;
  apply(request.patch, changed.job);
  ScheduleSpec& spec = changed.job.spec;
  if (spec.slug.empty()) spec.slug = before.slug;
  const Result<void> fits = check(spec);
  if (!fits.ok()) return reply.fail(fits.error());
  if (jobs_.free_slug(changed.job.principal, spec.slug, changed.job.id) != spec.slug) {
    return reply.fail(slug_taken(spec.slug));
  }
  const bool again = spec.enabled && !before.enabled;
  if (request.patch.schedule || request.patch.jitter_ms || again) {
    const Result<void> planned = scheduler_.plan(changed);
    if (!planned.ok()) return reply.fail(planned.error());
    if (request.patch.schedule && !changed.due_ms) {
      return reply.fail(
          invalid_argument("the schedule never comes: its time has gone by, or there "
                           "is no such day"));
    }
    changed.retry_ms.reset();
  }
  changed.job.updated_ms = scheduler_.now_ms();
  **found = std::move(changed);
  StoreWriteRequest change;
  Jobs::put(change, **found);
  auto answer = std::make_shared<Reply<ScheduleUpdate>>(std::move(reply));
  scheduler_.write(std::move(change), [this, answer, made = job_of(**found)](const auto& written) {
    if (!written.ok()) return answer->fail(written.error());
    scheduler_.tell(ScheduleChange::Updated, made);
    (*answer)(made);
    scheduler_.look();
  });
}

void SchedulerPlugin::remove(const ScheduleJobRequest& request, Reply<ScheduleDelete> reply) {
  const Result<Record*> found = need(request.job, request.principal);
  if (!found.ok()) return reply.fail(found.error());
  StoreWriteRequest change;
  Jobs::remove(change, **found);
  const ScheduleJob job = job_of(**found);
  scheduler_.stop_runs(job.id, "the job was deleted");
  jobs_.erase(job.id);
  auto answer = std::make_shared<Reply<ScheduleDelete>>(std::move(reply));
  scheduler_.write(std::move(change), [this, answer, job](const auto& written) {
    if (!written.ok()) return answer->fail(written.error());
    scheduler_.tell(ScheduleChange::Deleted, job);
    (*answer)(Done{});
    scheduler_.look();
  });
}

void SchedulerPlugin::run(const ScheduleRunRequest& request, Reply<ScheduleRun> reply) {
  const Result<Record*> found = need(request.job, request.principal);
  if (!found.ok()) return reply.fail(found.error());
  const std::optional<std::int64_t> at = begins_ms(**found);
  if (request.only_if_due && (!at || *at > scheduler_.now_ms())) return reply(ScheduleRan{});
  auto answer = std::make_shared<Reply<ScheduleRun>>(std::move(reply));
  const Scheduler::RunThen tell = [answer](const Result<ScheduledRun>& run) {
    if (!run.ok()) return answer->fail(run.error());
    (*answer)(ScheduleRan{true, *run});
  };
  if (!request.wait) return scheduler_.run_now(**found, tell, nullptr);
  const Scheduler::RunThen begun = [answer](const Result<ScheduledRun>& run) {
    if (!run.ok()) answer->fail(run.error());
  };
  scheduler_.run_now(**found, begun, tell);
}

void SchedulerPlugin::runs(const ScheduleRunsRequest& request, Reply<ScheduleRuns> reply) {
  const Result<void> page = check_page(request.limit, request.offset);
  if (!page.ok()) return reply.fail(page.error());
  std::vector<RunRange> ranges;
  if (!request.job.empty()) {
    const Result<Record*> found = need(request.job, request.principal);
    if (!found.ok()) return reply.fail(found.error());
    ranges.push_back({(*found)->job.id, (*found)->first_run, (*found)->last_run});
  } else {
    for (const auto& [id, record] : jobs_.all()) {
      if (!request.principal.empty() && record.job.principal != request.principal) continue;
      ranges.push_back({id, record.first_run, record.last_run});
    }
  }
  read_history(host(), std::move(ranges), request.limit, request.offset, std::move(reply));
}

Result<ScheduleJobList> SchedulerPlugin::list(const ScheduleListRequest& request) {
  GANTRY_TRY(check_page(request.limit, request.offset));
  std::vector<const Record*> found;
  for (const auto& [id, record] : jobs_.all()) {
    const ScheduleJob& job = record.job;
    const bool fits = (request.principal.empty() || job.principal == request.principal) &&
                      (!request.workspace || job.workspace == *request.workspace) &&
                      (request.include_disabled || job.spec.enabled);
    if (fits) found.push_back(&record);
  }
  std::sort(found.begin(), found.end(),
            [](const Record* a, const Record* b) { return a->order < b->order; });
  ScheduleJobList out;
  out.total = static_cast<std::int64_t>(found.size());
  const auto first = static_cast<std::size_t>(std::min(request.offset, out.total));
  const std::size_t end = std::min(found.size(), first + static_cast<std::size_t>(request.limit));
  for (std::size_t at = first; at < end; ++at) out.jobs.push_back(job_of(*found[at]));
  return out;
}

Result<SchedulePreviewed> SchedulerPlugin::preview(const SchedulePreviewRequest& request) const {
  if (request.count < 1 || request.count > kMaxPreview) {
    return invalid_argument("count is 1 to 100");
  }
  std::int64_t after = request.after_ms.value_or(scheduler_.now_ms());
  GANTRY_ASSIGN(const Timing timing,
                Timing::of(request.schedule, scheduler_.settings().time_zone, after));
  SchedulePreviewed out;
  out.time_zone = timing.zone_name();
  while (std::ssize(out.times_ms) < request.count) {
    const std::optional<std::int64_t> next = timing.next(after);
    if (!next) break;
    out.times_ms.push_back(*next);
    after = *next;
  }
  return out;
}

SchedulerStatus SchedulerPlugin::status(const ScheduleStatusRequest& request) {
  SchedulerStatus out;
  out.enabled = scheduler_.settings().enabled;
  const Result<Zone> zone = Zone::find(scheduler_.settings().time_zone);
  if (zone.ok()) out.time_zone = zone->name();
  for (const auto& [id, record] : jobs_.all()) {
    if (!request.principal.empty() && record.job.principal != request.principal) continue;
    ++out.jobs;
    if (record.job.spec.enabled) ++out.enabled_jobs;
    out.running += std::ssize(record.open);
    const std::optional<std::int64_t> at = begins_ms(record);
    if (at && (!out.next_run_ms || *at < *out.next_run_ms)) out.next_run_ms = at;
  }
  return out;
}

}  // namespace gantry::scheduler
