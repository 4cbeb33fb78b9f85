// SPDX-License-Identifier: Apache-2.0
#include "one_answer.hpp"

#include <gantry/contract.hpp>
#include <gantry/uuid.hpp>

#include <memory>
#include <utility>

#include "chats.hpp"
#include "run_view.hpp"

namespace gantry::chat_cortask {
namespace {

/// Keeps itself until the answer is there.
class Question : public std::enable_shared_from_this<Question> {
 public:
  Question(Host& host, std::function<void(Result<OneAnswer>)> done)
      : host_(host), session_{kPrincipal, "", "once_" + random_uuid()}, done_(std::move(done)) {}

  void ask(const std::string& prompt, TurnOptions options) {
    TurnStartRequest request;
    request.session = session_;
    request.text = prompt;
    request.caller = "chat_cortask:once";
    request.options = std::move(options);
    request.options.mode = "chat";
    request.options.tools = {};
    request.options.tools.allow.emplace();  // none at all
    host_.bus().call<TurnStart>(
        std::move(request), [self = shared_from_this()](const Result<Ref<TurnStarted>>& started) {
          if (!started.ok()) return self->finish(started.error());
          self->watch(**started);
        });
  }

 private:
  void watch(const TurnStarted& started) {
    SessionWatchRequest request;
    request.session = session_;
    request.after_sequence = started.sequence - 1;
    request.turn = started.turn;
    StreamHandlers<SessionEvents> handlers;
    handlers.on_chunk = [self = shared_from_this()](const Ref<SessionEvents>& events) {
      for (const SessionEvent& event : events->events) self->take(event);
    };
    handlers.on_end = [self = shared_from_this()](const Error& problem) {
      self->finish(problem.code == Code::Ok ? internal_error("the turn ended without a word")
                                            : problem);
    };
    auto opened = host_.bus().open_stream<SessionWatch>(std::move(request), std::move(handlers));
    if (!opened.ok()) return finish(opened.error());
    if (done_) watch_ = std::move(*opened);
  }

  void take(const SessionEvent& event) {
    if (event.kind == EventKind::TextDelta) answer_.text += event.text;
    if (event.kind == EventKind::Notice) notice_ = event.text;  // the turn goes on
    if (event.kind == EventKind::Error) {
      return finish(
          unavailable(error_text(from_json<ErrorBody>(event.body.text).value_or(ErrorBody{}))));
    }
    if (event.kind != EventKind::TurnFinished) return;
    const auto body = from_json<TurnFinishedBody>(event.body.text).value_or(TurnFinishedBody{});
    // Without an answer the notice says why there is none.
    if (answer_.text.empty() && !notice_.empty()) return finish(unavailable(notice_));
    answer_.input_tokens = body.input_tokens;
    answer_.output_tokens = body.output_tokens;
    finish(std::move(answer_));
  }

  void finish(Result<OneAnswer> answer) {
    if (const auto done = std::exchange(done_, {})) {
      done(std::move(answer));
      host_.bus().call<SessionDelete>({session_}, [](const Result<Ref<Done>>&) {});
    }
    watch_ = {};
  }

  Host& host_;
  const SessionKey session_;
  std::function<void(Result<OneAnswer>)> done_;
  OneAnswer answer_;
  std::string notice_;
  Stream<Nothing> watch_;
};

}  // namespace

void ask_once(Host& host, const std::string& prompt, TurnOptions options,
              std::function<void(Result<OneAnswer>)> done) {
  std::make_shared<Question>(host, std::move(done))->ask(prompt, std::move(options));
}

}  // namespace gantry::chat_cortask
