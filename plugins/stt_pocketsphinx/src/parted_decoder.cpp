// SPDX-License-Identifier: Apache-2.0
#include "parted_decoder.hpp"

#include <algorithm>
#include <utility>

namespace gantry::stt_pocketsphinx {
namespace {

// In frames of 10 ms.
constexpr std::int32_t kPause = 15;      // silence this long is between words
constexpr std::int32_t kUnsure = 80;     // a word that ended later may be the begin of a longer one
constexpr std::int32_t kLookBack = 200;  // bounds the sound that is heard again
constexpr std::int32_t kHeardAgain = 50;  // of a pause

std::string joined(std::string text, const std::string& more) {
  if (!text.empty() && !more.empty()) text += ' ';
  return text += more;
}

std::ptrdiff_t blanks_in(const std::string& text) { return std::ranges::count(text, ' '); }

/// Where a part ends.
struct Cut {
  std::size_t pieces = 0;  // that are kept
  std::size_t frame = 0;   // that the next part begins with
};

/// The last pause, or else the last word that is surely over; the end, where there is neither.
Cut cut_of(const std::vector<Piece>& pieces, std::size_t frames) {
  Cut found{pieces.size(), frames};
  const auto end = static_cast<std::int32_t>(frames);
  for (std::size_t i = pieces.size(); i-- > 1;) {
    const Piece& piece = pieces[i];
    const std::int32_t begin = pieces[i - 1].end;
    if (piece.end < end - kLookBack) break;
    if (piece.word.empty() && piece.end - begin >= kPause) {
      return {i, static_cast<std::size_t>(std::max(begin, piece.end - kHeardAgain))};
    }
    if (found.pieces == pieces.size() && begin <= end - kUnsure) {
      found = {i, static_cast<std::size_t>(begin)};
    }
  }
  return found;
}

}  // namespace

Result<void> PartedDecoder::begin() {
  kept_ = {};
  kept_.posterior = 1;
  part_.clear();
  shown_.clear();
  return decoder_->begin();
}

Result<void> PartedDecoder::sound(std::span<const std::int16_t> samples) {
  part_.insert(part_.end(), samples.begin(), samples.end());
  GANTRY_TRY(decoder_->sound(samples));
  if (part_.size() < longest_) return {};
  return cut();
}

std::string PartedDecoder::text() {
  std::string now = joined(kept_.text, decoder_->text());
  if (blanks_in(now) < blanks_in(shown_)) return shown_;
  shown_.clear();
  return now;
}

Result<void> PartedDecoder::cut() {
  shown_ = text();
  GANTRY_ASSIGN(const Path path, decoder_->end());
  const Cut at = cut_of(path.pieces, part_.size() / kFrameSamples);
  keep(path, at.pieces);
  const std::size_t over = std::min(at.frame * kFrameSamples, part_.size());
  part_.erase(part_.begin(), part_.begin() + static_cast<std::ptrdiff_t>(over));
  GANTRY_TRY(decoder_->begin());
  return decoder_->sound(part_);
}

void PartedDecoder::keep(const Path& path, std::size_t pieces) {
  if (pieces == 0) return;
  kept_.posterior *= path.posterior;
  for (std::size_t i = 0; i < pieces; ++i) {
    const Piece& piece = path.pieces[i];
    kept_.text = joined(std::move(kept_.text), piece.word);
    kept_.acoustic += piece.acoustic;
    kept_.language += piece.language;
  }
  kept_.frames += path.pieces[pieces - 1].end;
}

Result<Decoded> PartedDecoder::end() {
  GANTRY_ASSIGN(const Path path, decoder_->end());
  keep(path, path.pieces.size());
  Decoded out = std::exchange(kept_, {});
  if (out.frames == 0) return Decoded{};
  out.acoustic /= out.frames;
  out.language /= out.frames;
  return out;
}

}  // namespace gantry::stt_pocketsphinx
