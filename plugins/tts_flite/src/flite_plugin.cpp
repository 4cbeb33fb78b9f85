// SPDX-License-Identifier: Apache-2.0
#include "flite_plugin.hpp"

#include <gantry/cure.hpp>
#include <gantry/suitability.hpp>
#include <gantry/voice/speakable.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

#include "flite_voices.hpp"

namespace gantry::tts_flite {

Result<voice::SayLimits> FlitePlugin::configure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  return voice::SayLimits{settings_.streams, settings_.max_text, settings_.idle_release};
}

void FlitePlugin::probe() {
  tell_found(host(), "voice", find_voice(settings_.voice), 60,
             "Flite with the voice " + settings_.voice);
}

Result<std::string> FlitePlugin::voice(const std::string& asked) {
  std::string name = asked.empty() ? settings_.voice : voice_name(asked);
  if (name.empty()) {
    return not_found("Flite has no voice '" + asked +
                     "'; its voices are slt, awb, rms, kal16 and kal");
  }
  GANTRY_TRY(find_voice(name));
  return name;
}

VoiceList FlitePlugin::voices() {
  VoiceList list;
  for (const std::string_view name : known_voices()) {
    if (!find_voice(name).ok()) continue;
    list.voices.push_back(
        {std::string(name), "en-US", "flite", voice::kSpeechRate, name == settings_.voice, true});
  }
  std::stable_partition(list.voices.begin(), list.voices.end(),
                        [](const VoiceInfo& row) { return row.is_default; });
  if (const auto there = find_voice(settings_.voice); !there.ok()) {
    std::tie(list.reason, list.cure) = split_cure(there.error().message);
  }
  return list;
}

void FlitePlugin::speak(std::shared_ptr<voice::Utterance> utterance) {
  host().blocking([utterance = std::move(utterance)] {
    const std::string text = voice::ascii_only(utterance->text());
    const auto take = [&](std::span<const std::int16_t> samples, std::int32_t rate) {
      return utterance->samples(samples, rate);
    };
    Result<void> result;
    for (const std::string& piece :
         utterance->first() ? quick_start(text) : std::vector<std::string>{text}) {
      if (!result.ok() || utterance->cancelled()) break;
      result = tts_flite::speak(utterance->voice(), piece, utterance->rate(), take);
    }
    utterance->done(result);
  });
}

void FlitePlugin::release() { release_voices(); }

}  // namespace gantry::tts_flite
