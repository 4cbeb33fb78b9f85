// SPDX-License-Identifier: Apache-2.0
#include "flite_voices.hpp"

#include <flite/flite.h>

#include <dlfcn.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

namespace gantry::tts_flite {
namespace {

constexpr std::array<std::string_view, 5> kVoices = {"slt", "awb", "rms", "kal16", "kal"};
constexpr std::string_view kPrefix = "cmu_us_";
constexpr std::size_t kFirstPiece = 90;  // letters as they are said
constexpr std::size_t kDigit = 5;        // letters that a digit is said with
constexpr std::size_t kLeastPiece = 20;
constexpr int kChunk = 512;  // samples that flite makes at once

struct Loaded {
  cst_voice* voice = nullptr;
  void (*unregister)(cst_voice*) = nullptr;
};

std::mutex& flite_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::map<std::string, Loaded, std::less<>>& loaded_voices() {
  static std::map<std::string, Loaded, std::less<>> voices;
  return voices;
}

Error missing(std::string_view name, const char* why) {
  return unavailable("the voice " + std::string(name) + " of Flite is not there: " +
                         (why == nullptr ? "its library has another form" : why),
                     "apt-get install libflite1");
}

Result<void*> open_library(std::string_view name) {
  const std::string file = "libflite_cmu_us_" + std::string(name) + ".so.1";
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return missing(name, dlerror());
  return library;
}

/// With the lock held. Its library is never closed: flite keeps pointers into it.
Result<cst_voice*> load(std::string_view name) {
  auto& voices = loaded_voices();
  if (const auto found = voices.find(name); found != voices.end()) return found->second.voice;
  GANTRY_ASSIGN(void* library, open_library(name));
  const std::string id = std::string(kPrefix) + std::string(name);
  auto* make =
      reinterpret_cast<cst_voice* (*)(const char*)>(dlsym(library, ("register_" + id).c_str()));
  auto* unmake =
      reinterpret_cast<void (*)(cst_voice*)>(dlsym(library, ("unregister_" + id).c_str()));
  if (make == nullptr || unmake == nullptr) return missing(name, nullptr);
  flite_init();
  cst_voice* voice = make(nullptr);
  if (voice == nullptr) return internal_error("Flite could not set up the voice " + id);
  voices.emplace(std::string(name), Loaded{voice, unmake});
  return voice;
}

struct Listening {
  const TakeSamples* take;
  bool any = false;
  bool stopped = false;
};

/// Bytes at the front that are said with kFirstPiece letters. The engine does its work on a piece
/// as a whole before the first sample, some 0.2 ms a letter.
std::size_t first_piece(std::string_view sentence) {
  std::size_t letters = 0;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    const bool digit = sentence[i] >= '0' && sentence[i] <= '9';
    letters += digit ? kDigit : 1;
    if (letters > kFirstPiece) return i;
  }
  return sentence.size();
}

std::span<const std::int16_t> samples(const cst_wave* wave, int start, int size) {
  return {wave->samples + start, static_cast<std::size_t>(std::max(size, 0))};
}

int on_samples(const cst_wave* wave, int start, int size, int, cst_audio_streaming_info* info) {
  auto& listening = *static_cast<Listening*>(info->userdata);
  listening.any = true;
  if (size <= 0) return CST_AUDIO_STREAM_CONT;
  listening.stopped = !(*listening.take)(samples(wave, start, size), wave->sample_rate);
  return listening.stopped ? CST_AUDIO_STREAM_STOP : CST_AUDIO_STREAM_CONT;
}

}  // namespace

std::span<const std::string_view> known_voices() { return kVoices; }

std::string voice_name(std::string_view asked) {
  std::string name(asked);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  return std::find(kVoices.begin(), kVoices.end(), name) == kVoices.end() ? std::string() : name;
}

Result<void> find_voice(std::string_view name) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> found;  // looking costs milliseconds
  const std::lock_guard lock(mutex);
  if (found.contains(name)) return {};
  GANTRY_ASSIGN(void* library, open_library(name));
  dlclose(library);
  found.emplace(name);
  return {};
}

Result<void> speak(std::string_view voice_name, std::string_view text, double rate,
                   const TakeSamples& take) {
  const std::lock_guard lock(flite_mutex());
  GANTRY_ASSIGN(cst_voice * voice, load(voice_name));
  Listening listening{&take};
  cst_audio_streaming_info* info = new_audio_streaming_info();
  info->asc = &on_samples;
  info->min_buffsize = kChunk;
  info->userdata = &listening;
  feat_set(voice->features, "streaming_info", audio_streaming_info_val(info));  // owns it
  feat_set_float(voice->features, "duration_stretch", static_cast<float>(1 / rate));
  cst_wave* wave = flite_text_to_wave(std::string(text).c_str(), voice);
  feat_remove(voice->features, "streaming_info");
  if (wave == nullptr) return internal_error("Flite made no sound of a sentence");
  // Voices of the older kind do not stream.
  if (!listening.any) take(samples(wave, 0, wave->num_samples), wave->sample_rate);
  delete_wave(wave);
  return {};
}

void release_voices() {
  {
    const std::lock_guard lock(flite_mutex());
    for (const auto& [name, loaded] : loaded_voices()) loaded.unregister(loaded.voice);
    loaded_voices().clear();
  }
  malloc_trim(0);
}

std::vector<std::string> quick_start(std::string_view sentence) {
  const std::string_view front = sentence.substr(0, first_piece(sentence));
  if (front.size() == sentence.size()) return {std::string(sentence)};
  std::size_t at = front.rfind(", ");
  if (at == std::string_view::npos || at < kLeastPiece) at = front.rfind("; ");
  if (at == std::string_view::npos || at < kLeastPiece) at = front.rfind(' ');
  if (at == std::string_view::npos || at < kLeastPiece) return {std::string(sentence)};
  return {std::string(sentence.substr(0, at + 1)), std::string(sentence.substr(at + 1))};
}

}  // namespace gantry::tts_flite
