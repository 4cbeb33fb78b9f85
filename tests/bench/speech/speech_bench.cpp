// SPDX-License-Identifier: Apache-2.0
//
// Word error rates, real-time factors and the time from the configured pause to the final.
//   speech_bench [--verbose] [--processor] [--only WORDS]
// --processor times finals by the processor, as if nothing else ran here; --only runs the sets
// whose name has the words.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gantry/speech/transcriber.hpp>
#include <gantry/speech/wav.hpp>

#include "engine.hpp"
#include "voices.hpp"

namespace {

using gantry::voices::Clip;
using gantry::voices::Errors;

constexpr double kCoreSeconds = 1e-9;
constexpr std::size_t kLongSeconds = 25;
constexpr double kPieceSeconds = 0.1;  // of sound, as a client sends it
bool verbose = false;
bool processor = false;  // finals are timed by it, and not on the wall
std::string_view only;

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * kCoreSeconds;
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds() { return processor ? cpu_seconds() : wall_seconds(); }

struct Score {
  Errors errors;
  double sound = 0;               // seconds
  double cpu = 0;                 // seconds
  std::vector<double> finals_ms;  // from the pause's end to the final
  double longest_s = 0;           // of the utterances
  double longest_ms = 0;          // from the longest one's end to its final
};

/// As if the sound came while it is being said: what takes long keeps what comes after it waiting.
class Clock {
 public:
  /// Runs `work` on the next piece of sound.
  template <class Work>
  void hear(const Work& work) {
    arrived_ += kPieceSeconds;
    start_ = std::max(start_ + took_, arrived_);
    begun_ = seconds();
    work();
    took_ = seconds() - begun_;
  }
  /// Within `work`: seconds since its piece of sound was there.
  [[nodiscard]] double late() const { return start_ - arrived_ + seconds() - begun_; }

