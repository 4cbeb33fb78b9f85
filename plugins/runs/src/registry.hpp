// SPDX-License-Identifier: Apache-2.0
//
// The runs that matter now, in memory, and everything that happens to them written to the store.
// Strand only; completions run on it.
//
// A change is made in memory at once, so that whatever comes next builds on it, and is answered
// when the store has it. Each change appends to the run's log and says where that must end: when
// the store has refused one, all that were built on it are refused as well, and the memory is read
// anew from the store.
#pragma once

#include <gantry/contracts/store.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "record.hpp"
#include "rules.hpp"

namespace gantry::runs {

class Registry {
 public:
  explicit Registry(Host& host) : host_(host) {}

  template <class T>
  using Then = std::function<void(Result<T>)>;

  /// Runs `work` once the live runs are in memory, or with the reason why they are not.
  void when_loaded(std::function<void(const Result<void>&)> work);
  /// Runs `work` with the run, from memory or the store. Error: not_found.
  void with_run(const std::string& run_id, const Then<Record*>& work);

  /// Live runs of a workspace (empty: of all), the oldest first.
  [[nodiscard]] std::vector<Record*> live(const std::string& workspace_id);
  [[nodiscard]] std::int64_t next_order(std::int64_t now_ms);
  Record& insert(Record record);

  /// What changes together.
  struct Change {
    StoreWriteRequest write;
    std::vector<std::pair<std::string, std::vector<RunEvent>>> events;  // by run, as appended
  };
  /// Puts a changed record and its events into a change, and numbers the events.
  std::vector<RunEvent> record(Change& change, Record& record, Events events, std::int64_t now_ms);
  /// Writes it. An error means that nothing of it has happened.
  void write(Change change, std::function<void(const Result<void>&)> then);

 private:
  struct Loading;

  void load(const std::shared_ptr<Loading>& loading);
  void read_runs(const std::shared_ptr<Loading>& loading, const StoreDocuments& index);
  void loaded(const Result<void>& result);
  void keep(const Record& record);
  void forget();

  Host& host_;
  bool loaded_ = false;
  bool loading_ = false;
  std::uint64_t generation_ = 0;  // of what is in memory
  std::vector<std::function<void(const Result<void>&)>> waiting_;
  std::map<std::string, Record> runs_;  // by run_id: live ones, and some that were asked for
  std::map<std::string, std::set<std::pair<std::int64_t, std::string>>> by_workspace_;  // live
  std::int64_t last_order_ = 0;
};

}  // namespace gantry::runs
