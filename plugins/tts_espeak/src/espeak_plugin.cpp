// SPDX-License-Identifier: Apache-2.0
#include "espeak_plugin.hpp"

#include <gantry/cure.hpp>
#include <gantry/suitability.hpp>
#include <gantry/tools/program.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "wav_stream.hpp"

namespace gantry::tts_espeak {
namespace {

constexpr const char* kPackage = "espeak-ng";
constexpr std::size_t kLongestVoice = 40;
constexpr auto kLook = std::chrono::milliseconds(50);  // for whoever does not listen any more

/// One sentence, from the program to the utterance.
Result<void> run(const Settings& settings, voice::Utterance& utterance) {
  GANTRY_ASSIGN(const std::string path, tools::find_program(settings.program, kPackage));
  const auto words =
      std::clamp(static_cast<int>(settings.words_per_minute * utterance.rate()), 80, 450);
  const std::string& text = utterance.text();
  const tools::ProgramStart start{{path, "--stdout", "--stdin", "-b", "1", "-v", utterance.voice(),
                                   "-s", std::to_string(words)},
                                  {tools::variable_of("PATH"), tools::variable_of("HOME")},
                                  false};
  GANTRY_ASSIGN(tools::Program program,
                tools::Program::start(
                    start, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  WavStream wav;
  std::array<char, 16'384> bytes{};
  auto left = std::chrono::milliseconds(settings.time_limit);
  while (!utterance.cancelled()) {
    const auto count = program.read(bytes.data(), bytes.size(), kLook);
    if (!count.ok() && count.error().code == Code::DeadlineExceeded) {
      left -= kLook;
      if (left.count() > 0) continue;
      return Error{Code::DeadlineExceeded, "espeak-ng did not finish a sentence in time", {}};
    }
    GANTRY_TRY(count);
    if (*count == 0) {
      const int code = program.wait();
      if (code == 0 && wav.sample_rate() > 0) return {};
      return unavailable(
          fmt::format("espeak-ng ended with {} for the voice '{}'", code, utterance.voice()),
          "espeak-ng --voices lists the voices that it has");
    }
    GANTRY_ASSIGN(const auto samples, wav.feed({bytes.data(), *count}));
    if (!samples.empty() && !utterance.samples(samples, wav.sample_rate())) return {};
  }
  return {};
}

}  // namespace

bool is_voice(std::string_view name) {
  if (name.empty() || name.size() > kLongestVoice || name.front() == '-') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '+' || c == '_';
  });
}

Result<voice::SayLimits> EspeakPlugin::configure() {
  GANTRY_ASSIGN(settings_, read_settings(host().config_json()));
  if (!is_voice(settings_.voice)) {
    return invalid_argument("`voice` is no name of a voice: " + settings_.voice);
  }
  voice::SayLimits limits;
  limits.streams = settings_.streams;
  limits.max_text = settings_.max_text;
  return limits;
}

void EspeakPlugin::probe() {
  tell_found(host(), "program", tools::find_program(settings_.program, kPackage), 40,
             "espeak-ng as a program");
}

Result<std::string> EspeakPlugin::voice(const std::string& asked) {
  GANTRY_TRY(tools::find_program(settings_.program, kPackage));
  if (asked.empty()) return settings_.voice;
  if (!is_voice(asked)) return not_found("espeak-ng has no voice '" + asked + "'");
  return asked;
}

VoiceList EspeakPlugin::voices() {
  VoiceList list;
  if (const auto found = tools::find_program(settings_.program, kPackage); !found.ok()) {
    std::tie(list.reason, list.cure) = split_cure(found.error().message);
    return list;
  }
  list.voices.push_back(
      {settings_.voice, settings_.voice, "espeak-ng", voice::kSpeechRate, true, true});
  return list;
}

void EspeakPlugin::speak(std::shared_ptr<voice::Utterance> utterance) {
  host().blocking([utterance = std::move(utterance), settings = settings_] {
    utterance->done(run(settings, *utterance));
  });
}

}  // namespace gantry::tts_espeak