 private:
  double arrived_ = 0;
  double start_ = 0;
  double took_ = 0;
  double begun_ = 0;
};

void note_final(Score& score, const gantry::SpeechEvent& event, double late_s) {
  const double ms = late_s * 1e3;
  score.finals_ms.push_back(ms);
  const double length = static_cast<double>(event.end_ms - event.begin_ms) / 1e3;
  if (length <= score.longest_s) return;
  score.longest_s = length;
  score.longest_ms = ms;
}

void hear(gantry::stt_pocketsphinx::Engine& engine, const Clip& clip, Score& score) {
  std::string heard;
  Clock clock;
  std::string route;
  double confidence = 0;
  gantry::speech::Transcriber transcriber(engine, gantry::speech::make_energy_detector(), {},
                                          [&](const gantry::SpeechEvent& event) {
                                            if (event.kind != gantry::SpeechEventKind::Final)
                                              return;
                                            heard += (heard.empty() ? "" : " ") + event.text;
                                            route = event.route;
                                            confidence = event.confidence;
                                            note_final(score, event, clock.late());
                                          });
  const double begun = cpu_seconds();
  auto samples = gantry::speech::samples_of(clip.audio.samples);
  const auto rate = static_cast<std::size_t>(clip.audio.sample_rate);
  samples.resize(samples.size() + rate);  // a second of silence after it
  for (std::size_t at = 0; at < samples.size(); at += rate / 10) {
    const auto piece = std::span(samples).subspan(at, std::min(rate / 10, samples.size() - at));
    clock.hear([&] {
      const auto taken =
          transcriber.sound({clip.audio.sample_rate, 1, gantry::speech::buffer_of(piece)});
      if (!taken.ok()) std::abort();
    });
  }
  if (!transcriber.flush().ok()) std::abort();
  score.cpu += cpu_seconds() - begun;
  score.sound += static_cast<double>(samples.size()) / static_cast<double>(rate);
  const Errors errors = gantry::voices::compare(clip.said, heard);
  score.errors.add(errors);
  if (!verbose) return;
  const auto& last = engine.last();
  fmt::print(
      "  {} / {}  [{}] said '{}'\n{:12}heard '{}' ({}, {:.2f})\n{:12}c '{}' {:.2f} p{:.2f} "
      "n{} l{:.3f}\n{:12}g '{}' {:.2f} p{:.2f} n{} l{:.3f}\n",
      errors.wrong, errors.words, clip.name, clip.said, "", heard, route, confidence, "",
      last.commands.text, last.commands.acoustic, last.commands.posterior, last.commands.frames,
      last.commands.language, "", last.general.text, last.general.acoustic, last.general.posterior,
      last.general.frames, last.general.language);
}

void print(std::string_view name, Score score) {
  auto& finals = score.finals_ms;
  std::sort(finals.begin(), finals.end());
  const double p50 = finals.empty() ? 0 : finals[finals.size() / 2];
  const double most = finals.empty() ? 0 : finals.back();
  fmt::print("{:44} {:>4}/{:<4} {:>6.1f} %   {:>6.2f}   {:>6.0f} {:>6.0f}   {:>5.1f} {:>6.0f}\n",
             name, score.errors.wrong, score.errors.words, 100 * score.errors.rate(),
             score.cpu / score.sound, p50, most, score.longest_s, score.longest_ms);
}

std::vector<Clip> said_by(std::string_view voice, const std::vector<std::string>& lines) {
  std::vector<Clip> out;
  for (const auto& text : lines) {
    out.push_back({std::string(voice), gantry::voices::spoken_by(voice, text), text});
  }
  return out;
}

void run(std::string_view name, const std::vector<Clip>& clips, bool commands, bool general,
         const std::vector<std::string>& vocabulary) {
  if (name.find(only) == std::string_view::npos) return;
  gantry::stt_pocketsphinx::EngineSettings settings;
  settings.model_dir = "/usr/share/pocketsphinx/model/en-us";
  settings.commands = commands;
  settings.general = general;
  auto engine = gantry::stt_pocketsphinx::Engine::create(settings);
  if (!engine.ok()) {
    fmt::print("{}: {}\n", name, engine.error().message);
    return;
  }
  if (!(*engine)->prepare({"en", vocabulary}).ok()) std::abort();
  Score score;
  for (const Clip& clip : clips) hear(**engine, clip, score);
  print(name, std::move(score));
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> options(arguments + 1, arguments + count);
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == "--verbose") verbose = true;
    if (options[i] == "--processor") processor = true;
    if (options[i] == "--only" && i + 1 < options.size()) only = options[i + 1];
  }
  fmt::print("{:44} {:>9} {:>8}   {:>6}   {:>6} {:>6}   {:>5} {:>6}\n", "", "words", "WER", "RTF",
             "ms p50", "most", "s", "ms");
  const auto people = gantry::voices::recordings();
  const auto& names = gantry::voices::names_on_screen();
  run("people, general", people, false, true, {});
  run("people, both", people, true, true, names);
  const std::vector<Clip> long_ones{gantry::voices::joined(people, kLongSeconds)};
  run("people on and on, general", long_ones, false, true, {});
  run("people on and on, both", long_ones, true, true, names);
  for (const std::string_view voice : {"slt", "rms"}) {
    const auto clips = said_by(voice, gantry::voices::commands());
    const auto more = said_by(voice, gantry::voices::more_commands());
    run(fmt::format("commands by {}, commands", voice), clips, true, false, names);
    run(fmt::format("commands by {}, both", voice), clips, true, true, names);
    run(fmt::format("held-out commands by {}, commands", voice), more, true, false, names);
    run(fmt::format("held-out commands by {}, both", voice), more, true, true, names);
    run(fmt::format("commands by {}, general", voice), clips, false, true, {});
    const std::vector<Clip> together{gantry::voices::joined(clips, kLongSeconds)};
    run(fmt::format("on and on by {}, commands", voice), together, true, false, names);
    run(fmt::format("on and on by {}, both", voice), together, true, true, names);
  }
  return 0;
}
