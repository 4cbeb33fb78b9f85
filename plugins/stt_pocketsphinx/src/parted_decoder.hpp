// SPDX-License-Identifier: Apache-2.0
#pragma once
// A decoder's work at the end of an utterance grows with the utterance: it goes over all of it
// again. This one does that work while somebody still speaks, a part at a time, so that the end is
// soon there however long the utterance was. A part ends in a pause or between two words; what was
// understood of the sound after that is forgotten, and the next part hears that sound again. So no
// word is cut, lost or there twice.

#include <gantry/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gantry::stt_pocketsphinx {

inline constexpr std::size_t kFrameSamples = 160;  // 10 ms

/// A word, or what is between words. Sums of natural logarithms, not means.
struct Piece {
  std::string word;      // empty: silence or noise
  std::int32_t end = 0;  // frame after its last one, from the utterance's first
  double acoustic = 0;   // likelihood of the sound
  double language = 0;   // probability of the word
};

/// What was understood; the pieces follow one another without a gap.
struct Path {
  std::vector<Piece> pieces;
  double posterior = 0;  // 0 to 1
};

/// One utterance after the other: begin, sound of it, and end or drop.
class WordDecoder {
 public:
  WordDecoder() = default;
  virtual ~WordDecoder() = default;
  WordDecoder(const WordDecoder&) = delete;
  WordDecoder& operator=(const WordDecoder&) = delete;

  [[nodiscard]] virtual Result<void> begin() = 0;
  [[nodiscard]] virtual Result<void> sound(std::span<const std::int16_t> samples) = 0;
  [[nodiscard]] virtual std::string text() = 0;
  [[nodiscard]] virtual Result<Path> end() = 0;
  virtual void drop() = 0;
};

struct Decoded {
  std::string text;
  double posterior = 0;  // of the best path, 0 to 1; of parts, their product
  double acoustic = 0;   // log-likelihood of the sound, of a frame
  double language = 0;   // log-probability of the words in the model, of a frame
  std::int32_t frames = 0;
};

class PartedDecoder {
 public:
  /// A part is as long as `longest` samples, give or take the last sound given.
  PartedDecoder(std::unique_ptr<WordDecoder> decoder, std::size_t longest)
      : decoder_(std::move(decoder)), longest_(longest) {}

  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> sound(std::span<const std::int16_t> samples);
  /// Of the whole utterance so far; a cut leaves it no shorter than it was.
  [[nodiscard]] std::string text();
  [[nodiscard]] Result<Decoded> end();
  void drop() { decoder_->drop(); }

 private:
  [[nodiscard]] Result<void> cut();
  void keep(const Path& path, std::size_t pieces);

  std::unique_ptr<WordDecoder> decoder_;
  std::size_t longest_;
  std::vector<std::int16_t> part_;  // the sound of this part
  Decoded kept_;                    // of the parts before; sums, where Decoded has means
  std::string shown_;               // before the last cut, while there is less to show
};

}  // namespace gantry::stt_pocketsphinx
