// SPDX-License-Identifier: Apache-2.0
#include "voices.hpp"

#include <gantry/speech/endpointer.hpp>
#include <gantry/speech/wav.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <utility>

extern "C" {
// Of flite, whose headers do not compile without warnings.
struct cst_voice_struct;
struct cst_wave_struct {  // NOLINT(readability-identifier-naming): the library's name
  const char* type;
  int sample_rate;
  int num_samples;
  int num_channels;
  short* samples;
};
int flite_init(void);
cst_wave_struct* flite_text_to_wave(const char* text, cst_voice_struct* voice);
void delete_wave(cst_wave_struct* wave);
cst_voice_struct* register_cmu_us_slt(const char* folder);
cst_voice_struct* register_cmu_us_rms(const char* folder);
}

namespace gantry::voices {
namespace {

const std::string kFolder = "/usr/share/pocketsphinx/test/data/";

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

/// Lines of the form "<s> ten of clubs  </s> (001)".
void add_transcribed(std::vector<Clip>& out, const std::string& folder, const std::string& file) {
  std::istringstream lines(whole_file(kFolder + folder + file));
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t begin = line.find("<s>");
    const std::size_t end = line.find("</s>");
    const std::size_t name = line.rfind('(');
    if (begin == std::string::npos || end == std::string::npos || name == std::string::npos)
      continue;
    const std::string id = line.substr(name + 1, line.rfind(')') - name - 1);
    auto audio = speech::read_wav(whole_file(kFolder + folder + id + ".wav"));
    if (!audio.ok()) continue;
    std::string said;
    for (const auto& word : words_of(line.substr(begin + 3, end - begin - 3))) {
      said += (said.empty() ? "" : " ") + word;
    }
    out.push_back({folder + id, std::move(*audio), std::move(said)});
  }
}

void add_raw(std::vector<Clip>& out, const std::string& name, const std::string& said) {
  const std::string bytes = whole_file(kFolder + name);
  if (bytes.empty()) return;
  Clip clip;
  clip.name = name;
  clip.audio.samples = Buffer::copy(bytes);
  clip.said = said;
  out.push_back(std::move(clip));
}

/// Without the silence at its ends.
std::span<const std::int16_t> trimmed(std::span<const std::int16_t> samples) {
  constexpr int kQuiet = 600;
  const auto loud = [](std::int16_t sample) { return std::abs(int{sample}) > kQuiet; };
  const auto first = std::find_if(samples.begin(), samples.end(), loud);
  const auto last = std::find_if(samples.rbegin(), samples.rend(), loud).base();
  return first < last ? std::span(first, last) : samples;
}

}  // namespace

std::vector<Clip> recordings() {
  std::vector<Clip> out;
  add_transcribed(out, "cards/", "cards.transcription");
  add_transcribed(out, "librivox/", "transcription");
  add_raw(out, "goforward.raw", "go forward ten meters");
  return out;
}

Audio spoken_by(std::string_view voice, const std::string& text) {
  static const int ready = flite_init();
  static cst_voice_struct* const slt = register_cmu_us_slt(nullptr);
  static cst_voice_struct* const rms = register_cmu_us_rms(nullptr);
  (void)ready;
  cst_wave_struct* const wave = flite_text_to_wave(text.c_str(), voice == "rms" ? rms : slt);
  Audio out{wave->sample_rate, 1,
            speech::buffer_of({wave->samples, static_cast<std::size_t>(wave->num_samples)})};
  delete_wave(wave);
  return out;
}

Clip joined(const std::vector<Clip>& clips, std::size_t seconds) {
  constexpr std::size_t kPause = speech::kSpeechRate * 3 / 10;
  std::vector<std::int16_t> sound;
  std::string said;
  for (const Clip& clip : clips) {
    if (sound.size() >= seconds * speech::kSpeechRate) break;
    if (!sound.empty()) sound.resize(sound.size() + kPause);
    const auto samples = speech::samples_of(clip.audio.samples);
    const auto spoken = trimmed(samples);
    sound.insert(sound.end(), spoken.begin(), spoken.end());
    said += (said.empty() ? "" : " ") + clip.said;
  }
  Clip out;
  out.name = "joined";
  out.audio.samples = speech::buffer_of(sound);
  out.said = said;
  return out;
}

const std::vector<std::string>& names_on_screen() {
  static const std::vector<std::string> names{
      "Mail settings", "Inbox",         "notes.txt - Mousepad", "Mousepad",  "Downloads", "Budget",
      "Chromium",      "Weekly report", "Attach file",          "Dark mode", "Compose",   "Spam",
      "Drafts",        "Signature"};
  return names;
}

const std::vector<std::string>& commands() {
  static const std::vector<std::string> lines{
      "please double click the inbox item in mail settings",
      "switch to mousepad and take a screenshot",
      "click attach file then press control q",
      "wait for the weekly report up to five seconds",
      "open the drafts and press enter",
      "scroll down twelve times then press home",
      "read the signature field in mail settings",
      "close chromium and list windows",
      "press escape then click compose",
      "right click the budget tab in chromium",
      "go to mail settings and click the dark mode checkbox",
      "click save in mousepad and press control w",
      "switch to the chromium window then scroll up",
      "open downloads then wait two seconds",
      "focus the subject field in compose",
      "press tab then read the status field",
      "take a screenshot of the weekly report window",
      "double click budget and press control c",
      "click the spam tab then press delete",
      "describe the mail settings window then press escape",
  };
  return lines;
}

const std::vector<std::string>& more_commands() {
  static const std::vector<std::string> lines{
      "right click weekly report and press escape",
      "switch to mail settings then read the signature",
      "click the compose button in chromium",
      "open mousepad then press control n",
      "double click the drafts item in mail settings",
      "wait for downloads then take a screenshot",
      "go to chromium and scroll down three times",
      "type into the subject field in compose",
      "click dark mode in mail settings",
      "close the budget window and press tab",
      "press control a then press backspace",
      "read the weekly report field in mousepad",
      "describe the compose window and press enter",
      "click spam then click delete",
      "please switch to the downloads window",
      "press alt tab and wait three seconds",
      "scroll up five times and click inbox",
      "focus mousepad then press page down",
      "take a screenshot of budget and press escape",
      "open the attach file menu in compose",
  };
  return lines;
}

Errors compare(std::string_view said, std::string_view heard) {
  const auto a = words_of(said);
  const auto b = words_of(heard);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t same = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, same});
    }
  }
  return {row[b.size()], a.size()};
}

}  // namespace gantry::voices
