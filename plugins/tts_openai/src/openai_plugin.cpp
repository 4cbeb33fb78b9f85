// SPDX-License-Identifier: Apache-2.0
#include "openai_plugin.hpp"

#include <gantry/cure.hpp>
#include <gantry/http/client.hpp>
#include <gantry/http/watch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "spoken.hpp"

namespace gantry::tts_openai {
namespace {

constexpr std::size_t kLongestError = 64 * 1024;  // bytes that are read of one
constexpr std::size_t kLongestVoice = 128;

/// One sentence on a thread of the blocking pool.
Result<void> run(const Settings& settings, http::HttpExchange& exchange, http::PhaseWatch& watch,
                 voice::Utterance& utterance) {
  const http::HttpRequest request =
      speech_request(settings, utterance.text(), utterance.voice(), utterance.rate());
  GANTRY_ASSIGN(const http::HttpHead head, exchange.send(request));
  watch.touch();
  if (head.status != 200) {
    const auto body = exchange.read_all(kLongestError);
    return speech_error(head.status, body.ok() ? *body : std::string(), settings);
  }
  if (head.header("content-type").starts_with("application/json")) {
    return Error{Code::DataLoss, "the speech server answers with JSON instead of sound", {}};
  }
  const std::string length(head.header("content-length"));
  std::size_t missing = length.empty() ? 0 : std::strtoull(length.c_str(), nullptr, 10);
  PcmStream pcm;
  std::array<char, 8192> bytes{};
  while (true) {
    GANTRY_ASSIGN(const std::size_t count, exchange.read(bytes.data(), bytes.size()));
    watch.touch();
    if (count == 0 && missing > 0) {
      return Error{Code::DataLoss, "the speech server broke off in the middle of a sentence", {}};
    }
    if (count == 0) return {};
    missing -= std::min(missing, count);
    if (!utterance.samples(pcm.feed({bytes.data(), count}), settings.pcm_rate)) return {};
  }
}

http::PhaseLimits limits_of(const Settings& settings) {
  return {std::chrono::milliseconds(settings.connect_timeout),
          std::chrono::milliseconds(settings.first_byte_timeout),
          std::chrono::milliseconds(settings.idle_timeout)};
}

}  // namespace

Result<voice::SayLimits> OpenAiVoicePlugin::configure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  voice::SayLimits limits;
  limits.streams = settings_.streams;
  limits.max_text = settings_.max_text;
  return limits;
}

Result<void> OpenAiVoicePlugin::ready() const {
  if (!settings_.requires_key || !settings_.api_key.empty()) return {};
  return unavailable("speech by OpenAI needs a key, and none is set",
                     "set plugins.tts_openai.config.api_key, or OPENAI_API_KEY");
}

void OpenAiVoicePlugin::probe() {
  const auto there = ready();
  if (there.ok()) {
    host().bus().set_suitability(50, settings_.model + " at " + settings_.base_url);
  } else {
    host().bus().set_suitability(0, split_cure(there.error().message).first);
  }
}

Result<std::string> OpenAiVoicePlugin::voice(const std::string& asked) {
  GANTRY_TRY(ready());
  if (asked.size() > kLongestVoice) return invalid_argument("the name of the voice is too long");
  return asked.empty() ? settings_.voice : asked;
}

VoiceList OpenAiVoicePlugin::voices() {
  VoiceList list;
  if (const auto there = ready(); !there.ok()) {
    std::tie(list.reason, list.cure) = split_cure(there.error().message);
    return list;
  }
  list.voices.push_back({settings_.voice, {}, settings_.model, voice::kSpeechRate, true, false});
  return list;
}

void OpenAiVoicePlugin::speak(std::shared_ptr<voice::Utterance> utterance) {
  http::HttpOptions options;
  options.proxy = settings_.proxy;
  options.ca_file = settings_.ca_file;
  const auto exchange = std::make_shared<http::HttpExchange>(std::move(options));
  const auto watch = std::make_shared<http::PhaseWatch>(host(), exchange, limits_of(settings_));
  utterance->on_cancel([exchange] { exchange->abort(); });
  host().blocking([this, exchange, watch, settings = settings_,
                   utterance = std::move(utterance)]() mutable {
    Result<void> result = run(settings, *exchange, *watch, *utterance);
    if (utterance->cancelled()) {  // a stop waits for it on the strand, so it must not go there
      utterance->done(result);
      utterance.reset();
      host().post([watch] { watch->end(); });
      return;
    }
    host().post([watch, utterance, result = std::move(result)]() mutable {
      watch->end();
      if (!watch->late().empty()) {
        result = Error{
            Code::DeadlineExceeded, "the speech server took too long (" + watch->late() + ")", {}};
      }
      utterance->done(result);
    });
  });
  watch->begin();
}

}  // namespace gantry::tts_openai
