// SPDX-License-Identifier: Apache-2.0
#include "bus_source.hpp"

#include <utility>

namespace gantry::mcp {
namespace {

/// One stream. Its handlers hold the state, not this, so a cancelled run is silent at once.
template <class Update>
class StreamRun final : public Run {
 public:
  struct State {
    RunEvents<Update> events;
    bool over = false;
  };

  explicit StreamRun(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void set_stream(Stream<AskAnswer> stream) { stream_ = std::move(stream); }

  void answer(AskAnswer answer) override {
    // Questions are few and a stream has room for sixteen chunks; what does not fit ended before.
    (void)stream_.send(std::move(answer));
  }
  void cancel() override {
    state_->over = true;
    state_->events = {};
    stream_.close(Error{Code::Cancelled, "the client gave it up", {}});
  }

 private:
  std::shared_ptr<State> state_;
  Stream<AskAnswer> stream_;
};

bool is_last(const ToolUpdate& update) { return update.result.has_value(); }
bool is_last(const PromptUpdate& update) { return update.prompt.has_value(); }

}  // namespace

template <class C>
void BusSource::ask(typename C::Request request, Done<typename C::Response> done) {
  if (!serves_.contains(C::kName)) {
    return done(not_found({}));
  }
  CallOptions options;
  options.target = plugin_;
  host_.bus().call<C>(
      std::move(request),
      [done = std::move(done)](Result<Ref<typename C::Response>> answer) {
        if (answer.ok()) {
          done(typename C::Response(**answer));
        } else {
          done(std::move(answer).error());
        }
      },
      options);
}

template <class C, class T>
void BusSource::list(std::vector<T> C::Response::*member, Done<std::vector<T>> done) {
  if (!serves_.contains(C::kName)) return done(std::vector<T>());
  ask<C>({}, [member, done = std::move(done)](Result<typename C::Response> answer) {
    if (answer.ok()) {
      done(std::move((*answer).*member));
    } else {
      done(std::move(answer).error());
    }
  });
}

void BusSource::list_tools(Done<std::vector<ToolDescription>> done) {
  list<ToolList>(&ToolDescriptions::tools, std::move(done));
}
void BusSource::list_resources(Done<std::vector<ResourceDescription>> done) {
  list<ResourceList>(&ResourceDescriptions::resources, std::move(done));
}
void BusSource::list_templates(Done<std::vector<ResourceTemplate>> done) {
  list<ResourceTemplateList>(&ResourceTemplates::templates, std::move(done));
}
void BusSource::list_prompts(Done<std::vector<PromptDescription>> done) {
  list<PromptList>(&PromptDescriptions::prompts, std::move(done));
}
void BusSource::read_resource(ResourceReadRequest request, Done<ResourceContents> done) {
  ask<ResourceRead>(std::move(request), std::move(done));
}
void BusSource::complete(CompletionRequest request, Done<Completions> done) {
  ask<Complete>(std::move(request), std::move(done));
}

template <class C, class Update>
std::shared_ptr<Run> BusSource::open(typename C::Opening opening, RunEvents<Update> events) {
  using State = typename StreamRun<Update>::State;
  auto state = std::make_shared<State>();
  state->events = std::move(events);
  StreamHandlers<Update> handlers;
  handlers.on_chunk = [state](const Ref<Update>& update) {
    if (state->over) return;
    state->over = is_last(*update);
    const auto tell = state->events.update;
    tell(*update);
    if (state->over) state->events = {};
  };
  handlers.on_end = [state, plugin = plugin_](const Error& error) {
    if (std::exchange(state->over, true)) return;
    const auto tell = std::exchange(state->events, {}).end;
    tell(error.code == Code::Ok ? internal_error("the plugin " + plugin + " ended without a result")
                                : error);
  };
  auto run = std::make_shared<StreamRun<Update>>(state);
  StreamOptions options;
  options.target = plugin_;
  auto stream = host_.bus().open_stream<C>(std::move(opening), std::move(handlers), options);
  if (stream.ok()) {
    run->set_stream(std::move(*stream));
  } else if (!std::exchange(state->over, true)) {
    host_.post([state, error = stream.error()] {
      if (const auto tell = std::exchange(state->events, {}).end) tell(error);
    });
  }
  return run;
}

std::shared_ptr<Run> BusSource::run_tool(ToolCallRequest request, ToolEvents events) {
  return open<ToolRun>(std::move(request), std::move(events));
}

std::shared_ptr<Run> BusSource::get_prompt(PromptRequest request, PromptEvents events) {
  return open<PromptGet>(std::move(request), std::move(events));
}

}  // namespace gantry::mcp
