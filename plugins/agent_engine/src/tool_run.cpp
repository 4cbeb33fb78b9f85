// SPDX-License-Identifier: Apache-2.0
#include "tool_run.hpp"

#include <gantry/contracts/observe.hpp>

#include <chrono>
#include <utility>

#include "observer_answer.hpp"
#include "tool_registry.hpp"

namespace gantry::agent {
namespace {

constexpr auto kMostTime = std::chrono::hours(24);  // the turn has a limit of its own

/// A tool of a plugin, over a stream.
class BusRun final : public ToolRunning {
 public:
  struct State {
    ToolRunEvents events;
    Stream<AskAnswer> answers;
    bool over = false;
  };

  BusRun(Host& host, const std::string& plugin, ToolCallRequest request, ToolRunEvents events) {
    state_->events = std::move(events);
    StreamHandlers<ToolUpdate> handlers;
    handlers.on_chunk = [state = state_](const Ref<ToolUpdate>& update) { take(state, *update); };
    handlers.on_end = [state = state_, plugin](const Error& error) {
      end(state, error.code == Code::Ok
                     ? internal_error("the plugin " + plugin + " ended without a result")
                     : error);
    };
    StreamOptions options;
    options.target = plugin;
    auto stream = host.bus().open_stream<ToolRun>(std::move(request), std::move(handlers), options);
    if (stream.ok()) {
      state_->answers = std::move(*stream);
    } else {
      host.post([state = state_, error = stream.error()] { end(state, error); });
    }
  }
  BusRun(const BusRun&) = delete;
  BusRun& operator=(const BusRun&) = delete;
  ~BusRun() override { BusRun::cancel(); }

  void cancel() override {
    state_->over = true;
    state_->events = {};
    // The stream's handlers share the state: it goes when they do.
    std::exchange(state_->answers, {}).close(Error{Code::Cancelled, "the turn gave it up", {}});
  }

 private:
  static void end(const std::shared_ptr<State>& state, Result<gantry::ToolResult> result) {
    if (std::exchange(state->over, true)) return;
    const auto tell = std::exchange(state->events, {}).end;
    tell(std::move(result));
  }

  static void take(const std::shared_ptr<State>& state, const ToolUpdate& update) {
    if (state->over) return;
    if (update.progress) state->events.progress(*update.progress);
    for (const Ask& ask : update.asks) {
      if (state->over) return;
      state->events.ask(ask, [weak = std::weak_ptr<State>(state)](AskAnswer answer) {
        const auto alive = weak.lock();
        // Questions are few and a stream has room for sixteen chunks.
        if (alive && !alive->over) (void)alive->answers.send(std::move(answer));
      });
    }
    if (update.result) end(state, *update.result);
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// A tool of the observer, over calls. Where the guard wants a confirmation the user is asked, and
/// the guard's token, which is bound to this act, says that it was given.
class ObserverRun final : public ToolRunning, public std::enable_shared_from_this<ObserverRun> {
 public:
  ObserverRun(Host& host, ToolCallRequest request, ToolRunEvents events)
      : host_(host), request_(std::move(request)), events_(std::move(events)) {}
  ~ObserverRun() override { handle_.cancel(); }
  ObserverRun(const ObserverRun&) = delete;
  ObserverRun& operator=(const ObserverRun&) = delete;

  void begin() {
    call(request_.name, request_.arguments,
         [](ObserverRun& self, const ObserverToolResult& result) {
           if (result.error_code != "ConfirmationRequired") return self.finish(result);
           self.refusal_ = result;
           self.events_.consent([weak = self.weak_from_this()](bool given) {
             const auto alive = weak.lock();
             if (!alive || !alive->events_.end) return;
             if (!given) return alive->finish(alive->refusal_);
             alive->confirm();
           });
         });
  }

  void cancel() override {
    events_ = {};
    handle_.cancel();
  }

 private:
  using Then = void (*)(ObserverRun&, const ObserverToolResult&);

  void call(const std::string& tool, const Json& arguments, Then then) {
    ObserverToolRequest request;
    request.tool = tool;
    request.arguments = arguments;
    request.caller = request_.caller;
    CallOptions options;
    options.timeout = kMostTime;
    handle_ = host_.bus().call<ObserverTool>(
        std::move(request),
        [weak = weak_from_this(), then](const Result<Ref<ObserverToolResult>>& result) {
          const auto self = weak.lock();
          if (!self || !self->events_.end) return;
          if (result.ok()) return then(*self, **result);
          std::exchange(self->events_, {}).end(result.error());
        },
        options);
  }

  void confirm() {
    call("propose_action", proposal_of(request_),
         [](ObserverRun& self, const ObserverToolResult& proposal) {
           const auto arguments = confirmed_arguments(self.request_, proposal);
           if (!arguments) return self.finish(proposal);
           self.call(self.request_.name, *arguments,
                     [](ObserverRun& me, const ObserverToolResult& result) { me.finish(result); });
         });
  }

  void finish(const ObserverToolResult& result) {
    std::exchange(events_, {}).end(observer_answer(result));
  }

  Host& host_;
  ToolCallRequest request_;
  ToolRunEvents events_;
  ObserverToolResult refusal_;
  CallHandle handle_;
};

}  // namespace

std::shared_ptr<ToolRunning> run_tool(Host& host, const std::string& plugin,
                                      ToolCallRequest request, ToolRunEvents events) {
  if (plugin != kObserverPlugin) {
    return std::make_shared<BusRun>(host, plugin, std::move(request), std::move(events));
  }
  auto run = std::make_shared<ObserverRun>(host, std::move(request), std::move(events));
  run->begin();
  return run;
}

}  // namespace gantry::agent
