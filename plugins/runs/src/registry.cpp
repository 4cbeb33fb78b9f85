// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <gantry/contract.hpp>

#include <algorithm>
#include <memory>

namespace gantry::runs {
namespace {

constexpr std::size_t kMaxEnded = 1000;  // runs in memory that are not live
constexpr std::int64_t kOrdersInMs = 1000;

Error no_such_run() { return not_found("there is no such run; create one"); }

Result<Record> record_of(const StoredDocument& document) {
  return from_json<Record>(document.body.text);
}

}  // namespace

struct Registry::Loading {
  std::string after;
};

void Registry::when_loaded(std::function<void(const Result<void>&)> work) {
  if (loaded_) return work({});
  waiting_.push_back(std::move(work));
  if (std::exchange(loading_, true)) return;
  load(std::make_shared<Loading>());
}

void Registry::load(const std::shared_ptr<Loading>& loading) {
  host_.bus().call<StoreList>({kLive, "", loading->after, 500, false, false},
                              [this, loading](const Result<Ref<StoreDocuments>>& index) {
                                if (!index.ok()) return loaded(index.error());
                                read_runs(loading, **index);
                              });
}

void Registry::read_runs(const std::shared_ptr<Loading>& loading, const StoreDocuments& index) {
  std::vector<std::string> ids;
  for (const StoredDocument& document : index.documents) ids.push_back(document.key);
  if (!ids.empty()) loading->after = ids.back();
  host_.bus().call<StoreGet>(
      {kRuns, std::move(ids)},
      [this, loading, more = index.more](const Result<Ref<StoreDocuments>>& found) {
        if (!found.ok()) return loaded(found.error());
        for (const StoredDocument& document : (*found)->documents) {
          Result<Record> record = record_of(document);
          if (!record.ok()) return loaded(record.error());
          insert(std::move(*record));
        }
        if (more) return load(loading);
        loaded({});
      });
}

void Registry::loaded(const Result<void>& result) {
  loading_ = false;
  loaded_ = result.ok();
  if (!loaded_) forget();
  for (const auto& work : std::exchange(waiting_, {})) work(result);
}

void Registry::with_run(const std::string& run_id, const Then<Record*>& work) {
  const auto known = runs_.find(run_id);
  if (known != runs_.end()) return work(&known->second);
  if (run_id.empty()) return work(no_such_run());
  host_.bus().call<StoreGet>({kRuns, {run_id}}, [this, run_id, work, generation = generation_](
                                                    const Result<Ref<StoreDocuments>>& found) {
    // An id that cannot be a key is none of a run.
    if (!found.ok() && found.error().code == Code::InvalidArgument) return work(no_such_run());
    if (!found.ok()) return work(found.error());
    const auto meanwhile = runs_.find(run_id);
    if (meanwhile != runs_.end()) return work(&meanwhile->second);
    if ((*found)->documents.empty()) return work(no_such_run());
    if (generation != generation_) {
      return work(unavailable("the runs were read anew meanwhile", "try again"));
    }
    Result<Record> record = record_of((*found)->documents.front());
    if (!record.ok()) return work(record.error());
    work(&insert(std::move(*record)));
  });
}

std::vector<Record*> Registry::live(const std::string& workspace_id) {
  std::vector<std::pair<std::int64_t, std::string>> ids;
  for (const auto& [workspace, runs] : by_workspace_) {
    if (workspace_id.empty() || workspace == workspace_id) {
      ids.insert(ids.end(), runs.begin(), runs.end());
    }
  }
  std::sort(ids.begin(), ids.end());
  std::vector<Record*> found;
  for (const auto& id : ids) found.push_back(&runs_.at(id.second));
  return found;
}

/// Grows with the clock, and also when that is set back.
std::int64_t Registry::next_order(std::int64_t now_ms) {
  last_order_ = std::max(last_order_ + 1, now_ms * kOrdersInMs);
  return last_order_;
}

Record& Registry::insert(Record record) {
  if (runs_.size() > kMaxEnded) {
    std::erase_if(runs_, [](const auto& entry) { return !is_live(entry.second); });
  }
  last_order_ = std::max(last_order_, record.order);
  const std::string id = record.run.run_id;
  Record& kept = runs_.insert_or_assign(id, std::move(record)).first->second;
  keep(kept);
  return kept;
}

/// Keeps the list of live runs.
void Registry::keep(const Record& record) {
  const std::pair<std::int64_t, std::string> entry(record.order, record.run.run_id);
  if (is_live(record)) {
    by_workspace_[record.run.workspace_id].insert(entry);
    return;
  }
  const auto workspace = by_workspace_.find(record.run.workspace_id);
  if (workspace == by_workspace_.end()) return;
  workspace->second.erase(entry);
  if (workspace->second.empty()) by_workspace_.erase(workspace);
}

std::vector<RunEvent> Registry::record(Change& change, Record& record, Events events,
                                       std::int64_t now_ms) {
  StoreAppendRequest append;
  append.log = record.run.run_id;
  append.expect_last = record.run.last_event_seq;
  std::vector<RunEvent> numbered;
  for (EventBody& event : events) {
    append.entries.push_back({"event", Json(to_json(event))});
    numbered.push_back({++record.run.last_event_seq, now_ms, std::move(event.event_type),
                        std::move(event.source), std::move(event.payload)});
  }
  keep(record);
  const bool live = is_live(record);
  change.write.changes.push_back({kRuns, record.run.run_id, Json(to_json(record)), std::nullopt});
  change.write.changes.push_back({kLive, record.run.run_id,
                                  live ? std::optional<Json>(std::in_place, "1") : std::nullopt,
                                  std::nullopt});
  if (!append.entries.empty()) change.write.appends.push_back(std::move(append));
  return numbered;
}

void Registry::write(Change change, std::function<void(const Result<void>&)> then) {
  host_.bus().call<StoreWrite>(
      std::move(change.write), [this, then = std::move(then),
                                generation = generation_](const Result<Ref<StoreWritten>>& done) {
        if (done.ok()) return then({});
        if (generation == generation_) forget();
        if (done.error().code != Code::Aborted) return then(done.error());
        then(unavailable("the store had refused an earlier change of the run", "try again"));
      });
}

/// What is in memory may not be what the store has.
void Registry::forget() {
  ++generation_;
  loaded_ = false;
  runs_.clear();
  by_workspace_.clear();
}

}  // namespace gantry::runs
