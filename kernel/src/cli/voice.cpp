// SPDX-License-Identifier: Apache-2.0
// gantry voice: a wake phrase, a command, what it does on the desktop, and a spoken answer.
#include <gantry/contracts/speech.hpp>
#include <gantry/contracts/voice.hpp>
#include <gantry/speech/endpointer.hpp>
#include <gantry/speech/resampler.hpp>
#include <gantry/speech/wav.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/conversation.hpp"
#include "cli/input.hpp"
#include "cli/microphone.hpp"
#include "cli/printable.hpp"
#include "cli/speech.hpp"
#include "config/diagnostic.hpp"

namespace gantry::cli {
namespace {

constexpr const char* kOffline = "rules";                    // the planner that needs no model
constexpr std::int64_t kPatience = 8 * speech::kSpeechRate;  // samples between phrase and command
constexpr std::size_t kPause = speech::kSpeechRate / 2;      // samples at an utterance's end
constexpr std::size_t kShortest = speech::kSpeechRate * 4 / 10;  // samples of a command
constexpr std::size_t kMostBytes = std::size_t{512} << 20U;      // of a sound file
constexpr int kTranscribeMs = 120'000;
constexpr const char* kGreeting = "Yes?";
constexpr const char* kNotUnderstood = "I did not understand that.";

using Sound = std::vector<std::int16_t>;

struct Utterance {
  std::int64_t begin = 0;  // sample
  std::int64_t end = 0;
  Sound sound;
};

class Utterances final : public speech::Endpointer::Sink {
 public:
  void begin(std::int64_t at_sample) override { open_ = {at_sample, at_sample, {}}; }
  void sound(std::span<const std::int16_t> samples) override {
    open_.sound.insert(open_.sound.end(), samples.begin(), samples.end());
  }
  void end(std::int64_t at_sample) override {
    open_.end = at_sample;
    done.push_back(std::exchange(open_, {}));
  }
  std::deque<Utterance> done;

 private:
  Utterance open_;
};

Audio audio_of(std::span<const std::int16_t> samples) {
  return {speech::kSpeechRate, 1, speech::buffer_of(samples)};
}

/// Listens to utterances: first for the wake phrase, then for a command.
class Ears {
 public:
  Ears(Access& access, const Invocation& invocation, Speech& speech)
      : access_(access),
        invocation_(invocation),
        speech_(speech),
        conversation_(access, invocation_,
                      std::to_string(std::time(nullptr)) + "-" + std::to_string(getpid())) {
    if (invocation_.model.empty()) invocation_.model = kOffline;
  }

  Result<void> hear(const Utterance& utterance) {
    if (awake_ && utterance.begin - awake_since_ <= kPatience) {
      awake_ = false;
      GANTRY_ASSIGN(const std::string command, words_of(utterance.sound));
      return command.empty() ? reply(kNotUnderstood) : obey(command);
    }
    awake_ = false;
    WakewordFindRequest request;
    request.audio = audio_of(utterance.sound);
    GANTRY_ASSIGN(const auto found, call_typed<WakewordFind>(access_, request));
    if (found->spotted.empty()) return {};
    const WakewordSpotted& wake = found->spotted.back();
    tell("wake", wake.phrase);
    const std::span<const std::int16_t> all(utterance.sound);
    const std::int64_t ended =
        std::clamp<std::int64_t>(wake.end_ms, 0, std::ssize(all) * 1000 / speech::kSpeechRate);
    const auto after = static_cast<std::size_t>(ended * speech::kSpeechRate / 1000);
    if (after + kShortest + kPause <= all.size()) {
      GANTRY_ASSIGN(const std::string command, words_of(all.subspan(after)));
      if (!command.empty()) return obey(command);
    }
    awake_ = true;
    awake_since_ = utterance.end;
    return reply(kGreeting);
  }

  [[nodiscard]] int commands() const { return commands_; }
  [[nodiscard]] int last() const { return last_; }

