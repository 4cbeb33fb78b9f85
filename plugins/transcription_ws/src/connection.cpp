// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <gantry/contracts/identity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "audio_frame.hpp"
#include "control_frame.hpp"

namespace gantry::transcription_ws {
namespace {

using std::chrono::milliseconds;

constexpr std::uint16_t kNormal = 1000;
constexpr std::uint16_t kGoingAway = 1001;
constexpr std::size_t kMostWaiting = 64;  // pieces for a recogniser that is busy
constexpr std::size_t kPiece = 64 << 10;  // bytes of one, so that few of them are not much
constexpr std::size_t kLongestLanguage = 64;

/// The token of `Authorization: Bearer …`, or of ?token= where a page cannot set headers.
std::string token_of(const HttpRequest& request) {
  constexpr std::string_view kScheme = "bearer ";
  for (const HttpHeader& header : request.headers) {
    if (header.name != "authorization" || header.value.size() <= kScheme.size()) continue;
    const bool bearer = std::equal(kScheme.begin(), kScheme.end(), header.value.begin(),
                                   [](char low, char given) { return (given | 0x20) == low; });
    if (bearer) return header.value.substr(header.value.find_first_not_of(' ', kScheme.size()));
  }
  for (const HttpParameter& parameter : request.query) {
    if (parameter.name == "token") return parameter.value;
  }
  return {};
}

}  // namespace

Connection::Connection(Server& server, std::uint64_t number, const WsOpening& opening,
                       Stream<WsMessage> down)
    : server_(server),
      number_(number),
      request_(opening.request),
      down_(std::move(down)),
      language_(server.settings().language) {}

StreamHandlers<WsMessage> Connection::open() {
  const std::weak_ptr<Connection> weak = weak_from_this();
  StreamHandlers<WsMessage> handlers;
  handlers.on_chunk = [weak](const Ref<WsMessage>& frame) {
    if (const auto self = weak.lock()) self->on_frame(frame);
  };
  handlers.on_writable = [weak] {
    const auto self = weak.lock();
    if (!self) return;
    self->outbox_.flush(self->down_);
    self->drain();
  };
  handlers.on_end = [weak](const Error&) {
    if (const auto self = weak.lock()) self->on_end();
  };
  if (server_.settings().token == "always") {
    verify();
  } else {
    host().post([weak] {
      if (const auto self = weak.lock()) self->welcome();
    });
  }
  return handlers;
}

/// Who has no valid token is refused before the WebSocket opens.
void Connection::verify() {
  IdentityVerifyRequest request{CredentialKind::Install, token_of(request_), request_.peer};
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<IdentityVerify>(
      std::move(request), [weak](const Result<Ref<IdentityVerified>>& verified) {
        const auto self = weak.lock();
        if (!self || self->state_ != State::Verifying) return;
        if (verified.ok() && !(*verified)->implicit) return self->welcome();
        self->down_.close(verified.ok() || verified.error().code != Code::ResourceExhausted
                              ? Error{Code::Unauthenticated, "an install token is needed", {}}
                              : verified.error());
        self->on_end();
      });
}

void Connection::welcome() {
  if (state_ != State::Verifying) return;
  state_ = State::Open;
  (void)down_.send(WsMessage{WsOpcode::Accept, {}});  // a stream that has ended says so by on_end
  outbox_.send(down_, status_frame(server_.next_id()));
  connect();
}

void Connection::on_frame(const Ref<WsMessage>& frame) {
  ++owed_;
  if (state_ == State::Open) {
    switch (frame->opcode) {
      case WsOpcode::Binary: on_audio(frame); break;
      case WsOpcode::Text: on_text(frame->data.text()); break;
      case WsOpcode::Close: on_client_closing(); break;
      case WsOpcode::Accept: break;
    }
  }
  drain();
}

void Connection::on_audio(const Ref<WsMessage>& frame) {
  const AudioFrame audio = read_audio_frame(frame->data.text());
  if (audio.kind == AudioFrame::Kind::Ignored) return server_.count_ignored();
  if (audio.kind == AudioFrame::Kind::Refused) {
    server_.count_refused();
    return outbox_.send(down_, error_frame(audio.refusal, code_name(Code::InvalidArgument)));
  }
  if (half_.empty() && audio.samples.size() % 2 == 0) {
    // The samples stay where they are: the message is shared, not copied.
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(audio.samples.data());
    return hear(Buffer::wrap({begin, audio.samples.size()}, [frame] {}), audio.rate);
  }
  std::string bytes = audio.rate == kPassingRate ? std::exchange(half_, {}) : std::string();
  half_.clear();
  bytes += audio.samples;
  if (bytes.size() % 2 != 0) {
    half_ = bytes.back();
    bytes.pop_back();
  }
  hear(Buffer::of(std::move(bytes)), audio.rate);
}

/// Gives sound on in small pieces: what waits is counted in pieces, here and at the recogniser.
void Connection::hear(const Buffer& sound, std::int32_t rate) {
  if (sound.empty()) return;
  last_sound_ns_ = host().monotonic_ns();
  if (!speech_) connect();
  for (std::size_t at = 0; at < sound.size(); at += kPiece) {
    const auto piece = sound.bytes().subspan(at, std::min(kPiece, sound.size() - at));
    SpeechInput input;
    input.audio.sample_rate = rate;
    input.audio.samples = Buffer::wrap(piece, [sound] {});
    put(std::move(input));
  }
  if (std::exchange(flushed_, false)) wait_for_sound();
}

void Connection::on_text(std::string_view text) {
  ControlFrame frame = read_control_frame(text);
  switch (frame.kind) {
    case ControlFrame::Kind::Ignored: return server_.count_ignored();
    case ControlFrame::Kind::StartOver: half_.clear(); return put_kind(SpeechInputKind::Reset);
    case ControlFrame::Kind::SetLanguage:
      if (frame.language == language_) return;
      if (frame.language.size() > kLongestLanguage) {
        server_.count_refused();
        return outbox_.send(down_, error_frame("source_language has more than 64 bytes",
                                               code_name(Code::InvalidArgument)));
      }
      language_ = std::move(frame.language);
      SpeechInput input;
      input.kind = SpeechInputKind::Hints;
      input.hints.language = language_;
      return put(std::move(input));
  }
}

/// The client has closed and still listens: what it said is answered first.
void Connection::on_client_closing() {
  state_ = State::Closing;
  if (!speech_) return close(kNormal, {});
  put_kind(SpeechInputKind::Flush);
}

void Connection::on_end() {
  if (state_ == State::Closed) return;
  state_ = State::Closed;
  sound_timer_.cancel();
  disconnect();
  server_.gone(number_);
}

void Connection::close(std::uint16_t code, std::string_view reason) {
  if (state_ == State::Closed) return;
  outbox_.flush(down_);
  down_.close(Error{Code::Cancelled, std::string(reason),
                    fmt::format(R"({{"close_code":{},"reason":"{}"}})", code, reason)});
  on_end();
}

void Connection::shut_down() { close(kGoingAway, "the server is going down"); }

void Connection::connect() {
  SpeechOpening opening;
  opening.hints.language = language_;
  opening.silence_ms = static_cast<std::int32_t>(server_.settings().silence);
  StreamOptions options;
  options.target = server_.settings().provider;
  const std::weak_ptr<Connection> weak = weak_from_this();
  const std::uint64_t generation = ++generation_;
  StreamHandlers<SpeechEvent> handlers;
  handlers.on_chunk = [weak, generation](const Ref<SpeechEvent>& event) {
    const auto self = weak.lock();
    if (self && self->generation_ == generation) self->on_event(*event);
  };
  handlers.on_writable = [weak] {
    if (const auto self = weak.lock()) self->drain();
  };
  handlers.on_end = [weak, generation](const Error& end) {
    if (const auto self = weak.lock()) self->on_speech_end(generation, end);
  };
  auto opened =
      host().bus().open_stream<SpeechRecognise>(std::move(opening), std::move(handlers), options);
  if (!opened.ok()) return on_speech_end(generation, opened.error());
  speech_ = std::move(*opened);
  last_sound_ns_ = host().monotonic_ns();
  wait_for_sound();
}

void Connection::disconnect() {
  ++generation_;
  speech_.close();
  speech_ = {};
  waiting_.clear();
}

void Connection::on_event(const SpeechEvent& event) {
  switch (event.kind) {
    case SpeechEventKind::Ready: return;
    case SpeechEventKind::Partial: return outbox_.send(down_, realtime_frame(event.text, false));
    case SpeechEventKind::Final: return outbox_.send(down_, realtime_frame(event.text, true));
    case SpeechEventKind::UtteranceEnd: return outbox_.send(down_, utterance_end_frame());
    case SpeechEventKind::Problem: return outbox_.send(down_, error_frame(event.text, "provider"));
    case SpeechEventKind::Flushed:
      if (state_ == State::Closing) close(kNormal, {});
      return;
  }
}

void Connection::on_speech_end(std::uint64_t generation, const Error& end) {
  if (generation != generation_ || state_ == State::Closed) return;
  if (end.code != Code::Ok) {
    outbox_.send(down_, error_frame(end.message, code_name(end.code)));
    host().log().warn("transcription ended", {{"reason", end.message}});
  }
  close(kNormal, {});
}

void Connection::put_kind(SpeechInputKind kind) {
  SpeechInput input;
  input.kind = kind;
  put(std::move(input));
}

void Connection::put(SpeechInput input) {
  if (!speech_) return;  // a language counts when the next sound comes; there is nothing to forget
  waiting_.push_back(make_body<SpeechInput>(std::move(input)));
  drain();
}

/// What waits goes to the recogniser while it takes it; the client may send while little waits, and
/// it reads what it is told.
void Connection::drain() {
  while (!waiting_.empty() && speech_) {
    const Result<void> sent = speech_.send(waiting_.front());
    if (!sent.ok() && sent.error().code == Code::ResourceExhausted) break;
    waiting_.pop_front();
  }
  if (waiting_.size() >= kMostWaiting || outbox_.full()) return;
  if (owed_ > 0) down_.grant(std::exchange(owed_, 0));
}

/// Looks whether the client has paused, and later whether it needs its recogniser.
void Connection::wait_for_sound() {
  const Settings& settings = server_.settings();
  const Duration limit = milliseconds(flushed_ ? settings.idle_release : settings.pause_flush);
  const Duration quiet(host().monotonic_ns() - last_sound_ns_);
  if (quiet >= limit && state_ == State::Open && waiting_.empty()) {
    if (flushed_) return disconnect();
    flushed_ = true;
    put_kind(SpeechInputKind::Flush);
    return wait_for_sound();
  }
  const std::weak_ptr<Connection> weak = weak_from_this();
  sound_timer_ = host().after(std::max<Duration>(limit - quiet, milliseconds(10)), [weak] {
    const auto self = weak.lock();
    if (self && self->state_ == State::Open && self->speech_) self->wait_for_sound();
  });
}

}  // namespace gantry::transcription_ws
