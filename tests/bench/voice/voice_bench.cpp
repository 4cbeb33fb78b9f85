// SPDX-License-Identifier: Apache-2.0
//
// Flite: from a sentence to its first sound, and the work of a second of speech. Wake phrases: hits
// and false accepts by voice and rate. The voices are Flite's own; nobody's recordings are here.
#include <fmt/format.h>

#include <time.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flite_voices.hpp"
#include "spotter.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Sound = std::vector<std::int16_t>;

constexpr const char* kTexts[] = {
    "Done.",
    "I have opened the settings window and selected the second tab.",
    "I have opened the settings window and selected the second tab, which shows the network "
    "configuration of this computer, and every address that was assigned to it since the restart.",
    "On January 14th 2026 at 12:45 the 3 reports were sent to 14 people, 8 of them in room 1204.",
};
constexpr const char* kPhrases[] = {"hey computer", "okay gantry", "hey jarvis",
                                    "good morning robot"};
constexpr const char* kOthers[] = {
    "My computer is slow today.",          "Hey, come over here.",
    "Okay, let us begin with the report.", "Good morning everybody, how are you?",
    "The robot cleans the floor.",         "Please open the window and close the door.",
    "Nineteen people were at the table.",  "A gallery of pictures is downstairs.",
};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

/// Of this thread; unlike the time on the wall it does not depend on what else runs.
double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

Sound said(std::string_view voice, const std::string& text, double rate) {
  Sound out(8000, 0);
  (void)gantry::tts_flite::speak(voice, text, rate, [&](auto samples, std::int32_t) {
    out.insert(out.end(), samples.begin(), samples.end());
    return true;
  });
  out.insert(out.end(), 8000, 0);
  return out;
}

void speech() {
  fmt::print("{:10} {:>10} {:>10} {:>12} {:>10}, limit of the first 30 ms\n", "letters", "first ms",
             "CPU ms", "whole ms", "speech s");
  (void)said("slt", "Warm.", 1);
  for (const std::string text : kTexts) {
    double first = 0;
    double first_cpu = 0;
    std::size_t samples = 0;
    const auto begin = Clock::now();
    const double cpu = cpu_ms();
    for (const std::string& piece : gantry::tts_flite::quick_start(text)) {
      (void)gantry::tts_flite::speak("slt", piece, 1, [&](auto some, std::int32_t) {
        if (samples == 0) {
          first = ms_since(begin);
          first_cpu = cpu_ms() - cpu;
        }
        samples += some.size();
        return true;
      });
    }
    fmt::print("{:<10} {:>10.1f} {:>10.1f} {:>12.1f} {:>10.2f}\n", text.size(), first, first_cpu,
               ms_since(begin), static_cast<double>(samples) / 16'000);
  }
}

std::size_t hits(gantry::wakeword::Spotter& spotter, const Sound& sound) {
  std::size_t count = 0;
  const auto use = [&](const gantry::WakewordSpotted&) { ++count; };
  (void)spotter.feed(sound, use);
  spotter.end(use);
  return count;
}

void wake_phrases() {
  fmt::print("\n{:20} {:>8} {:>8} {:>16} {:>8}\n", "phrase at 1e-20", "said", "heard",
             "false of others", "RTF");
  for (const std::string phrase : kPhrases) {
    auto made =
        gantry::wakeword::Spotter::create({{phrase, 1e-20}}, gantry::wakeword::places("", ""));
    if (!made.ok()) {
      fmt::print("{}: {}\n", phrase, made.error().message);
      continue;
    }
    int spoken = 0;
    int heard = 0;
    int others = 0;
    int wrong = 0;
    double sound_s = 0;
    double work_ms = 0;
    const auto listen = [&](const Sound& sound) {
      const auto begin = Clock::now();
      const bool any = hits(**made, sound) > 0;
      work_ms += ms_since(begin);
      sound_s += static_cast<double>(sound.size()) / 16'000;
      return any;
    };
    for (const std::string_view voice : {"slt", "awb", "rms"}) {
      for (const double rate : {0.85, 1.0, 1.2}) {
        ++spoken;
        if (listen(said(voice, phrase + ".", rate))) ++heard;
      }
      for (const std::string other : kOthers) {
        ++others;
        if (listen(said(voice, other, 1))) ++wrong;
      }
    }
    fmt::print("{:20} {:>8} {:>8} {:>10} of {:<3} {:>7.3f}\n", phrase, spoken, heard, wrong, others,
               work_ms / 1000 / sound_s);
  }
}

}  // namespace

int main() {
  speech();
  wake_phrases();
  return 0;
}
