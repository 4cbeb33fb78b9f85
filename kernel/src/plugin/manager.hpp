// SPDX-License-Identifier: Apache-2.0
// Carries a plan out: starts plugins in order, opens lazy ones at their first call, takes
// dependents down with a failed provider, tries again, puts repeat offenders in quarantine, and
// stops everything in reverse. The plugins of the plan start one after the other; lazy ones open
// beside them and beside each other, each step an errand of the loop thread, so that one that hangs
// holds up nobody.
//
// Thread rules: list(), the questions about contracts, request_open() and report_fault() from any
// thread; everything else on the loop thread.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/layers.hpp"
#include "plugin/instance.hpp"
#include "plugin/plan.hpp"
#include "service/errands.hpp"
#include "service/task_loop.hpp"

namespace gantry::plugin {

enum class State { kDisabled, kWaiting, kLazy, kRunning, kFailed, kQuarantined, kStopped };

std::string_view state_name(State state);

struct PluginStatus {
  std::string name;
  std::string version;
  State state = State::kDisabled;
  std::string reason;
  std::string summary;
  std::string path;
  std::vector<std::string> provides;
  std::vector<std::string> requires_contracts;
  double load_ms = 0;
  double start_ms = 0;
  std::int64_t memory_bytes = 0;
  int restarts = 0;
};

/// Told when a lazy plugin was opened ("" ) or could not be (the reason).
using OpenedHook = std::function<void(const std::string& plugin, const std::string& failure)>;

/// What a reload did.
struct Reloaded {
  std::vector<config::Change> changes;
  std::size_t started = 0;  ///< plugins that run now and did not, or do so anew
  std::size_t stopped = 0;  ///< plugins that no longer run, or do so anew
};

class PluginManager final : private ServicesKeeper {
 public:
  PluginManager(kernel::Runtime& runtime, service::Observers observers, service::TaskLoop& loop);
  ~PluginManager() override;

  void set_opened_hook(OpenedHook hook) { opened_hook_ = std::move(hook); }

  /// Opens and starts everything of the plan that is not lazy. What fails is in list().
  void start(Plan plan);
  /// From the plan in force to `plan`: stops, restarts and reconfigures only what changed, and
  /// answers what it did. Keys of `kernel` and `log` are the caller's to apply.
  Reloaded reload(Plan plan);
  /// Stops all in reverse order before the deadline. Answers the names of what was left behind.
  std::vector<std::string> stop(std::chrono::steady_clock::time_point deadline);

  /// The lazy, not yet opened plugin that serves the contract; "" when there is none.
  /// With a `target` only that plugin counts.
  std::string lazy_provider(std::string_view contract, std::string_view target = {}) const;
  /// Plugins that are installed, would serve the contract, and do not run.
  std::vector<std::string> known_providers(std::string_view contract) const;
  /// Whether an enabled plugin that serves it does not run.
  bool has_down(std::string_view contract) const;
  /// Why none of them runs and what to do, as one sentence; when nobody could serve it, the
  /// contract that was perhaps meant, or "".
  std::string advice_for(std::string_view contract) const;
  std::vector<std::string> contracts_of(const std::string& name) const;
  /// Opens a lazy plugin soon; the opened hook follows.
  void request_open(const std::string& name);
  /// An exception left the plugin's code, or it broke the rules of the boundary.
  void report_fault(const std::string& name, const std::string& what);

  std::vector<PluginStatus> list() const;
  const Plan& plan() const { return plan_; }

 private:
  using Steady = std::chrono::steady_clock;
  struct Record {
    PluginStatus status;
    std::shared_ptr<const Manifest> manifest;
    std::string config_json;
    std::unique_ptr<Instance> instance;
    std::deque<Steady::time_point> failures;
    bool retry_pending = false;
    std::uint64_t step = 0;    ///< of a lazy plugin that is being opened; 0: it is not
    bool asked_again = false;  ///< meanwhile, so that its failure is worth another try
  };
  struct Decision;  // what a reload does

  service::HostServices& keep(std::unique_ptr<service::HostServices> services) override;

  void adopt(Plan plan);
  void update_record(const PlannedPlugin& planned);
  bool start_one(const std::string& name);
  bool launch(Record& record);
  bool end_launch(Record& record, const Result<void>& result, bool opened);
  Result<void> wait_for(const char* what, const std::function<void(Instance::Ended)>& begin);
  void begin_step(Record& record, bool opened);
  void end_step(const std::string& name, std::uint64_t step, bool started,
                const Result<void>& result);
  void tell_opened(const std::string& name, const std::string& failure);
  bool must_wait(const Record& record) const;
  void fail(Record& record, const std::string& reason, bool worth_retrying);
  void stop_one(Record& record, Steady::time_point deadline, State state, std::string reason);
  void retry(const std::string& name);
  void start_waiting();
  void take_down_dependents(const std::string& name, const std::string& reason);
  void open_lazy(const std::string& name);
  void handle_fault(const std::string& name, const std::string& what);
  bool note_failure(Record& record);
  std::string missing_provider(const Record& record) const;
  bool available(State state) const { return state == State::kRunning || state == State::kLazy; }
  void set_state(Record& record, State state, std::string reason);
  void show_health(const Record& record);
  std::vector<const Manifest*> running_manifests() const;
  Decision decide(const Plan& next) const;
  void note_changes(const std::string& name, const PlannedPlugin* planned, const Plan& next,
                    std::vector<config::Change>& changes) const;
  void apply_live(const Decision& decision);
  std::chrono::milliseconds setting(std::string_view key) const;

  kernel::Runtime& runtime_;
  service::Observers observers_;
  service::TaskLoop& loop_;
  observe::LogSource& log_source_;
  const std::shared_ptr<service::Errands> errands_;
  OpenedHook opened_hook_;
  Plan plan_;
  std::map<std::string, Record> records_;
  std::map<std::string, std::vector<std::string>>
      installed_;                         // not listed plugins: what they serve
  std::vector<std::string> start_order_;  // of what runs, for stopping in reverse
  std::deque<std::unique_ptr<service::HostServices>> services_;
  std::uint64_t last_step_ = 0;
  bool launching_ = false;  // a plugin of the plan is being started
  bool stopping_ = false;
  std::map<std::string, int> open_requests_;  // posted, not yet carried out
  mutable std::mutex mutex_;  // guards statuses, the set of records, installed_, open_requests_
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for tasks that come too late
};

}  // namespace gantry::plugin
