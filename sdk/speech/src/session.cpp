// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <exception>
#include <utility>

namespace gantry::speech {
namespace {

constexpr std::size_t kMostWaiting = 1024;  // events for a reader that does not read

}  // namespace

Session::Session(Service& service, SpeechOpening opening, Stream<SpeechEvent> down)
    : service_(service), opening_(std::move(opening)), down_(std::move(down)) {}

StreamHandlers<SpeechInput> Session::open() {
  StreamHandlers<SpeechInput> handlers;
  const auto self = shared_from_this();
  handlers.on_chunk = [self](const Ref<SpeechInput>& input) { self->take(input); };
  handlers.on_writable = [self] { self->flush(); };
  handlers.on_end = [self](const Error&) { self->close(); };
  working_ = true;  // the engine is loaded at once: it takes longer than the first word
  service_.run([self] { self->work(); });
  return handlers;
}

void Session::take(const Ref<SpeechInput>& input) {
  {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    inbox_.push_back(input);
    if (std::exchange(working_, true)) return;
  }
  service_.run([self = shared_from_this()] { self->work(); });
}

void Session::close() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
    inbox_.clear();
    if (std::exchange(working_, true)) return;  // whoever works sees it
  }
  service_.run([self = shared_from_this()] { self->work(); });
}

void Session::work() {
  try {
    work_off();
  } catch (const std::exception& failure) {
    fail(service_.engine_failure(failure));
    transcriber_.reset();
    engine_.reset();  // of no use to others
    leave();
  }
}

void Session::work_off() {
  if (!left_ && transcriber_ == nullptr) {
    if (const auto ready = set_up(); !ready.ok()) fail(ready.error());
  }
  while (true) {
    Ref<SpeechInput> input;
    {
      const std::lock_guard lock(mutex_);
      if (service_.stopping()) over_ = true;
      if (over_) break;
      if (inbox_.empty()) {
        working_ = false;
        return;
      }
      input = std::move(inbox_.front());
      inbox_.pop_front();
    }
    if (const auto handled = handle(*input); !handled.ok()) fail(handled.error());
    down_.grant(1);
  }
  leave();
}

Result<void> Session::set_up() {
  GANTRY_ASSIGN(engine_, service_.take_engine());
  hints_ = opening_.hints;
  version_ = service_.version();
  GANTRY_TRY(engine_->prepare(service_.completed(hints_)));
  Transcriber::Settings settings{service_.settings().endpoint, opening_.partials};
  if (opening_.silence_ms > 0) settings.endpoint.silence_ms = opening_.silence_ms;
  transcriber_ =
      std::make_unique<Transcriber>(*engine_, service_.detector(), settings,
                                    [this](SpeechEvent event) { tell(std::move(event)); });
  SpeechEvent ready;
  ready.kind = SpeechEventKind::Ready;
  ready.route = engine_->route();
  tell(std::move(ready));
  return {};
}

Result<void> Session::handle(const SpeechInput& input) {
  switch (input.kind) {
    case SpeechInputKind::Audio:
      keep_up();
      return transcriber_->sound(input.audio, [this] {
        const std::lock_guard lock(mutex_);
        return over_ || service_.stopping();
      });
    case SpeechInputKind::Hints: {
      const auto taken = take_hints(input.hints);
      if (taken.ok()) return {};
      SpeechEvent problem;
      problem.kind = SpeechEventKind::Problem;
      problem.text = taken.error().message;
      tell(std::move(problem));
      return {};
    }
    case SpeechInputKind::Reset: transcriber_->reset(); return {};
    case SpeechInputKind::Flush: {
      GANTRY_TRY(transcriber_->flush());
      tell(SpeechEventKind::Flushed);
      return {};
    }
  }
  return {};
}

Result<void> Session::take_hints(const SpeechHints& hints) {
  version_ = service_.version();
  GANTRY_TRY(transcriber_->hints(service_.completed(hints)));
  hints_ = hints;
  return {};
}

void Session::keep_up() {
  if (service_.version() == version_) return;
  (void)take_hints(SpeechHints(hints_));  // what was known before is still good
}

void Session::tell(SpeechEventKind kind) {
  SpeechEvent event;
  event.kind = kind;
  tell(std::move(event));
}

void Session::tell(SpeechEvent event) {
  if (event.kind == SpeechEventKind::UtteranceEnd) service_.utterance_ended();
  {
    const std::lock_guard lock(out_mutex_);
    const bool droppable = event.kind == SpeechEventKind::Partial && !outbox_.empty();
    if (droppable || outbox_.size() >= kMostWaiting) return;  // the next partial has its text too
    outbox_.push_back(std::move(event));
  }
  flush();
}

void Session::flush() {
  const std::lock_guard lock(out_mutex_);
  while (!outbox_.empty()) {
    const auto sent = down_.send(outbox_.front());
    if (!sent.ok() && sent.error().code == Code::ResourceExhausted) return;
    outbox_.pop_front();
  }
}

void Session::fail(const Error& error) {
  flush();
  down_.close(error);
  const std::lock_guard lock(mutex_);
  over_ = true;
  inbox_.clear();
}

void Session::leave() {
  if (std::exchange(left_, true)) return;
  transcriber_.reset();
  if (engine_ != nullptr) service_.give_back(std::move(engine_));
  service_.ended();
  if (service_.stopping()) down_.close(unavailable("speech recognition is being stopped"));
}

}  // namespace gantry::speech
