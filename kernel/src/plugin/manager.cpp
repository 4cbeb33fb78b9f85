// SPDX-License-Identifier: Apache-2.0
#include "plugin/manager.hpp"

#include <gantry/counted.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "observe/measured.hpp"

namespace gantry::plugin {
namespace {

using observe::LogLevel;

constexpr std::chrono::milliseconds kFirstRetry{1000};
constexpr std::chrono::milliseconds kLongestRetry{600'000};

std::vector<std::string> to_strings(const std::vector<ContractRef>& refs) {
  std::vector<std::string> out;
  out.reserve(refs.size());
  for (const auto& ref : refs) out.push_back(ref.to_string());
  return out;
}

bool available_later(State state) { return state == State::kWaiting || state == State::kLazy; }

}  // namespace

std::string_view state_name(State state) {
  constexpr std::array<std::string_view, 7> kNames{"disabled", "waiting",     "lazy",   "running",
                                                   "failed",   "quarantined", "stopped"};
  return kNames.at(static_cast<std::size_t>(state));
}

PluginManager::PluginManager(kernel::Runtime& runtime, service::Observers observers,
                             service::TaskLoop& loop)
    : runtime_(runtime),
      observers_(observers),
      loop_(loop),
      log_source_(observers_.log.source("kernel")),
      errands_(std::make_shared<service::Errands>(loop)) {}

PluginManager::~PluginManager() {
  *alive_ = false;
  errands_->close();
}

service::HostServices& PluginManager::keep(std::unique_ptr<service::HostServices> services) {
  return *services_.emplace_back(std::move(services));
}

std::chrono::milliseconds PluginManager::setting(std::string_view key) const {
  const config::Value* value = plan_.settings.kernel.find(key);
  return std::chrono::milliseconds(value == nullptr ? 0 : value->as_int());
}

void PluginManager::set_state(Record& record, State state, std::string reason) {
  {
    const std::lock_guard lock(mutex_);
    record.status.state = state;
    record.status.reason = std::move(reason);
  }
  show_health(record);
}

void PluginManager::show_health(const Record& record) {
  const auto& status = record.status;
  const bool failed = status.state == State::kFailed || status.state == State::kQuarantined;
  if (status.state == State::kRunning) {
    observers_.health.set({status.name, "plugin", observe::HealthState::kOk, "", "", 0});
  } else if (failed || (available_later(status.state) && !status.reason.empty())) {
    observers_.health.set({status.name, "plugin",
                           failed ? observe::HealthState::kFailed : observe::HealthState::kDegraded,
                           status.reason, "gantry plugins why " + status.name, 0});
  } else {
    observers_.health.forget(status.name);
  }
}

void PluginManager::update_record(const PlannedPlugin& planned) {
  const std::lock_guard lock(mutex_);
  Record& record = records_[planned.name];
  record.status.name = planned.name;
  record.manifest = planned.manifest;
  if (const auto* settings = plan_.settings.find(planned.name)) {
    record.config_json = config::to_json(settings->config, config::Redact::kNo);
  }
  if (planned.manifest) {
    record.status.version = planned.manifest->version.to_string();
    record.status.summary = planned.manifest->summary;
    record.status.path = planned.manifest->dir.string();
    record.status.provides = to_strings(planned.manifest->provides);
    record.status.requires_contracts = to_strings(planned.manifest->requires_contracts);
  }
  if (record.instance) return;
  const bool opens = planned.enabled && planned.refused.empty();
  record.status.state = opens             ? (record.manifest->lazy ? State::kLazy : State::kWaiting)
                        : planned.enabled ? State::kFailed
                                          : State::kDisabled;
  const bool silent = !planned.enabled && planned.refused.empty();
  record.status.reason = silent ? "not enabled in the configuration" : planned.refused;
  record.failures.clear();
  record.retry_pending = false;
}

void PluginManager::adopt(Plan plan) {
  plan_ = std::move(plan);
  for (const auto& planned : plan_.plugins) update_record(planned);
  const std::lock_guard lock(mutex_);
  installed_.clear();
  for (const auto& manifest : plan_.installed) {
    const bool listed = plan_.find(manifest->name) != nullptr;
    if (!listed) installed_[manifest->name] = to_strings(manifest->provides);
  }
  std::erase_if(records_, [this](const auto& item) {
    return plan_.find(item.first) == nullptr && !item.second.instance;
  });
}

void PluginManager::start(Plan plan) {
  adopt(std::move(plan));
  for (const auto& [name, record] : records_) {
    show_health(record);
    if (record.status.state != State::kFailed) continue;
    observers_.log.write(log_source_, LogLevel::kError, "plugin not opened",
                         {{"name", name}, {"reason", record.status.reason}});
  }
  for (const auto& name : plan_.resolution.order) start_one(name);
}

// Answers whether the plugin runs (or is lazy and ready to).
bool PluginManager::start_one(const std::string& name) {
  Record& record = records_.at(name);
  if (record.instance || stopping_) return record.instance != nullptr;
  if (record.status.state == State::kLazy) return true;
  if (record.status.state != State::kWaiting) return false;
  const std::string missing = missing_provider(record);
  if (!missing.empty()) {
    set_state(record, State::kWaiting, missing);
    observers_.log.write(log_source_, LogLevel::kWarn, "plugin waits",
                         {{"name", name}, {"reason", missing}});
    return false;
  }
  return launch(record);
}

Result<void> PluginManager::wait_for(const char* what,
                                     const std::function<void(Instance::Ended)>& begin) {
  struct Step {
    bool over = false;
    Result<void> result;
  };
  auto step = std::make_shared<Step>();
  begin([errands = errands_, step](Result<void> result) {
    errands->post([step, result = std::move(result)] {
      step->over = true;
      step->result = result;
    });
  });
  const auto timeout = setting("start_timeout");
  const bool over = errands_->run_until(Steady::now() + timeout, [&] { return step->over; });
  return over ? step->result : Result<void>(Instance::late(what, timeout));
}

// Waits for a plugin of the plan; lazy ones may be opened meanwhile.
bool PluginManager::launch(Record& record) {
  record.instance = std::make_unique<Instance>(runtime_, static_cast<ServicesKeeper&>(*this),
                                               observers_, record.manifest, record.config_json);
  Instance& instance = *record.instance;
  launching_ = true;
  auto result = wait_for("init", [&](auto ended) { instance.begin_open(std::move(ended)); });
  const bool opened = result.ok();
  instance.end_step(false, opened);
  if (opened) {
    result = wait_for("start", [&](auto ended) { instance.begin_start(std::move(ended)); });
    instance.end_step(true, result.ok());
  }
  launching_ = false;
  return end_launch(record, result, opened);
}

bool PluginManager::end_launch(Record& record, const Result<void>& result, bool opened) {
  {
    const std::lock_guard lock(mutex_);
    record.status.load_ms = record.instance->load_ms();
    record.status.start_ms = record.instance->start_ms();
    record.status.memory_bytes = record.instance->memory_bytes();
  }
  if (!result.ok()) {
    constexpr std::chrono::milliseconds kCleanUp{500};
    const std::string reason =
        (opened ? "start failed: " : "could not be opened: ") + result.error().message;
    const std::string left = record.instance->stop(Steady::now() + kCleanUp, reason);
    record.instance.reset();
    fail(record, reason + (left.empty() ? "" : " (" + left + ")"), opened);
    return false;
  }
  set_state(record, State::kRunning, "");
  start_order_.push_back(record.status.name);
  observers_.log.write(log_source_, LogLevel::kDebug, "plugin started",
                       {{"name", record.status.name},
                        {"version", record.status.version},
                        {"load_ms", observe::measured(record.status.load_ms)},
                        {"start_ms", observe::measured(record.status.start_ms)}});
  return true;
}

// Answers whether that was one failure too many.
bool PluginManager::note_failure(Record& record) {
  const auto now = Steady::now();
  record.failures.push_back(now);
  while (now - record.failures.front() > setting("quarantine_window")) record.failures.pop_front();
  const config::Value* most = plan_.settings.kernel.find("quarantine_after");
  return most != nullptr && static_cast<std::int64_t>(record.failures.size()) >= most->as_int();
}

void PluginManager::fail(Record& record, const std::string& reason, bool worth_retrying) {
  const std::string& name = record.status.name;
  const bool quarantine = note_failure(record);
  const std::string count = counted(record.failures.size(), "time");
  std::string shown = reason;
  if (quarantine) {
    shown = "failed " + count + ", last: " + reason +
            "; it is not started again until the configuration is reloaded (SIGHUP)";
  }
  // A lazy plugin stays ready to be asked: calls are its only clock.
  const bool lazy = record.manifest->lazy;
  set_state(record, quarantine ? State::kQuarantined : lazy ? State::kLazy : State::kFailed, shown);
  observers_.log.write(log_source_, LogLevel::kError,
                       quarantine ? "plugin put in quarantine" : "plugin failed",
                       {{"name", name}, {"reason", shown}});
  if (quarantine || lazy || !worth_retrying || stopping_) return;
  // Most failures to start pass by themselves (a port that is still taken), others never do: the
  // waits grow and the count ends in quarantine.
  auto wait = kFirstRetry;
  for (std::size_t i = 1; i < record.failures.size() && wait < kLongestRetry; ++i) wait *= 4;
  record.retry_pending = true;
  loop_.post_after(std::min(wait, kLongestRetry), [this, alive = alive_, name] {
    if (*alive) retry(name);
  });
}

void PluginManager::retry(const std::string& name) {
  const auto at = records_.find(name);
  if (at == records_.end() || !at->second.retry_pending || stopping_) return;
  Record& record = at->second;
  record.retry_pending = false;
  if (record.instance || record.status.state != State::kFailed) return;
  {
    const std::lock_guard lock(mutex_);
    record.status.state = State::kWaiting;
    ++record.status.restarts;
  }
  if (start_one(name)) start_waiting();
}

void PluginManager::start_waiting() {
  for (const auto& name : plan_.resolution.order) {
    const auto at = records_.find(name);
    if (at != records_.end() && at->second.status.state == State::kWaiting) start_one(name);
  }
}

void PluginManager::request_open(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    ++open_requests_[name];
  }
  errands_->post([this, alive = alive_, name] {
    if (*alive) open_lazy(name);
  });
}

// While the plan is being started: whether somebody is still to come whom the lazy plugin requires,
// or would use.
bool PluginManager::must_wait(const Record& record) const {
  if (!launching_) return false;
  const auto still_to_come = [&](const ContractRef& wanted) {
    return std::any_of(records_.begin(), records_.end(), [&](const auto& entry) {
      const Record& other = entry.second;
      return other.status.state == State::kWaiting && other.manifest &&
             other.manifest->serves(wanted);
    });
  };
  const auto& needed = record.manifest->requires_contracts;
  const auto& useful = record.manifest->optional_contracts;
  return std::any_of(needed.begin(), needed.end(), still_to_come) ||
         std::any_of(useful.begin(), useful.end(), still_to_come);
}

void PluginManager::open_lazy(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    --open_requests_[name];
  }
  const auto at = records_.find(name);
  if (at == records_.end() || stopping_) return;
  Record& record = at->second;
  if (record.step != 0) {
    // Who asks meanwhile is told the outcome of the next try, should this one fail.
    record.asked_again = true;
    return;
  }
  if (record.status.state != State::kLazy) {
    return tell_opened(name, record.status.state == State::kRunning ? "" : record.status.reason);
  }
  if (must_wait(record)) {
    loop_.post([this, alive = alive_, name] {  // when the thread is free again
      if (*alive) request_open(name);
    });
    return;
  }
  const std::string missing = missing_provider(record);
  if (!missing.empty()) return tell_opened(name, missing);
  record.instance = std::make_unique<Instance>(runtime_, static_cast<ServicesKeeper&>(*this),
                                               observers_, record.manifest, record.config_json);
  begin_step(record, false);
}

