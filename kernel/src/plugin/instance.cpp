// SPDX-License-Identifier: Apache-2.0
#include "plugin/instance.hpp"

#include <gantry/abi/exec.h>
#include <gantry/contract.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "observe/metrics.hpp"
#include "plugin/library.hpp"

namespace gantry::plugin {
namespace {

using Steady = std::chrono::steady_clock;

double milliseconds_since(Steady::time_point begin) {
  return std::chrono::duration<double, std::milli>(Steady::now() - begin).count();
}

std::int64_t to_ns(Steady::time_point at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

// One piece of life-cycle work: the loop thread waits for it, but not for ever.
struct Waiter {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  Result<void> result;

  void finish(Result<void> value) {
    {
      const std::lock_guard lock(mutex);
      done = true;
      result = std::move(value);
    }
    changed.notify_all();
  }
  bool wait_until(Steady::time_point deadline) {
    std::unique_lock lock(mutex);
    return changed.wait_until(lock, deadline, [this] { return done; });
  }
};

Result<void> outcome(gantry_status status, const gantry_error& raw) {
  Error error = adopt_error(raw);
  if (status == GANTRY_OK) return {};
  error.code = static_cast<Code>(status);
  if (error.message.empty()) {
    error.message = "it answered " + std::string(code_name(error.code)) + " without a reason";
  }
  return error;
}

}  // namespace

struct Instance::Object {
  gantry_plugin plugin{};
  bool created = false;
};

Instance::Instance(kernel::Runtime& runtime, ServicesKeeper& keeper, service::Observers observers,
                   std::shared_ptr<const Manifest> manifest, std::string config_json)
    : runtime_(runtime),
      manifest_(std::move(manifest)),
      services_(keeper.keep(std::make_unique<service::HostServices>(observers, manifest_->name,
                                                                    std::move(config_json)))),
      object_(std::make_shared<Object>()) {}

Instance::~Instance() = default;

Result<void> Instance::create() {
  GANTRY_ASSIGN(const auto* entry, open_library(manifest_->shared_object()));
  GANTRY_TRY(check_entry(*entry, *manifest_));
  kernel::HostOptions options;
  options.name = manifest_->name;
  options.strands = manifest_->strands;
  options.dedicated = manifest_->dedicated;
  options.held = true;
  host_ = &runtime_.create_host(options);
  services_.attach(*host_);
  object_->plugin.size = sizeof(gantry_plugin);  // the room the plugin has
  gantry_error raw{};
  gantry_status status = GANTRY_INTERNAL;
  try {
    status = entry->create(&host_->api, &object_->plugin, &raw);
  } catch (...) {
    return internal_error("it threw an exception out of create, which no plugin may do");
  }
  GANTRY_TRY(outcome(status, raw));
  const auto& plugin = object_->plugin;
  // Not sizeof: a plugin of an older minor version fills less of a struct that has grown since.
  const bool complete = GANTRY_HAS(&plugin, get_interface) && plugin.init != nullptr &&
                        plugin.start != nullptr && plugin.stop != nullptr &&
                        plugin.destroy != nullptr;
  if (!complete) return failed_precondition("its create filled in an incomplete gantry_plugin");
  object_->created = true;
  return {};
}

void Instance::begin(const char* what, Work work, Ended ended) {
  runtime_.run_on_strand(*host_, [ended = std::move(ended), object = object_, what,
                                  work = std::move(work)] {
    gantry_error raw{};
    try {
      const gantry_status status = work(object->plugin, &raw);
      ended(outcome(status, raw));
    } catch (const std::exception& error) {
      ended(internal_error(std::string("it threw out of ") + what +
                           ", which no plugin may do: " + error.what()));
    } catch (...) {
      ended(internal_error(std::string("it threw out of ") + what + ", which no plugin may do"));
    }
  });
}

Error Instance::late(const char* what, Milliseconds timeout) {
  return {Code::DeadlineExceeded,
          std::string(what) + " did not return within " + std::to_string(timeout.count()) +
              " ms (kernel.start_timeout)",
          {}};
}

void Instance::begin_open(Ended ended) {
  step_began_ = Steady::now();
  step_memory_ = observe::resident_bytes();
  auto created = create();
  if (!created.ok()) return ended(std::move(created));
  begin(
      "init",
      [](gantry_plugin& plugin, gantry_error* error) { return plugin.init(plugin.self, error); },
      std::move(ended));
}

void Instance::begin_start(Ended ended) {
  step_began_ = Steady::now();
  step_memory_ = observe::resident_bytes();
  start_tried_ = true;
  begin(
      "start",
      [](gantry_plugin& plugin, gantry_error* error) { return plugin.start(plugin.self, error); },
      std::move(ended));
}

void Instance::end_step(bool started, bool ok) {
  (started ? start_ms_ : load_ms_) = milliseconds_since(step_began_);
  memory_bytes_ += observe::resident_bytes() - step_memory_;
  if (started && ok) runtime_.release(*host_);
}

Result<void> Instance::reconfigure(std::string config_json, Milliseconds timeout) {
  services_.set_config_json(std::move(config_json));
  auto waiter = std::make_shared<Waiter>();
  begin(
      "reconfigure",
      [](gantry_plugin& plugin, gantry_error* error) {
        if (plugin.reconfigure == nullptr) return gantry_status{GANTRY_OK};
        return plugin.reconfigure(plugin.self, error);
      },
      [waiter](Result<void> result) { waiter->finish(std::move(result)); });
  if (!waiter->wait_until(Steady::now() + timeout)) return late("reconfigure", timeout);
  return waiter->result;
}

std::string Instance::stop(Steady::time_point deadline, std::string why) {
  if (host_ == nullptr) return {};
  host_->why_closed = std::move(why);
  std::string left;
  if (object_->created && start_tried_) {
    const auto* exec = static_cast<const gantry_host_exec*>(
        kernel::Runtime::get_interface(host_, GANTRY_HOST_EXEC_1));
    // The plugin's deadline is on the host's clock, which a test may move by hand.
    const std::int64_t limit = exec->monotonic_ns(host_) + to_ns(deadline) - to_ns(Steady::now());
    auto waiter = std::make_shared<Waiter>();
    runtime_.run_on_strand(*host_, [waiter, object = object_, limit] {
      try {
        object->plugin.stop(object->plugin.self, limit);
        waiter->finish({});
      } catch (...) {
        waiter->finish(internal_error("it threw out of stop, which no plugin may do"));
      }
    });
    if (!waiter->wait_until(deadline))
      left = "stop did not return before its deadline";
    else if (!waiter->result.ok())
      left = waiter->result.error().message;
  }
  // A plugin that used up its time still gets a moment for what is queued to be dropped.
  constexpr auto kGrace = std::chrono::milliseconds(50);
  const auto close_by = std::max(deadline, Steady::now() + kGrace);
  const auto report = runtime_.close(*host_, to_ns(close_by));
  if (!report.clean && left.empty()) left = "still running: " + report.stuck;
  host_ = nullptr;
  if (!report.clean || !object_->created) return left;
  try {
    object_->plugin.destroy(object_->plugin.self);
  } catch (...) {
    left = "it threw out of destroy, which no plugin may do";
  }
  object_->created = false;
  return left;
}

}  // namespace gantry::plugin
