// SPDX-License-Identifier: Apache-2.0
#include "spotter.hpp"

#include <fmt/format.h>
#include <pocketsphinx.h>
#include <sphinxbase/err.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "phrases.hpp"

namespace gantry::wakeword {
namespace {

constexpr const char* kModel = "/usr/share/pocketsphinx/model/en-us/en-us";
constexpr const char* kDictionary = "/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict";
constexpr const char* kCure = "apt-get install pocketsphinx-en-us";
constexpr const char* kSearch = "wake";
constexpr std::int64_t kMsPerFrame = 10;
constexpr std::size_t kStep = 1600;  // samples between two looks

/// A file that the decoder can open by its name, and nobody else needs to see.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view text) : fd_(memfd_create("gantry-wakeword", MFD_CLOEXEC)) {
    while (fd_ >= 0 && !text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    whole_ = fd_ >= 0 && text.empty();
  }
  ~MemoryFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] bool whole() const { return whole_; }
  [[nodiscard]] std::string name() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
  bool whole_ = false;
};

}  // namespace

struct Spotter::Decoder {
  explicit Decoder(ps_decoder_t* d) : raw(d) {}
  ~Decoder() { ps_free(raw); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ps_decoder_t* raw;
};

Places places(const std::string& model_folder, const std::string& dictionary) {
  return {model_folder.empty() ? kModel : model_folder,
          dictionary.empty() ? kDictionary : dictionary};
}

Result<void> check_places(const Places& places) {
  std::error_code ignored;
  if (!std::filesystem::exists(places.model / "mdef", ignored)) {
    return unavailable(fmt::format("there is no acoustic model in {}", places.model.string()),
                       kCure);
  }
  if (!std::filesystem::exists(places.dictionary, ignored)) {
    return unavailable(
        fmt::format("the pronouncing dictionary {} is not there", places.dictionary.string()),
        kCure);
  }
  return {};
}

Spotter::Spotter(std::vector<WakewordPhrase> phrases, std::unique_ptr<Decoder> decoder)
    : phrases_(std::move(phrases)), decoder_(std::move(decoder)) {}

Spotter::~Spotter() { ps_end_utt(decoder_->raw); }

Result<std::unique_ptr<Spotter>> Spotter::create(std::vector<WakewordPhrase> phrases,
                                                 const Places& places) {
  GANTRY_ASSIGN(const std::string list, phrase_list(phrases));
  GANTRY_TRY(check_places(places));
  GANTRY_ASSIGN(const std::string words, dictionary_of(phrases, places.dictionary));
  for (WakewordPhrase& phrase : phrases) {
    GANTRY_ASSIGN(phrase.text, normal_phrase(phrase.text));
  }
  const MemoryFile dictionary(words);
  const MemoryFile keys(list);
  if (!dictionary.whole() || !keys.whole()) {
    return Error{Code::ResourceExhausted, "there is no memory for the words of the phrases", {}};
  }
  err_set_logfp(nullptr);
  cmd_ln_t* config = cmd_ln_init(nullptr, ps_args(), TRUE, "-hmm", places.model.c_str(), "-dict",
                                 dictionary.name().c_str(), "-kws", keys.name().c_str(), nullptr);
  ps_decoder_t* raw = config == nullptr ? nullptr : ps_init(config);
  if (config != nullptr) cmd_ln_free_r(config);
  if (raw == nullptr) {
    return unavailable(
        fmt::format("pocketsphinx cannot load the acoustic model in {}", places.model.string()),
        kCure);
  }
  auto decoder = std::make_unique<Decoder>(raw);
  if (ps_start_utt(raw) != 0) return internal_error("pocketsphinx does not begin to listen");
  return std::unique_ptr<Spotter>(new Spotter(std::move(phrases), std::move(decoder)));
}

/// Tells of the phrases that the decoder has found; whether there were any.
bool Spotter::look(const Use& use) {
  std::int32_t score = 0;
  if (ps_get_hyp(decoder_->raw, &score) == nullptr) return false;
  bool any = false;
  for (ps_seg_t* seg = ps_seg_iter(decoder_->raw); seg != nullptr; seg = ps_seg_next(seg)) {
    std::string text = ps_seg_word(seg);
    while (!text.empty() && text.back() == ' ') text.pop_back();  // as the list has it
    const auto phrase = std::find_if(phrases_.begin(), phrases_.end(),
                                     [&](const WakewordPhrase& row) { return row.text == text; });
    if (phrase == phrases_.end()) continue;
    int first = 0;
    int last = 0;
    ps_seg_frames(seg, &first, &last);
    const std::int64_t base = begun_ * 1000 / kRate;
    any = true;
    use({phrase->text, static_cast<std::int32_t>(phrase - phrases_.begin()),
         base + first * kMsPerFrame, base + (last + 1) * kMsPerFrame});
  }
  return any;
}

Result<void> Spotter::feed(std::span<const std::int16_t> samples, const Use& use) {
  while (!samples.empty()) {
    const auto step = samples.first(std::min(samples.size(), kStep));
    samples = samples.subspan(step.size());
    if (ps_process_raw(decoder_->raw, step.data(), step.size(), FALSE, FALSE) < 0) {
      return internal_error("pocketsphinx cannot take this sound");
    }
    fed_ += static_cast<std::int64_t>(step.size());
    if (!look(use)) continue;
    // What was found stays found until a new utterance begins.
    ps_end_utt(decoder_->raw);
    if (ps_start_utt(decoder_->raw) != 0) return internal_error("pocketsphinx has ended");
    begun_ = fed_;
  }
  return {};
}

void Spotter::end(const Use& use) {
  const std::vector<std::int16_t> silence(kStep * 3, 0);  // it decides a little later
  (void)feed(silence, use);
  ps_end_utt(decoder_->raw);
  look(use);
  (void)ps_start_utt(decoder_->raw);
  begun_ = fed_;
}

}  // namespace gantry::wakeword
