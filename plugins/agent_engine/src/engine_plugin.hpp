// SPDX-License-Identifier: Apache-2.0
#pragma once
// Serves the engine's contracts and listens to what changes.

#include <gantry/plugin.hpp>

#include <memory>
#include <utility>

#include "engine.hpp"

namespace gantry::agent {

class AgentEngine final : public Plugin {
 public:
  using Plugin::Plugin;

  Result<void> init() override {
    engine_ = std::make_unique<Engine>(host());
    GANTRY_TRY(reconfigure());
    GANTRY_TRY(serve_sessions());
    GANTRY_TRY(serve_turns());
    GANTRY_TRY(serve_questions());
    auto& bus = host().bus();
    GANTRY_ASSIGN(tools_changed_, bus.subscribe<ToolsChanged>([this](const ToolsChangedEvent&) {
      engine_->core().tools.forget();
    }));
    GANTRY_ASSIGN(models_changed_,
                  bus.subscribe<LlmModelsChanged>(
                      [this](const LlmModelsChangedEvent&) { engine_->core().models.forget(); }));
    return {};
  }

  Result<void> start() override {
    engine_->begin();
    return {};
  }

  Result<void> reconfigure() override {
    GANTRY_ASSIGN(engine_->core().settings, read_settings(host().config_json()));
    engine_->core().tools.forget();  // what is a command is configured
    engine_->reconfigured();
    return {};
  }

  void stop(Deadline) override { engine_->end(); }

 private:
  /// Serves a call whose answer comes later.
  template <class C>
  Result<void> later(void (Engine::*method)(const typename C::Request&,
                                            Engine::Done<typename C::Response>)) {
    return host().bus().serve<C>(
        [this, method](const Ref<typename C::Request>& request, const CallInfo&, Reply<C> reply) {
          // A std::function is copied; a Reply is not.
          auto shared = std::make_shared<Reply<C>>(std::move(reply));
          (engine_.get()->*method)(*request, [shared](Result<typename C::Response> answer) {
            (*shared)(std::move(answer));
          });
        });
  }

  Result<void> serve_sessions() {
    GANTRY_TRY(later<SessionOpen>(&Engine::open));
    GANTRY_TRY(later<SessionList>(&Engine::list));
    GANTRY_TRY(later<SessionPatch>(&Engine::patch));
    GANTRY_TRY(later<SessionHistory>(&Engine::history));
    GANTRY_TRY(later<SessionRehydrate>(&Engine::rehydrate));
    GANTRY_TRY(later<SessionAppend>(&Engine::append));
    GANTRY_TRY(later<SessionCompact>(&Engine::compact));
    GANTRY_TRY(later<SessionDelete>(&Engine::remove));
    GANTRY_TRY(later<SessionPoll>(&Engine::poll));
    return host().bus().serve_stream<SessionWatch>(
        [this](const Ref<SessionWatchRequest>& request, const CallInfo&,
               Stream<SessionEvents> down) -> Result<StreamHandlers<Nothing>> {
          return engine_->watch(*request, std::move(down));
        });
  }

  Result<void> serve_turns() {
    GANTRY_TRY(later<TurnStart>(&Engine::start));
    GANTRY_TRY(later<TurnPreview>(&Engine::preview));
    GANTRY_TRY(later<AgentTools>(&Engine::tools));
    auto& bus = host().bus();
    GANTRY_TRY(bus.serve<TurnStop>([this](const TurnStopRequest& request) -> Result<StoppedTurns> {
      return engine_->stop(request);
    }));
    GANTRY_TRY(bus.serve<TurnResults>(
        [this](const TurnResultsRequest& request) -> Result<TurnResultsTaken> {
          return engine_->results(request);
        }));
    return bus.serve<TurnInject>(
        [this](const TurnInjectRequest& request) { return engine_->inject(request); });
  }

  Result<void> serve_questions() {
    auto& bus = host().bus();
    GANTRY_TRY(bus.serve<ApprovalList>(
        [this](const ApprovalListRequest& request) -> Result<OpenQuestions> {
          return engine_->core().questions.list(request);
        }));
    GANTRY_TRY(bus.serve<ApprovalAnswer>([this](const ApprovalAnswerRequest& request) {
      return engine_->core().questions.answer(request);
    }));
    return bus.serve<QuestionnaireAnswer>([this](const QuestionnaireAnswerRequest& request) {
      return engine_->core().questions.answer(request);
    });
  }

  std::unique_ptr<Engine> engine_;
  Subscription tools_changed_, models_changed_;
};

}  // namespace gantry::agent
