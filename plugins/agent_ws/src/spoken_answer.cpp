// SPDX-License-Identifier: Apache-2.0
#include "spoken_answer.hpp"

#include <gantry/codec.hpp>
#include <gantry/contract.hpp>
#include <gantry/contracts/turn.hpp>

#include <utility>

namespace gantry::agent_ws {
namespace {

constexpr std::uint32_t kChunks = 16;  // on their way to us, a tenth of a second each

std::string audio_chunk(const Audio& audio) {
  std::string out = R"({"audio":)";
  codec::write_base64(out, audio.samples.bytes());
  out += R"(,"sample_rate":)";
  codec::write_integer(out, audio.sample_rate);
  out += '}';
  return out;
}

}  // namespace

void SpokenAnswer::take(const SessionEvent& event) {
  switch (event.kind) {
    case EventKind::ModelCallStarted: shown_ = false; return;
    case EventKind::TextDelta: shown_ = true; return say(event.text);
    case EventKind::AssistantMessage: return push({}, true, false);  // a tool may run for long
    case EventKind::TurnFinished: break;
    default: return;
  }
  const auto body = from_json<TurnFinishedBody>(event.body.text).value_or(TurnFinishedBody{});
  if (body.end == TurnEnd::Cancelled || body.end == TurnEnd::Abandoned) {
    const auto alive = shared_from_this();
    stop();
    return finish(std::nullopt);
  }
  const bool answered = body.end == TurnEnd::Completed || body.end == TurnEnd::Limit;
  if (answered && !shown_) say(body.final_text.empty() ? body.reason : body.final_text);
  end();
}

void SpokenAnswer::push(std::string_view text, bool flush, bool is_end) {
  if (silent_ || complete_) return;
  complete_ = is_end;
  waiting_.text += text;
  waiting_.flush = waiting_.flush || flush;
  waiting_.end = is_end;
  if (!opened_) {
    if (waiting_.text.empty()) {
      waiting_.flush = false;
      if (is_end) finish(std::nullopt);
      return;
    }
    open();
  }
  hand_over();
}

void SpokenAnswer::open() {
  opened_ = true;
  VoiceSayRequest request;
  request.more = true;
  StreamHandlers<VoiceChunk> handlers;
  const std::weak_ptr<SpokenAnswer> weak = weak_from_this();
  handlers.on_chunk = [weak](const Ref<VoiceChunk>& chunk) {
    if (const auto self = weak.lock()) self->on_chunk(*chunk);
  };
  handlers.on_writable = [weak] {
    if (const auto self = weak.lock()) self->hand_over();
  };
  handlers.on_end = [weak](const Error& end) {
    const auto self = weak.lock();
    if (!self || self->silent_) return;
    self->silent_ = true;
    self->finish(end.code == Code::Ok ? std::nullopt : std::optional(end));
  };
  StreamOptions options;
  options.receive_credit = kChunks;
  options.manual_credit = true;
  auto opened = host_.bus().open_stream<VoiceSay>(std::move(request), std::move(handlers), options);
  if (!opened.ok()) {
    silent_ = true;
    return finish(opened.error());
  }
  up_ = std::move(*opened);
}

/// What the voice has no room for waits for on_writable.
void SpokenAnswer::hand_over() {
  if (silent_ || !up_) return;
  const bool any = !waiting_.text.empty() || waiting_.flush || waiting_.end;
  if (!any) return;
  const Result<void> sent = up_.send(waiting_);
  if (!sent.ok() && sent.error().code == Code::ResourceExhausted) return;
  waiting_ = {};
}

void SpokenAnswer::on_chunk(const VoiceChunk& chunk) {
  if (silent_) return;
  sinks_.send("audio-chunk", audio_chunk(chunk.audio));
  ++owed_;
  on_room();
}

void SpokenAnswer::on_room() {
  if (owed_ > 0 && up_ && sinks_.has_room()) up_.grant(std::exchange(owed_, 0));
}

void SpokenAnswer::stop() {
  silent_ = true;
  up_ = {};
}

void SpokenAnswer::finish(const std::optional<Error>& failure) {
  const auto over = std::exchange(sinks_.over, nullptr);
  if (over) over(failure);
}

}  // namespace gantry::agent_ws
