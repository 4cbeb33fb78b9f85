// SPDX-License-Identifier: Apache-2.0
#include "jobs.hpp"

#include <gantry/contract.hpp>

#include <algorithm>
#include <utility>

#include "rules.hpp"

namespace gantry::scheduler {

void Jobs::when_loaded(Then work) {
  if (loaded_) return work({});
  waiting_.push_back(std::move(work));
  if (std::exchange(loading_, true)) return;
  load({});
}

void Jobs::load(const std::string& after) {
  StoreListRequest request;
  request.collection = kJobs;
  request.after = after;
  host_.bus().call<StoreList>(request, [this](const Result<Ref<StoreDocuments>>& page) {
    if (!page.ok()) return loaded(page.error());
    std::string last;
    for (const StoredDocument& document : (*page)->documents) {
      Result<Record> record = from_json<Record>(document.body.text);
      if (!record.ok()) return loaded(record.error().with_context("job " + document.key));
      last_order_ = std::max(last_order_, record->order);
      last = document.key;
      jobs_.insert_or_assign(document.key, std::move(*record));
    }
    if ((*page)->more) return load(last);
    loaded({});
  });
}

void Jobs::loaded(const Result<void>& result) {
  loading_ = false;
  loaded_ = result.ok();
  if (!loaded_) {
    forget();
  } else if (on_loaded_) {
    on_loaded_();
  }
  for (const Then& work : std::exchange(waiting_, {})) work(result);
}

void Jobs::forget() {
  ++generation_;
  loaded_ = false;
  jobs_.clear();
}

Record* Jobs::by_id(const std::string& id) {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

Record* Jobs::find(const std::string& job, const std::string& principal) {
  const auto may = [&](const Record& record) {
    return principal.empty() || record.job.principal == principal;
  };
  Record* const named = by_id(job);
  if (named != nullptr) return may(*named) ? named : nullptr;
  Record* found = nullptr;
  for (auto& [id, record] : jobs_) {
    if (record.job.spec.slug != job || !may(record)) continue;
    if (found != nullptr) return nullptr;  // of two principals: only the id says which
    found = &record;
  }
  return found;
}

std::int64_t Jobs::count(const std::string& principal) const {
  return std::count_if(jobs_.begin(), jobs_.end(),
                       [&](const auto& entry) { return entry.second.job.principal == principal; });
}

std::string Jobs::free_slug(const std::string& principal, const std::string& wanted,
                            const std::string& id) const {
  const auto taken = [&](const std::string& slug) {
    return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
      return entry.first != id && entry.second.job.principal == principal &&
             entry.second.job.spec.slug == slug;
    });
  };
  std::string slug = wanted;
  for (int number = 2; taken(slug); ++number) slug = wanted + "-" + std::to_string(number);
  return slug;
}

Record& Jobs::insert(Record record) {
  record.order = ++last_order_;
  const std::string id = record.job.id;
  return jobs_.insert_or_assign(id, std::move(record)).first->second;
}

void Jobs::put(StoreWriteRequest& change, const Record& record) {
  change.changes.push_back({kJobs, record.job.id, Json(to_json(record)), std::nullopt});
}

void Jobs::remove(StoreWriteRequest& change, const Record& record) {
  change.changes.push_back({kJobs, record.job.id, std::nullopt, std::nullopt});
  for (std::int64_t run = record.first_run; run <= record.last_run; ++run) {
    change.changes.push_back({kRuns, run_key(record.job.id, run), std::nullopt, std::nullopt});
  }
}

void Jobs::put_run(StoreWriteRequest& change, const ScheduledRun& run, std::int64_t number) {
  change.changes.push_back({kRuns, run_key(run.job, number), Json(to_json(run)), std::nullopt});
}

void Jobs::trim(StoreWriteRequest& change, Record& record, std::int32_t most) {
  // At most so many at once: the setting may have been made smaller.
  for (int removed = 0; removed < 100 && record.last_run - record.first_run + 1 > most; ++removed) {
    const std::int64_t oldest = record.first_run;
    if (std::find(record.open.begin(), record.open.end(), oldest) != record.open.end()) return;
    change.changes.push_back({kRuns, run_key(record.job.id, oldest), std::nullopt, std::nullopt});
    ++record.first_run;
  }
}

void Jobs::write(StoreWriteRequest change, Then then) {
  change.sync = true;
  host_.bus().call<StoreWrite>(
      std::move(change), [this, then = std::move(then),
                          generation = generation_](const Result<Ref<StoreWritten>>& done) {
        if (done.ok()) return then({});
        host_.log().error("the store refused a change of jobs; they are read anew",
                          {{"reason", done.error().message}});
        if (generation == generation_) forget();
        then(done.error());
        when_loaded([](const Result<void>&) {});
      });
}

}  // namespace gantry::scheduler
