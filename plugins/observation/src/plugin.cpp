// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include <memory>

#include "bus_desktop.hpp"
#include "bus_gate.hpp"
#include "observer.hpp"
#include "tool_schema.hpp"
#include "trace_html.hpp"
#include "trace_reading.hpp"

namespace gantry::observation {
namespace {

constexpr const char* kVersion = "0.1.0";

/// The life of a call that came over the bus.
class CallLife final : public Life {
 public:
  explicit CallLife(Host& host)
      : host_(host), context_(std::make_shared<const Context>(host.context())) {}

  [[nodiscard]] bool given_up() const override { return context_->cancelled(); }
  [[nodiscard]] std::int64_t deadline_ns() const override { return context_->deadline().at_ns; }
  void resume(std::coroutine_handle<> waiting) const override {
    const std::shared_ptr<const Context> kept = context_;  // this object may end meanwhile
    const ContextScope scope = host_.enter(*kept);
    waiting.resume();
  }

 private:
  Host& host_;
  std::shared_ptr<const Context> context_;
};

class ObservationPlugin final : public Plugin {
 public:
  explicit ObservationPlugin(Host& host) : Plugin(host), desktop_(host), gate_(host) {}

  Result<void> init() override {
    GANTRY_ASSIGN(const Settings settings, read_settings(host().config_json()));
    observer_ = std::make_unique<Observer>(desktop_, settings, kVersion, gate_);
    gate_.attach(observer_->engine());
    GANTRY_TRY(host().bus().serve<ObserverTool>(
        [this](const Ref<ObserverToolRequest>& request, const CallInfo&,
               Reply<ObserverTool> reply) { run(request, std::move(reply)); }));
    GANTRY_TRY(host().bus().serve<ObserverTools>(
        [](const Nothing&) -> Result<ObserverToolNames> { return described_tools(); }));
    GANTRY_TRY(host().bus().serve<ObserverStatus>(
        [this](const Nothing&) -> Result<ObserverStatusReport> { return observer_->status(); }));
    GANTRY_TRY(host().bus().serve<TraceExport>(
        [this](const Ref<TraceExportRequest>& request, const CallInfo&, Reply<TraceExport> reply) {
          host().blocking([folder = request->folder, reply = std::move(reply)]() mutable {
            reply(export_trace(folder));
          });
        }));
    GANTRY_TRY(
        host().bus().serve<RecordingList>([this](const Ref<RecordingListRequest>& request,
                                                 const CallInfo&, Reply<RecordingList> reply) {
          answer(list_recordings(observer_->engine(), *request), std::move(reply));
        }));
    GANTRY_TRY(
        host().bus().serve<RecordingRead>([this](const Ref<RecordingReadRequest>& request,
                                                 const CallInfo&, Reply<RecordingRead> reply) {
          answer(read_recording(observer_->engine(), *request), std::move(reply));
        }));
    GANTRY_ASSIGN(rules_changes_, host().bus().subscribe<GuardRulesChanged>(
                                      [this](const GuardRules& rules) { gate_.take_rules(rules); },
                                      {1, GANTRY_OVERFLOW_DROP_OLDEST, 0}));
    GANTRY_ASSIGN(tree_changes_, host().bus().subscribe<A11yChanged>(
                                     [this](const A11yChangedEvent& event) {
                                       Engine& engine = observer_->engine();
                                       engine.trees.forget_process(event.pid);
                                       engine.pulse.tree_changed(event.pid);
                                     },
                                     {256, GANTRY_OVERFLOW_DROP_OLDEST, 0}));
    GANTRY_ASSIGN(window_changes_, host().bus().subscribe<WindowChanged>(
                                       [this](const WindowChangedEvent&) {
                                         observer_->engine().pulse.windows_changed();
                                       },
                                       {256, GANTRY_OVERFLOW_DROP_OLDEST, 0}));
    return {};
  }

  Result<void> start() override {
    // Learns which adapter answers, for health checks; its absence is no reason not to start.
    spawn(
        running_, observer_->engine().directory.list(),
        [this](const Outcome<WindowsNow>&) { announce(); }, [](const std::exception_ptr&) {});
    return {};
  }

  void stop(Deadline) override {
    // No timer runs after this: what waits for one would stay where it is.
    observer_->end();
  }

  Result<void> reconfigure() override {
    GANTRY_ASSIGN(const Settings settings, read_settings(host().config_json()));
    observer_->reconfigure(settings);
    return {};
  }

 private:
  void run(const Ref<ObserverToolRequest>& request, Reply<ObserverTool> reply) {
    auto answer = std::make_shared<Reply<ObserverTool>>(std::move(reply));
    const auto life = std::make_shared<const CallLife>(host());
    answer->on_cancel([this, waiting = std::weak_ptr<const CallLife>(life)] {
      if (const auto kept = waiting.lock()) observer_->give_up(*kept);
    });
    spawn(
        running_, observer_->run(request, life),
        [this, answer](ObserverToolResult result) {
          // Before the answer: whoever asks for health next is told of this tool.
          announce();
          (*answer)(std::move(result));
        },
        [answer](const std::exception_ptr&) {
          answer->fail(Error{Code::ResourceExhausted, "the tool ran out of memory", {}});
        });
  }

  template <class C>
  void answer(Task<Result<typename C::Response>> task, Reply<C> reply) {
    auto shared = std::make_shared<Reply<C>>(std::move(reply));
    spawn(
        running_, std::move(task),
        [shared](Result<typename C::Response> result) { (*shared)(std::move(result)); },
        [shared](const std::exception_ptr&) {
          shared->fail(Error{Code::ResourceExhausted, "reading recordings ran out of memory", {}});
        });
  }

  void announce() { host().bus().publish<ObserverStatusChanged>(observer_->status()); }

  BusDesktop desktop_;
  BusGate gate_;
  std::unique_ptr<Observer> observer_;
  Subscription rules_changes_;
  Subscription tree_changes_;
  Subscription window_changes_;
  RunningTasks running_;  ///< Last: what it still holds at the end refers to everything above.
};

}  // namespace
}  // namespace gantry::observation

GANTRY_PLUGIN(gantry::observation::ObservationPlugin, "observation", "0.1.0")
