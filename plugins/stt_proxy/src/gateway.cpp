// SPDX-License-Identifier: Apache-2.0
#include "gateway.hpp"

#include <gantry/codec.hpp>
#include <gantry/http/told.hpp>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <vector>

namespace gantry::stt_proxy {
namespace {

namespace json = boost::json;

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* const found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::string frame_of(std::span<const std::int16_t> samples, std::int32_t rate) {
  const std::string metadata = "{\"sampleRate\":" + std::to_string(rate) + "}";
  std::string frame(4, '\0');
  frame[0] = static_cast<char>(metadata.size());
  frame += metadata;
  frame.append(reinterpret_cast<const char*>(samples.data()), samples.size() * 2);
  return frame;
}

}  // namespace

void Gateway::opened(speech::RemoteOut& out) {
  out.event(SpeechEventKind::Ready);
  if (language_.empty()) return;
  std::string text = R"({"type":"set_langs","source_language":)";
  codec::write_string(text, language_);
  text += R"(,"target_language":)";
  codec::write_string(text, language_);
  out.say(text + '}');
}

void Gateway::sound(std::span<const std::int16_t> samples, std::int32_t rate,
                    speech::RemoteOut& out) {
  if (samples.empty()) return;
  rate_ = rate;
  spoken_ = sounded_ = true;
  out.send.push_back({false, frame_of(samples, rate)});
}

void Gateway::hints(const SpeechHints& hints, speech::RemoteOut& out) {
  if (hints.language.empty() || hints.language == language_) return;
  language_ = hints.language;
  speech::RemoteOut told;
  opened(told);
  out.send.insert(out.send.end(), told.send.begin(), told.send.end());
}

void Gateway::reset(speech::RemoteOut& out) {
  spoken_ = sounded_ = false;
  out.say(R"({"type":"start_over"})");
}

/// The protocol has no word for it; a gateway ends an utterance after a pause, so it gets one.
void Gateway::flush(speech::RemoteOut& out) {
  if (!spoken_) {
    out.flushed = true;
    return;
  }
  flushing_ = true;
  // The end that came may have been that of an utterance before the last one.
  if (!sounded_) out.flushed_after = kSettled;
  const std::vector<std::int16_t> silence(static_cast<std::size_t>(rate_));
  out.send.push_back({false, frame_of(silence, rate_)});
}

void Gateway::hear(const http::WebSocket::Message& message, speech::RemoteOut& out) {
  boost::system::error_code failure;
  const json::value value = json::parse(message.data, failure);
  if (failure || !value.is_object()) return;
  const json::object& event = value.get_object();
  const std::string type = text_of(event, "type");
  if (type == "realtime") {
    const json::value* const final = event.if_contains("is_final");
    const bool is_final = final != nullptr && final->is_bool() && final->get_bool();
    std::string text = text_of(event, "text");
    if (text.empty()) return;
    out.unsettled = flushing_;
    out.event(is_final ? SpeechEventKind::Final : SpeechEventKind::Partial, std::move(text));
  } else if (type == "utterance_end") {
    out.event(SpeechEventKind::UtteranceEnd);
    sounded_ = false;
    if (flushing_) out.flushed_after = kSettled;
  } else if (type == "error") {
    std::string reason = http::told_words(text_of(event, "message"), token_);
    out.event(SpeechEventKind::Problem,
              reason.empty() ? "the gateway reports an error without words" : std::move(reason));
  }
}

}  // namespace gantry::stt_proxy