 private:
  Result<std::string> words_of(std::span<const std::int16_t> sound) {
    TranscribeRequest request;
    request.audio = audio_of(sound);
    GANTRY_ASSIGN(const auto heard,
                  call_typed<SpeechTranscribe>(access_, request, {}, kTranscribeMs));
    return heard->text;
  }

  Result<void> obey(const std::string& command) {
    tell("heard", command);
    ++commands_;
    last_ = conversation_.say(command);
    if (last_ == kUnavailable) return unavailable("the agent does not answer");
    const std::string answer = conversation_.final_answer();
    return answer.empty() ? Result<void>{} : reply(answer);
  }

  Result<void> reply(const std::string& text) {
    tell("said", text);
    const auto said = speech_.say(text);
    return said.ok() ? Result<void>{} : said.error();
  }

  void tell(const char* what, const std::string& text) const {
    if (invocation_.json) {
      std::printf("{\"%s\":%s}\n", what, config::quote_json(text).c_str());
    } else {
      std::fprintf(stderr, "%s: %s\n", what, printable(text).c_str());
    }
    std::fflush(stdout);
  }

  Access& access_;
  Invocation invocation_;
  Speech& speech_;
  Conversation conversation_;
  bool awake_ = false;
  std::int64_t awake_since_ = 0;
  int commands_ = 0;
  int last_ = kOk;
};

Result<void> hear_all(Utterances& utterances, Ears& ears) {
  while (!utterances.done.empty()) {
    const Utterance one = std::move(utterances.done.front());
    utterances.done.pop_front();
    GANTRY_TRY(ears.hear(one));
  }
  return {};
}

Result<void> hear_file(const std::string& name, Ears& ears) {
  GANTRY_ASSIGN(const std::string bytes, read_input(name, kMostBytes));
  GANTRY_ASSIGN(const Audio audio, speech::read_wav(bytes));
  speech::Resampler resampler(speech::kSpeechRate);
  Sound sound = resampler.push(speech::samples_of(audio.samples), audio.sample_rate);
  const Sound rest = resampler.flush();
  sound.insert(sound.end(), rest.begin(), rest.end());
  Utterances utterances;
  speech::Endpointer endpointer(speech::make_energy_detector(), {}, utterances);
  endpointer.push(sound);
  endpointer.flush();
  return hear_all(utterances, ears);
}

Result<void> hear_microphone(Ears& ears) {
  GANTRY_ASSIGN(Microphone microphone, Microphone::open());
  catch_interrupts();
  Utterances utterances;
  speech::Endpointer endpointer(speech::make_energy_detector(), {}, utterances);
  while (!was_interrupted()) {
    const auto sound = microphone.read();
    if (!sound.ok()) return was_interrupted() ? Result<void>{} : sound.error();
    endpointer.push(*sound);
    GANTRY_TRY(hear_all(utterances, ears));
  }
  return {};
}

}  // namespace

int voice(const Invocation& invocation) {
  if (!invocation.arguments.empty()) {
    complain("usage: gantry voice [--input FILE.wav] [-o FILE.wav] [--voice NAME] [--yes]");
    return kUsage;
  }
  if (invocation.output == "-") {
    complain("gantry voice prints on standard output; name a file for the sound with -o");
    return kUsage;
  }
  auto access = open_access(invocation, Need::kEverything);
  if (!access.ok()) return speech_failure(invocation, access.error());
  Speech speech(**access, invocation);
  Ears ears(**access, invocation, speech);
  const auto heard =
      invocation.input.empty() ? hear_microphone(ears) : hear_file(invocation.input, ears);
  if (!heard.ok()) return speech_failure(invocation, heard.error());
  if (const auto said = speech.finish(); !said.ok()) {
    return speech_failure(invocation, said.error());
  }
  if (!invocation.input.empty() && ears.commands() == 0) {
    complain("no wake phrase with a command was heard in " + invocation.input);
    return kFailed;
  }
  return ears.last();
}

}  // namespace gantry::cli
