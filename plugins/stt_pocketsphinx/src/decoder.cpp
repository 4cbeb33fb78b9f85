// SPDX-License-Identifier: Apache-2.0
#include "decoder.hpp"

#include <pocketsphinx.h>
#include <sphinxbase/err.h>
#include <sphinxbase/ngram_model.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace gantry::stt_pocketsphinx {
namespace {

constexpr const char* kCommands = "commands";

/// The library's chatter goes nowhere; the setting is the thread's.
void quiet() { err_set_logfp(nullptr); }

/// A file in memory that can be opened by its name.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& text) : file_(memfd_create("gantry-stt", MFD_CLOEXEC)) {
    std::size_t at = 0;
    while (file_ >= 0 && at < text.size()) {
      const ssize_t count = write(file_, text.data() + at, text.size() - at);
      if (count <= 0) break;
      at += static_cast<std::size_t>(count);
    }
    whole_ = at == text.size();
  }
  ~MemoryFile() {
    if (file_ >= 0) close(file_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
  bool whole_ = false;
};

/// What is said by a dictionary's entry: "read(2)" is another way to say "read", and nobody says
/// "<sil>" or "[NOISE]".
std::string word_said(std::string_view entry) {
  if (entry.empty() || entry[0] == '<' || entry[0] == '[' || entry[0] == '+') return {};
  return std::string(entry.substr(0, entry.find('(', 1)));
}

Error missing(const std::filesystem::path& file) {
  return unavailable("the speech model has no " + file.string(),
                     "install pocketsphinx-en-us, or set stt_pocketsphinx.model_dir");
}

}  // namespace

Result<ModelFiles> model_files(const std::filesystem::path& folder) {
  std::error_code ignored;
  const std::string language = folder.filename().string();
  ModelFiles files{folder / language, folder / ("cmudict-" + language + ".dict"),
                   folder / (language + ".lm.bin")};
  for (const auto& file : {files.acoustic / "mdef", files.dictionary, files.language}) {
    if (!std::filesystem::exists(file, ignored)) return missing(file);
  }
  return files;
}

void Decoder::Free::operator()(ps_decoder_s* decoder) const {
  quiet();
  ps_free(decoder);
}

Result<std::unique_ptr<Decoder>> Decoder::create(const ModelFiles& files, bool general) {
  quiet();
  const std::string acoustic = files.acoustic.string();
  const std::string dictionary = files.dictionary.string();
  const std::string language = files.language.string();
  // English is not gone over a second time at the end of a part: people are understood no worse
  // without it. Commands are: else they cannot be told from English by how well they fit.
  cmd_ln_t* const config = general
                               ? cmd_ln_init(nullptr, ps_args(), TRUE, "-hmm", acoustic.c_str(),
                                             "-dict", dictionary.c_str(), "-lm", language.c_str(),
                                             "-remove_silence", "no", "-fwdflat", "no", nullptr)
                               : cmd_ln_init(nullptr, ps_args(), TRUE, "-hmm", acoustic.c_str(),
                                             "-remove_silence", "no", nullptr);
  if (config == nullptr) return internal_error("PocketSphinx refuses its own settings");
  ps_decoder_t* const decoder = ps_init(config);
  cmd_ln_free_r(config);
  if (decoder == nullptr) {
    return unavailable("PocketSphinx cannot load the model in " + files.acoustic.string(),
                       "install pocketsphinx-en-us again, or set stt_pocketsphinx.model_dir");
  }
  return std::unique_ptr<Decoder>(new Decoder(decoder));
}

Result<void> Decoder::set_commands(const std::string& arpa, const std::string& dictionary) {
  quiet();
  const MemoryFile file(arpa);
  const MemoryFile words(dictionary);
  if (!file.whole() || !words.whole()) {
    return Error{Code::ResourceExhausted, "no memory for a language model", {}};
  }
  if (ps_load_dict(decoder_.get(), words.path().c_str(), nullptr, nullptr) != 0) {
    return internal_error("PocketSphinx does not take the dictionary");
  }
  ngram_model_t* const model = ngram_model_read(ps_get_config(decoder_.get()), file.path().c_str(),
                                                NGRAM_ARPA, ps_get_logmath(decoder_.get()));
  if (model == nullptr) return internal_error("PocketSphinx cannot read the language model");
  const bool taken = ps_set_lm(decoder_.get(), kCommands, model) == 0 &&
                     ps_set_search(decoder_.get(), kCommands) == 0;
  ngram_model_free(model);
  if (!taken) return internal_error("PocketSphinx does not take the language model");
  return {};
}

Result<void> Decoder::begin() {
  quiet();
  if (inside_) drop();
  if (ps_start_utt(decoder_.get()) != 0) {
    return internal_error("PocketSphinx does not begin an utterance");
  }
  inside_ = true;
  return {};
}

Result<void> Decoder::sound(std::span<const std::int16_t> samples) {
  quiet();
  if (ps_process_raw(decoder_.get(), samples.data(), samples.size(), FALSE, FALSE) < 0) {
    return internal_error("PocketSphinx does not take the sound");
  }
  return {};
}

std::string Decoder::text() {
  quiet();
  const char* const text = ps_get_hyp(decoder_.get(), nullptr);
  return text == nullptr ? std::string() : std::string(text);
}

Result<Path> Decoder::end() {
  quiet();
  inside_ = false;
  if (ps_end_utt(decoder_.get()) < 0) {
    return internal_error("PocketSphinx does not end the utterance");
  }
  Path out;
  logmath_t* const math = ps_get_logmath(decoder_.get());
  out.posterior = std::clamp(logmath_exp(math, ps_get_prob(decoder_.get())), 0.0, 1.0);
  int begin = -1;
  for (ps_seg_t* part = ps_seg_iter(decoder_.get()); part != nullptr; part = ps_seg_next(part)) {
    int first = 0;
    int last = 0;
    int32 score = 0;
    int32 words = 0;
    ps_seg_frames(part, &first, &last);
    (void)ps_seg_prob(part, &score, &words, nullptr);
    if (begin < 0) begin = first;  // frames are counted from the decoder's first one
    out.pieces.push_back({word_said(ps_seg_word(part)), last + 1 - begin,
                          logmath_log_to_ln(math, score), logmath_log_to_ln(math, words)});
  }
  return out;
}

void Decoder::drop() {
  quiet();
  if (std::exchange(inside_, false)) (void)ps_end_utt(decoder_.get());
}

}  // namespace gantry::stt_pocketsphinx
