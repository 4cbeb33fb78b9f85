// SPDX-License-Identifier: Apache-2.0
//
// All jobs, in memory, and what happens to them written to the store. Strand only; completions run
// on it.
//
// A change is made in memory at once, so that whatever comes next builds on it. When the store has
// refused one, the memory is read anew from the store.
#pragma once

#include <gantry/contracts/store.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "record.hpp"

namespace gantry::scheduler {

class Jobs {
 public:
  using Then = std::function<void(const Result<void>&)>;

  explicit Jobs(Host& host) : host_(host) {}

  /// Runs once after each time that the jobs were read, before whoever waits for them.
  void on_loaded(std::function<void()> handler) { on_loaded_ = std::move(handler); }
  /// Runs `work` once the jobs are in memory, or with the reason why they are not.
  void when_loaded(Then work);
  [[nodiscard]] bool loaded() const { return loaded_; }

  /// A job by id, or by the slug that it has among the jobs of its principal. An empty principal
  /// is anyone. Valid until the next change of the set.
  [[nodiscard]] Record* find(const std::string& job, const std::string& principal);
  [[nodiscard]] Record* by_id(const std::string& id);
  [[nodiscard]] std::map<std::string, Record>& all() { return jobs_; }
  [[nodiscard]] std::int64_t count(const std::string& principal) const;
  /// A slug that no other job of the principal has: the wanted one, or with a number behind it.
  [[nodiscard]] std::string free_slug(const std::string& principal, const std::string& wanted,
                                      const std::string& id) const;

  Record& insert(Record record);
  void erase(const std::string& id) { jobs_.erase(id); }

  /// Puts a job, or its removal with all its runs, or one of its runs into a change.
  static void put(StoreWriteRequest& change, const Record& record);
  static void remove(StoreWriteRequest& change, const Record& record);
  static void put_run(StoreWriteRequest& change, const ScheduledRun& run, std::int64_t number);
  /// Removes the oldest runs of a job that are more than `most`.
  static void trim(StoreWriteRequest& change, Record& record, std::int32_t most);
  /// Writes it, safe from a loss of power. An error means that nothing of it has happened.
  void write(StoreWriteRequest change, Then then);

 private:
  void load(const std::string& after);
  void loaded(const Result<void>& result);
  void forget();

  Host& host_;
  std::function<void()> on_loaded_;
  bool loaded_ = false;
  bool loading_ = false;
  std::uint64_t generation_ = 0;  // of what is in memory
  std::vector<Then> waiting_;
  std::map<std::string, Record> jobs_;  // by id
  std::int64_t last_order_ = 0;
};

}  // namespace gantry::scheduler