void PluginManager::tell_opened(const std::string& name, const std::string& failure) {
  if (opened_hook_) opened_hook_(name, failure);
}

// Begins to open a lazy plugin, or to start one that is open.
void PluginManager::begin_step(Record& record, bool opened) {
  const std::uint64_t step = record.step = ++last_step_;
  const auto end = [this, alive = alive_, name = record.status.name, step,
                    opened](const Result<void>& result) {
    if (*alive) end_step(name, step, opened, result);
  };
  const auto timeout = setting("start_timeout");
  loop_.post_after(
      timeout, [end, opened, timeout] { end(Instance::late(opened ? "start" : "init", timeout)); });
  auto ended = [errands = errands_, end](Result<void> result) {
    errands->post([end, result = std::move(result)] { end(result); });
  };
  opened ? record.instance->begin_start(std::move(ended))
         : record.instance->begin_open(std::move(ended));
}

void PluginManager::end_step(const std::string& name, std::uint64_t step, bool started,
                             const Result<void>& result) {
  const auto at = records_.find(name);
  if (at == records_.end() || at->second.step != step) return;  // given up meanwhile
  Record& record = at->second;
  record.instance->end_step(started, result.ok());
  if (result.ok() && !started) return begin_step(record, true);
  record.step = 0;
  const bool running = end_launch(record, result, started);
  if (std::exchange(record.asked_again, false)) request_open(name);
  bool asked_again = false;
  {
    const std::lock_guard lock(mutex_);
    asked_again = open_requests_[name] > 0;
  }
  if (running || !asked_again) tell_opened(name, running ? "" : record.status.reason);
}

void PluginManager::report_fault(const std::string& name, const std::string& what) {
  loop_.post([this, alive = alive_, name, what] {
    if (*alive) handle_fault(name, what);
  });
}

void PluginManager::handle_fault(const std::string& name, const std::string& what) {
  const auto at = records_.find(name);
  if (at == records_.end() || !at->second.instance || stopping_) return;
  Record& record = at->second;
  observers_.log.write(log_source_, LogLevel::kError, "plugin broke the rules of the boundary",
                       {{"name", name}, {"what", what}});
  if (!note_failure(record)) return;
  const std::string reason =
      "broke the rules of the boundary " + counted(record.failures.size(), "time") +
      ", last: " + what + "; it is not started again until the configuration is reloaded (SIGHUP)";
  take_down_dependents(name, reason);
  stop_one(record, Steady::now() + std::chrono::seconds(1), State::kQuarantined, reason);
}

}  // namespace gantry::plugin
