// SPDX-License-Identifier: Apache-2.0
// gantry listen: the words of a WAVE file, of standard input or of the microphone.
#include <gantry/contracts/speech.hpp>
#include <gantry/speech/endpointer.hpp>
#include <gantry/speech/wav.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/access.hpp"
#include "cli/conversation.hpp"
#include "cli/input.hpp"
#include "cli/microphone.hpp"
#include "cli/printable.hpp"

namespace gantry::cli {
namespace {

constexpr int kPatienceMs = 600'000;
constexpr std::size_t kMostBytes = std::size_t{512} << 20U;
constexpr std::size_t kPieceSeconds = 60;
constexpr std::size_t kCutSeconds = 5;  // at the end of a piece; its quietest place is the cut

int fail(const Error& error) {
  complain(error.message);
  return exit_of(error);
}

Result<Ref<Transcript>> transcribe(Access& access, const Invocation& invocation,
                                   const Audio& audio) {
  TranscribeRequest request;
  request.audio = audio;
  return call_typed<SpeechTranscribe>(access, request, invocation.target,
                                      std::max(invocation.timeout_ms, kPatienceMs));
}

void print(const Invocation& invocation, const Transcript& heard) {
  if (!invocation.json) {
    for (const SpokenUtterance& one : heard.utterances) {
      std::printf("%s\n", printable_line(one.text).c_str());
    }
  } else {
    gantry_buf encoded{};
    if (type_of<Transcript>().encode(&heard, &encoded) == GANTRY_OK) {
      std::printf("%s\n", std::string(Buffer::adopt(encoded).text()).c_str());
    }
  }
  std::fflush(stdout);
}

/// Where a long clip is cut: the quietest tenth of a second in the last seconds of a piece.
std::size_t cut_of(std::span<const std::int16_t> samples, std::size_t rate) {
  const std::size_t most = kPieceSeconds * rate;
  if (samples.size() <= most) return samples.size();
  const std::size_t tenth = rate / 10;
  std::size_t best = most;
  std::int64_t least = INT64_MAX;
  for (std::size_t at = most - kCutSeconds * rate; at + tenth <= most; at += tenth) {
    std::int64_t sum = 0;
    for (const std::int16_t sample : samples.subspan(at, tenth)) sum += std::abs(int{sample});
    if (sum < least) {
      least = sum;
      best = at + tenth / 2;
    }
  }
  return best;
}

void append(Transcript& all, const Transcript& more, std::int64_t begin_ms) {
  if (!all.text.empty() && !more.text.empty()) all.text += ' ';
  all.text += more.text;
  if (!more.route.empty()) all.route = more.route;
  for (SpokenUtterance one : more.utterances) {
    if (one.begin_ms >= 0) one.begin_ms += begin_ms;
    if (one.end_ms >= 0) one.end_ms += begin_ms;
    all.utterances.push_back(std::move(one));
  }
}

int listen_to_file(Access& access, const Invocation& invocation, const std::string& name) {
  const auto bytes = read_input(name, kMostBytes);
  if (!bytes.ok()) return fail(bytes.error());
  const auto audio = speech::read_wav(*bytes);
  if (!audio.ok()) return fail(audio.error());
  const auto rate = static_cast<std::size_t>(audio->sample_rate);
  const auto samples = speech::samples_of(audio->samples);
  Transcript all;
  for (std::size_t at = 0; at < samples.size();) {
    const auto rest = std::span(samples).subspan(at);
    const std::size_t count = cut_of(rest, rate);
    const auto heard = transcribe(access, invocation,
                                  {audio->sample_rate, 1, speech::buffer_of(rest.first(count))});
    if (!heard.ok()) return fail(heard.error());
    append(all, **heard, static_cast<std::int64_t>(at * 1000 / rate));
    at += count;
  }
  print(invocation, all);
  return kOk;
}

/// Collects one utterance after the other.
class Utterances final : public speech::Endpointer::Sink {
 public:
  void begin(std::int64_t) override { sound_.clear(); }
  void sound(std::span<const std::int16_t> samples) override {
    sound_.insert(sound_.end(), samples.begin(), samples.end());
  }
  void end(std::int64_t) override { done_.push_back(std::exchange(sound_, {})); }
  [[nodiscard]] std::vector<std::vector<std::int16_t>> take() { return std::exchange(done_, {}); }

 private:
  std::vector<std::int16_t> sound_;
  std::vector<std::vector<std::int16_t>> done_;
};

int listen_to_microphone(Access& access, const Invocation& invocation) {
  auto microphone = Microphone::open();
  if (!microphone.ok()) return fail(microphone.error());
  catch_interrupts();
  Utterances utterances;
  speech::Endpointer endpointer(speech::make_energy_detector(), {}, utterances);
  while (true) {
    const auto sound = microphone->read();
    if (!sound.ok()) return was_interrupted() ? kOk : fail(sound.error());
    if (sound->empty() || was_interrupted()) endpointer.flush();
    endpointer.push(*sound);
    for (const auto& one : utterances.take()) {
      const auto heard =
          transcribe(access, invocation, {speech::kSpeechRate, 1, speech::buffer_of(one)});
      if (!heard.ok()) return fail(heard.error());
      if (!(*heard)->utterances.empty()) print(invocation, **heard);
    }
    if (was_interrupted()) return kOk;
  }
}

}  // namespace

int listen(const Invocation& invocation) {
  if (invocation.arguments.size() > 1) {
    complain("usage: gantry listen [FILE.wav | -]; without a file the microphone is heard");
    return kUsage;
  }
  auto access = open_access(invocation, Need::kContract, std::string(SpeechTranscribe::kName));
  if (!access.ok()) return fail(access.error());
  if (invocation.arguments.empty()) return listen_to_microphone(**access, invocation);
  return listen_to_file(**access, invocation, invocation.arguments.front());
}

}  // namespace gantry::cli
