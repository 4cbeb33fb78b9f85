// SPDX-License-Identifier: Apache-2.0
#include "realtime.hpp"

#include <gantry/codec.hpp>
#include <gantry/http/told.hpp>
#include <gantry/speech/wav.hpp>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

namespace gantry::stt_openai {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostItems = 256;        // that are remembered
constexpr std::size_t kLongestItem = 256;      // bytes of its name; the protocol's have 21
constexpr std::size_t kLongestText = 100'000;  // of one utterance

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* const found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

const json::object* object_of(const json::object& object, std::string_view key) {
  const json::value* const found = object.if_contains(key);
  return found != nullptr && found->is_object() ? &found->get_object() : nullptr;
}

std::string reason_of(const json::object& event, const std::string& key) {
  const json::object* const error = object_of(event, "error");
  std::string reason =
      error != nullptr ? http::told_words(text_of(*error, "message"), key) : std::string();
  return reason.empty() ? "the speech server reports an error without words" : reason;
}

std::string code_of(const json::object& event) {
  const json::object* const error = object_of(event, "error");
  return error != nullptr ? text_of(*error, "code") : std::string();
}

std::string prompt_of(const std::vector<std::string>& vocabulary) {
  std::string out;
  for (const std::string& phrase : vocabulary) {
    if (out.size() + phrase.size() > 1000) break;
    out += (out.empty() ? "" : ", ") + phrase;
  }
  return out;
}

}  // namespace

std::string realtime_url(const Settings& settings) {
  std::string url = settings.base_url;
  if (url.starts_with("http")) url.replace(0, 4, "ws");  // and https becomes wss
  return url + "/realtime?model=" + settings.openai_realtime_session_model;
}

Realtime::Realtime(Settings settings, const SpeechOpening& opening)
    : settings_(std::move(settings)), hints_(opening.hints) {
  if (hints_.language.empty()) hints_.language = settings_.language;
  if (opening.silence_ms > 0) settings_.silence = opening.silence_ms;
}

std::string Realtime::session_update() const {
  json::object transcription{{"model", settings_.openai_realtime_transcription_model},
                             {"language", hints_.language}};
  if (!hints_.vocabulary.empty()) transcription["prompt"] = prompt_of(hints_.vocabulary);
  json::object detection{{"type", "server_vad"},
                         {"threshold", settings_.threshold},
                         {"prefix_padding_ms", settings_.padding},
                         {"silence_duration_ms", settings_.silence}};
  json::object session;
  if (settings_.realtime_form == "beta") {
    detection["create_response"] = false;
    session = {{"input_audio_format", "pcm16"},
               {"input_audio_transcription", std::move(transcription)},
               {"turn_detection", std::move(detection)}};
  } else {
    json::object input{{"format", {{"type", "audio/pcm"}, {"rate", kRealtimeRate}}},
                       {"transcription", std::move(transcription)},
                       {"turn_detection", std::move(detection)}};
    session = {{"type", "transcription"}, {"audio", {{"input", std::move(input)}}}};
  }
  return json::serialize(json::object{{"type", "session.update"}, {"session", std::move(session)}});
}

void Realtime::opened(speech::RemoteOut& out) { out.say(session_update()); }

void Realtime::append(std::span<const std::int16_t> samples, speech::RemoteOut& out) {
  if (samples.empty()) return;
  std::string text = R"({"type":"input_audio_buffer.append","audio":)";
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(samples.data());
  codec::write_base64(text, {bytes, samples.size() * sizeof(std::int16_t)});
  out.say(text + '}');
}

void Realtime::sound(std::span<const std::int16_t> samples, std::int32_t rate,
                     speech::RemoteOut& out) {
  append(resampler_.push(samples, rate), out);
}

void Realtime::hints(const SpeechHints& hints, speech::RemoteOut& out) {
  if (!hints.language.empty()) hints_.language = hints.language;
  if (!hints.vocabulary.empty()) hints_.vocabulary = hints.vocabulary;
  if (ready_) out.say(session_update());
}

void Realtime::reset(speech::RemoteOut& out) {
  resampler_.reset();
  for (const auto& [item, text] : texts_) forget(item);
  for (const std::string& item : awaited_) forget(item);
  texts_.clear();
  awaited_.clear();
  out.say(R"({"type":"input_audio_buffer.clear"})");
  look_whether_flushed(out);  // nothing of before is waited for any more
}

/// A server that never completes what it began must not fill the memory.
void Realtime::forget(const std::string& item) {
  if (is_forgotten(item)) return;
  if (forgotten_.size() >= kMostItems) forgotten_.pop_front();
  forgotten_.push_back(item);
}

bool Realtime::is_forgotten(const std::string& item) const {
  return std::find(forgotten_.begin(), forgotten_.end(), item) != forgotten_.end();
}

void Realtime::flush(speech::RemoteOut& out) {
  append(resampler_.flush(), out);
  committing_ = flushing_ = true;
  out.say(R"({"type":"input_audio_buffer.commit"})");
}

void Realtime::look_whether_flushed(speech::RemoteOut& out) {
  if (!flushing_ || committing_ || !awaited_.empty()) return;
  flushing_ = false;
  out.flushed = true;
}

void Realtime::completed(const std::string& item, const std::string& text, speech::RemoteOut& out) {
  texts_.erase(item);
  awaited_.erase(item);
  if (std::erase(forgotten_, item) == 0) {
    if (!text.empty()) out.event(SpeechEventKind::Final, text, item);
    out.event(SpeechEventKind::UtteranceEnd, {}, item);
  }
  look_whether_flushed(out);
}

void Realtime::hear(const http::WebSocket::Message& message, speech::RemoteOut& out) {
  boost::system::error_code failure;
  const json::value value = json::parse(message.data, failure);
  if (failure || !value.is_object()) return;
  const json::object& event = value.get_object();
  const std::string type = text_of(event, "type");
  const std::string item = text_of(event, "item_id");
  if (item.size() > kLongestItem) return;
  constexpr std::string_view kTranscription = "conversation.item.input_audio_transcription.";
  if (type == "session.updated" || type == "transcription_session.updated") {
    if (!std::exchange(ready_, true)) out.event(SpeechEventKind::Ready);
  } else if (type == "input_audio_buffer.committed") {
    if (awaited_.size() < kMostItems) awaited_.insert(item);
    committing_ = false;
  } else if (type == std::string(kTranscription) + "delta") {
    if (is_forgotten(item) || (texts_.size() >= kMostItems && !texts_.contains(item))) return;
    std::string& text = texts_[item];
    if (text.size() < kLongestText) text += text_of(event, "delta");
    if (!text.empty()) out.event(SpeechEventKind::Partial, text, item);
  } else if (type == std::string(kTranscription) + "completed") {
    completed(item, text_of(event, "transcript"), out);
  } else if (type == std::string(kTranscription) + "failed") {
    out.event(SpeechEventKind::Problem, reason_of(event, settings_.api_key), item);
    completed(item, {}, out);
  } else if (type == "error") {
    if (std::exchange(committing_, false) && code_of(event) == "input_audio_buffer_commit_empty") {
      return look_whether_flushed(out);  // there was nothing that had not been answered
    }
    out.event(SpeechEventKind::Problem, reason_of(event, settings_.api_key));
    look_whether_flushed(out);
  }
}

}  // namespace gantry::stt_openai
