// SPDX-License-Identifier: Apache-2.0
#include "kernel.hpp"

#include <gantry/counted.hpp>
#include <gantry/uuid.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "bus/bus.hpp"
#include "bus/host_bus.hpp"
#include "config/json_schema.hpp"
#include "config/written.hpp"
#include "exec/clock.hpp"
#include "exec/exec.hpp"
#include "observe/measured.hpp"
#include "service/describe.hpp"
#include "service/host_tables.hpp"
#include "service/kernel_contracts.hpp"

namespace gantry::kernel {
namespace {

using observe::LogLevel;
using std::chrono::milliseconds;

std::int64_t integer(const config::Value& section, std::string_view key) {
  const auto* value = section.find(key);
  return value == nullptr ? 0 : value->as_int();
}

std::string text(const config::Value& section, std::string_view key) {
  const auto* value = section.find(key);
  return value == nullptr ? std::string{} : value->as_text();
}

std::unique_ptr<observe::LogOutput> configured_output(const config::Value& log) {
  const std::string file = text(log, "file");
  if (file.empty()) return observe::make_console_output();
  return observe::make_file_output(file, integer(log, "rotate"),
                                   static_cast<int>(integer(log, "keep")));
}

constexpr std::chrono::seconds kTrimPeriod{10};

RuntimeOptions runtime_options(const config::Value& kernel, Clock& clock) {
  RuntimeOptions options;
  options.workers = static_cast<unsigned>(integer(kernel, "threads"));
  options.max_blocking = static_cast<unsigned>(integer(kernel, "blocking_threads"));
  options.look_ns = integer(kernel, "idle_look_us") * 1'000;
  options.default_timeout_ns = integer(kernel, "call_timeout") * 1'000'000;
  options.recorder_size = static_cast<std::uint32_t>(integer(kernel, "flight_recorder"));
  options.clock = &clock;
  return options;
}

}  // namespace

std::string_view version() { return GANTRY_VERSION; }

observe::LogSettings log_settings(const config::Value& log) {
  observe::LogSettings settings;
  settings.level = observe::parse_level(text(log, "level"));
  settings.format =
      text(log, "format") == "json" ? observe::LogFormat::kJson : observe::LogFormat::kConsole;
  settings.rate_limit = static_cast<unsigned>(integer(log, "rate_limit"));
  if (const auto* levels = log.find("levels")) {
    for (const auto& entry : levels->as_map()) {
      settings.levels[entry.key] = observe::parse_level(entry.value.as_text());
    }
  }
  return settings;
}

Kernel::Kernel(plugin::Plan plan, KernelOptions options)
    : options_(std::move(options)),
      first_plan_(std::move(plan)),
      health_([this] { return options_.clock->wall_ns(); }) {
  if (options_.clock == nullptr) options_.clock = &SystemClock::instance();
  const auto& settings = first_plan_.settings;
  auto output =
      options_.log_output ? std::move(options_.log_output) : configured_output(settings.log);
  log_ = std::make_unique<observe::Logger>(
      log_settings(settings.log), std::move(output), [this] { return options_.clock->wall_ns(); },
      [this](const std::string& reason, std::uint64_t lost) {
        const auto state =
            reason.empty() ? observe::HealthState::kOk : observe::HealthState::kDegraded;
        const std::string lines = counted(lost, "line") + " lost";
        health_.set({"kernel", "log", state, reason.empty() ? lines : reason + "; " + lines,
                     reason.empty() ? "" : "make room on the disk, or set log.file", 0});
      });
  log_source_ = &log_->source("kernel");
  runtime_ = std::make_unique<Runtime>(runtime_options(settings.kernel, *options_.clock));
  const service::Observers observers{*log_, metrics_, health_};
  plugins_ = std::make_unique<plugin::PluginManager>(*runtime_, observers, loop_);
  set_hooks();
  contracts_ = std::make_unique<service::KernelContracts>(*runtime_, observers, facts());
  metrics_.add_collector([](std::string& out) { observe::collect_process(out); });
  metrics_.add_collector([this](std::string& out) { service::collect_bus(*runtime_, out); });
  metrics_.add_collector([this](std::string& out) {
    observe::append_sample(out, "counter",
                           {"gantry_log_lost_total", "Log lines that were lost.", ""},
                           static_cast<double>(log_->lost()));
  });
}

service::KernelFacts Kernel::facts() {
  service::KernelFacts facts;
  facts.plugins = [this] { return plugins_->list(); };
  facts.config = [this] { return effective_config(); };
  facts.uptime_s = [this] { return uptime_s(); };
  facts.version = version();
  facts.request_stop = [this] { request_stop(); };
  facts.on_loop = [this](std::function<void()> work) { loop_.post(std::move(work)); };
  facts.settings = [this] { return written_settings(); };
  facts.describe_config = [this] { return describe_config(); };
  facts.write_settings = [this](const SettingsWriteRequest& request, const std::string& sender) {
    return write_settings(request, sender);
  };
  return facts;
}

Kernel::~Kernel() {
  if (!stopped_) stop();
  loop_.close();
  // The runtime first: it ends the threads that still use everything else.
  runtime_.reset();
}

void Kernel::set_hooks() {
  BusHooks hooks;
  hooks.missing_provider = [this](std::string_view contract) {
    MissingProvider missing;
    missing.plugins = plugins_->known_providers(contract);
    missing.advice = plugins_->advice_for(contract);
    missing.down = plugins_->has_down(contract);
    return missing;
  };
  hooks.open_lazy = [this](std::string_view contract, std::string_view target) {
    const std::string name = plugins_->lazy_provider(contract, target);
    if (name.empty()) return false;
    plugins_->request_open(name);
    return true;
  };
  hooks.warn = [this](gantry_host& host, std::string_view message) {
    log_->write(log_->source(host.name), LogLevel::kWarn, message);
  };
  runtime_->bus().set_hooks(std::move(hooks));
  runtime_->exec().set_fault_hook(
      [this](gantry_host& host, std::string_view where, std::string_view what) {
        host.on_bus->faults.fetch_add(1, std::memory_order_relaxed);
        plugins_->report_fault(host.name, std::string(where) + ": " + std::string(what));
      });
  plugins_->set_opened_hook([this](const std::string& name, const std::string& failure) {
    const std::string reason = failure.empty() ? std::string{} : name + ": " + failure;
    for (const auto& contract : plugins_->contracts_of(name)) {
      runtime_->bus().lazy_ended(contract, reason);
    }
  });
}

void Kernel::apply_kernel_settings(const config::Settings& settings) {
  log_->apply(log_settings(settings.log));
  if (const auto* preferred = settings.kernel.find("prefer")) {
    for (const auto& entry : preferred->as_map()) {
      runtime_->bus().prefer(entry.key, entry.value.as_text());
    }
  }
}

void Kernel::remember_config(const plugin::Plan& plan) {
  const auto tree = config::effective_tree(plan.settings);
  auto json = config::to_json(tree, config::Redact::kSecrets);
  auto whole = config::to_json(tree, config::Redact::kNo);
  ++revision_;
  const std::lock_guard lock(config_mutex_);
  config_json_ = std::move(json);
  if (whole != whole_config_ || config_tag_.empty()) config_tag_ = random_uuid();
  whole_config_ = std::move(whole);
}

/// Something was written that is not in force yet.
void Kernel::renew_tag() {
  ++revision_;
  const std::lock_guard lock(config_mutex_);
  config_tag_ = random_uuid();
}

EffectiveConfig Kernel::effective_config() const {
  const std::lock_guard lock(config_mutex_);
  return {Json(config_json_), config_tag_};
}

ConfigDescription Kernel::describe_config() const {
  std::vector<config::ReferenceSection> sections;
  for (const auto& planned : plugins_->plan().plugins) {
    if (!planned.enabled || !planned.manifest) continue;
    sections.push_back({planned.name, planned.manifest->summary, &planned.manifest->config});
  }
  return {Json(config::schema_json(sections)), Json(config::defaults_json(sections)),
          std::string(version())};
}

std::string Kernel::config_json() const {
  const std::lock_guard lock(config_mutex_);
  return config_json_;
}

double Kernel::uptime_s() const {
  return std::chrono::duration<double>(Steady::now() - begin_).count();
}

Host& Kernel::host() { return contracts_->host(); }

void Kernel::start() {
  remember_config(first_plan_);
  apply_kernel_settings(first_plan_.settings);
  const auto served = contracts_->serve();
  if (!served.ok()) {
    log_->write(*log_source_, LogLevel::kError, "the kernel's own contracts cannot be served",
                {{"reason", served.error().message}});
  }
  plugins_->start(std::move(first_plan_));
  host().blocking(service::keep_pages_small);
  trim_timer_ = host().every(kTrimPeriod, [this] {
    host().blocking([this] {
      service::keep_pages_small();
      trimmer_.run();
      program_pages_.run();
    });
  });
  health_.set_ready(true);
  const std::vector<plugin::PluginStatus> plugins = plugins_->list();
  const auto in_state = [&](plugin::State state) {
    return std::to_string(std::count_if(plugins.begin(), plugins.end(),
                                        [&](const auto& one) { return one.state == state; }));
  };
  log_->write(*log_source_, LogLevel::kInfo, "ready",
              {{"version", version()},
               {"plugins", in_state(plugin::State::kRunning)},
               {"lazy", in_state(plugin::State::kLazy)},
               {"after_ms", observe::measured(uptime_s() * 1e3)},
               {"memory_bytes", std::to_string(observe::resident_bytes())}});
}

void Kernel::run() {
  loop_.run([this] {
    if (stop_requested_.load()) loop_.stop();
    if (reload_requested_.exchange(false)) reload_and_log();
  });
}

milliseconds Kernel::stop_timeout() const {
  return milliseconds(
      std::max<std::int64_t>(integer(plugins_->plan().settings.kernel, "stop_timeout"), 50));
}

bool Kernel::stop() {
  if (std::exchange(stopped_, true)) return true;
  trim_timer_.cancel();
  health_.set_ready(false);
  health_.set_live(false);
  const auto left = plugins_->stop(Steady::now() + stop_timeout());
  log_->write(*log_source_, left.empty() ? LogLevel::kInfo : LogLevel::kWarn, "stopped",
              {{"left_behind", config::join(left)}, {"uptime_s", observe::measured(uptime_s())}});
  log_->close(milliseconds(500));
  return left.empty();
}

void Kernel::request_stop() {
  stop_requested_.store(true);
  loop_.wake();
}

void Kernel::request_reload() {
  reload_requested_.store(true);
  loop_.wake();
}

Result<plugin::Reloaded> Kernel::reload() {
  if (!options_.make_plan) return failed_precondition("this kernel has no configuration to reload");
  config::Diagnostics diagnostics;
  auto plan = options_.make_plan(diagnostics);
  if (!plan) {
    return invalid_argument("the new configuration is wrong, nothing was changed:\n" +
                            diagnostics.to_string());
  }
  waiting_.clear();
  return change_to(std::move(*plan));
}

Result<SettingsReport> Kernel::written_settings() const {
  if (!options_.try_plan) return failed_precondition("this kernel keeps no written settings");
  const auto& plan = plugins_->plan();
  GANTRY_ASSIGN(config::Value written, service::read_settings(plan));
  return SettingsReport{plan.layers.written_file.string(),
                        Json(service::settings_json(std::move(written), plan)), revision_,
                        waiting_};
}

Result<SettingsWritten> Kernel::write_settings(const SettingsWriteRequest& request,
                                               const std::string& sender) {
  if (!options_.try_plan) return failed_precondition("this kernel keeps no written settings");
  if (request.revision && *request.revision != revision_) {
    return Error{Code::Aborted, "another configuration is in force by now; read it again", {}};
  }
  GANTRY_ASSIGN(const auto draft,
                service::draft_settings(request, plugins_->plan(), options_.try_plan));
  GANTRY_TRY(config::save_written(plugins_->plan().layers.written_file, draft.written));
  SettingsWritten out;
  for (const auto& change : draft.changes) {
    const bool live = change.reload == config::Reload::kLive;
    out.changes.push_back({service::full_key(change),
                           Json(config::to_json(change.before, config::Redact::kSecrets)),
                           Json(config::to_json(change.after, config::Redact::kSecrets)), live});
    log_->write(*log_source_, LogLevel::kInfo, "setting written",
                {{"change", change.to_string()}, {"by", request.by}, {"asked_by", sender}});
  }
  if (!draft.changes.empty()) renew_tag();
  auto next = plugins_->plan();
  if (service::take_live(next, draft.changes)) (void)change_to(std::move(next));
  waiting_.clear();
  for (const auto& change : service::differences(plugins_->plan().settings, draft.next)) {
    waiting_.push_back(service::full_key(change));
  }
  GANTRY_ASSIGN(out.now, written_settings());
  return out;
}

plugin::Reloaded Kernel::change_to(plugin::Plan plan) {
  std::vector<config::Change> changes;
  for (const auto* section : {"kernel", "log"}) {
    const auto& before = plugins_->plan().settings;
    const bool is_kernel = std::string_view(section) == "kernel";
    const config::Schema schema{config::builtin_schema().find(section)->keys};
    auto found = config::diff(section, schema, is_kernel ? before.kernel : before.log,
                              is_kernel ? plan.settings.kernel : plan.settings.log);
    std::move(found.begin(), found.end(), std::back_inserter(changes));
  }
  // A contract that is no longer in the map loses its preference.
  if (const auto* before = plugins_->plan().settings.kernel.find("prefer")) {
    for (const auto& entry : before->as_map()) runtime_->bus().prefer(entry.key, "");
  }
  apply_kernel_settings(plan.settings);
  remember_config(plan);
  auto done = plugins_->reload(std::move(plan));
  done.changes.insert(done.changes.begin(), std::make_move_iterator(changes.begin()),
                      std::make_move_iterator(changes.end()));
  return done;
}

void Kernel::reload_and_log() {
  const auto result = reload();
  if (!result.ok()) {
    log_->write(*log_source_, LogLevel::kError, "configuration not reloaded",
                {{"reason", result.error().message}});
    return;
  }
  for (const auto& change : result->changes) {
    const bool own = change.section == "kernel" || change.section == "log";
    const bool waits = own && change.reload == config::Reload::kRestart;
    log_->write(*log_source_, waits ? LogLevel::kWarn : LogLevel::kInfo,
                waits ? "changed key takes effect when the daemon is restarted" : "changed key",
                {{"change", change.to_string()}});
  }
  log_->write(*log_source_, LogLevel::kInfo, "configuration reloaded",
              {{"changes", std::to_string(result->changes.size())},
               {"started", std::to_string(result->started)},
               {"stopped", std::to_string(result->stopped)}});
}

}  // namespace gantry::kernel
