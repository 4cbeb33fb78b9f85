// SPDX-License-Identifier: Apache-2.0
#include <gantry/outside_text.hpp>
#include <gantry/speech/remote_session.hpp>
#include <gantry/speech/wav.hpp>

#include <utility>

namespace gantry::speech {
namespace {

constexpr std::size_t kMostWaiting = 1024;    // events for a reader that does not read
constexpr std::size_t kManyQueued = 1 << 20;  // bytes for a server that does not keep up

}  // namespace

void RemoteOut::event(SpeechEventKind kind, std::string text, std::string utterance) {
  const bool worded = kind == SpeechEventKind::Partial || kind == SpeechEventKind::Final;
  text = strip_terminal_controls(text);  // a server's words, which a client may print
  if (worded && text.empty()) return;
  SpeechEvent event;
  event.kind = kind;
  event.text = std::move(text);
  event.utterance = std::move(utterance);
  tell.push_back(std::move(event));
}

RemoteSession::RemoteSession(Host& host, RemotePlan plan, std::unique_ptr<Dialect> dialect,
                             Stream<SpeechEvent> down, std::function<void()> ended)
    : host_(host),
      plan_(std::move(plan)),
      dialect_(std::move(dialect)),
      down_(std::move(down)),
      ended_(std::move(ended)),
      socket_(std::make_shared<http::WebSocket>(plan_.options)) {}

StreamHandlers<SpeechInput> RemoteSession::open() {
  const auto self = shared_from_this();
  host_.blocking([self, socket = socket_, request = plan_.request] {
    // Everything is told on the strand, in order.
    http::WebSocket::Events events;
    events.opened = [&self] {
      self->host_.post([self] {
        RemoteOut out;
        self->dialect_->opened(out);
        self->follow(std::move(out));
      });
    };
    events.message = [&self](http::WebSocket::Message message) {
      self->host_.post([self, message = std::move(message)] {
        RemoteOut out;
        self->dialect_->hear(message, out);
        self->follow(std::move(out));
      });
    };
    events.drained = [&self] { self->host_.post([self] { self->return_credit(); }); };
    Error end = socket->run(request, events);
    self->host_.post([self, end = std::move(end)] { self->over(end); });
  });
  StreamHandlers<SpeechInput> handlers;
  handlers.on_chunk = [self](const Ref<SpeechInput>& input) { self->take(*input); };
  handlers.on_writable = [self] { self->pour(); };
  handlers.on_end = [self](const Error&) { self->over({Code::Ok, {}, {}}); };
  return handlers;
}

void RemoteSession::take(const SpeechInput& input) {
  if (over_) return;
  RemoteOut out;
  switch (input.kind) {
    case SpeechInputKind::Audio:
      if (const auto fit = check_audio(input.audio); !fit.ok()) return over(fit.error());
      dialect_->sound(samples_of(input.audio.samples), input.audio.sample_rate, out);
      break;
    case SpeechInputKind::Hints: dialect_->hints(input.hints, out); break;
    case SpeechInputKind::Reset: dialect_->reset(out); break;
    case SpeechInputKind::Flush:
      flush_.begin();
      dialect_->flush(out);
      break;
  }
  follow(std::move(out));
  ++owed_;
  return_credit();
}

/// Who sends sound faster than the server takes it is held back.
void RemoteSession::return_credit() {
  if (over_ || owed_ == 0 || socket_->queued() >= kManyQueued) return;
  down_.grant(std::exchange(owed_, 0));
}

void RemoteSession::follow(RemoteOut out) {
  if (over_) return;
  for (auto& message : out.send) {
    if (!socket_->send(std::move(message))) {
      return over({Code::ResourceExhausted, "the speech server takes no more sound", {}});
    }
  }
  for (SpeechEvent& event : out.tell) {
    const bool droppable = event.kind == SpeechEventKind::Partial && !outbox_.empty();
    if (!droppable && outbox_.size() < kMostWaiting) outbox_.push_back(std::move(event));
  }
  pour();
  if (out.unsettled) flush_.unsettle();
  if (out.flushed_after) flush_.settle(*out.flushed_after);
  if (out.flushed) flush_.finish();
  if (out.end) over(*out.end);
}

void RemoteSession::tell_flushed() {
  SpeechEvent event;
  event.kind = SpeechEventKind::Flushed;
  outbox_.push_back(std::move(event));
  pour();
}

void RemoteSession::pour() {
  while (!outbox_.empty()) {
    const auto sent = down_.send(outbox_.front());
    if (!sent.ok() && sent.error().code == Code::ResourceExhausted) return;
    outbox_.pop_front();
  }
}

void RemoteSession::over(const Error& error) {
  if (std::exchange(over_, true)) return;
  flush_.cancel();
  socket_->close();
  pour();
  if (error.code == Code::Ok) {
    down_.close();
  } else {
    down_.close(error);
  }
  if (const auto ended = std::exchange(ended_, nullptr)) ended();
}

void RemoteSession::end(const Error& error) {
  over(error);
  socket_->abort();
}

Result<StreamHandlers<SpeechInput>> RemoteSessions::open(RemotePlan plan,
                                                         std::unique_ptr<Dialect> dialect,
                                                         Stream<SpeechEvent> down,
                                                         std::int64_t most) {
  if (std::cmp_greater_equal(sessions_.size(), most)) {
    return Error{Code::ResourceExhausted,
                 "there are as many sessions as " + host_.name() + ".sessions allows",
                 {}};
  }
  const std::uint64_t number = ++last_;
  auto session =
      std::make_shared<RemoteSession>(host_, std::move(plan), std::move(dialect), std::move(down),
                                      [this, number] { sessions_.erase(number); });
  sessions_.emplace(number, session);
  return session->open();
}

void RemoteSessions::stop() {
  const auto sessions = std::exchange(sessions_, {});
  for (const auto& [number, session] : sessions) {
    session->end(unavailable("speech recognition is being stopped"));
  }
}

}  // namespace gantry::speech
