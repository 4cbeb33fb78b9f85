// SPDX-License-Identifier: Apache-2.0
// Parts of long utterances, with a decoder whose words are 400 ms of equal samples: it says "w7"
// for a whole word and "cut7" for a part of one, so that every word that is cut, lost or there
// twice shows.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "parted_decoder.hpp"

namespace gantry::stt_pocketsphinx {
namespace {

using Samples = std::vector<std::int16_t>;

constexpr std::size_t kSecond = 100 * kFrameSamples;
constexpr std::size_t kWord = 40;  // frames
constexpr std::size_t kBit = 7;
constexpr std::size_t kPart = 5 * kSecond;
constexpr std::size_t kGiven = kSecond / 10;  // at once

class Scripted final : public WordDecoder {
 public:
  struct Log {
    std::vector<std::size_t> ended;  // samples that each end had to go over
    std::size_t heard = 0;
    int dropped = 0;
  };
  explicit Scripted(Log& log) : log_(log) {}

  Result<void> begin() override {
    sound_.clear();
    return {};
  }
  Result<void> sound(std::span<const std::int16_t> samples) override {
    sound_.insert(sound_.end(), samples.begin(), samples.end());
    log_.heard += samples.size();
    return {};
  }
  /// Takes a pause for a word, which its path does not.
  std::string text() override {
    std::string out;
    std::string last;
    for (const Piece& piece : pieces()) {
      if (piece.word.starts_with("bit") && piece.word == last) continue;
      last = piece.word;
      out += (out.empty() ? "" : " ") + (last.empty() ? "um" : last);
    }
    return out;
  }
  Result<Path> end() override {
    log_.ended.push_back(sound_.size());
    return Path{pieces(), 0.5};
  }
  void drop() override { ++log_.dropped; }

 private:
  [[nodiscard]] std::vector<Piece> pieces() const {
    std::vector<Piece> out;
    const std::size_t frames = sound_.size() / kFrameSamples;
    for (std::size_t begin = 0; begin < frames;) {
      const std::int16_t value = sound_[begin * kFrameSamples];
      std::size_t end = begin;
      while (end < frames && sound_[end * kFrameSamples] == value) ++end;
      std::string word;
      if (value < 0) return {};
      if (value > 0) word = (end - begin == kWord ? "w" : "cut") + std::to_string(value);
      const bool goes_on = value > 0 && end == frames && end - begin < kWord;
      if (goes_on) {
        word = "bit" + std::to_string(value);
        end = std::min(end, begin + kBit);
      }
      const auto count = static_cast<double>(end - begin);
      out.push_back({word, static_cast<std::int32_t>(end), -3 * count, -0.5 * count});
      begin = end;
    }
    return out;
  }

  Log& log_;
  Samples sound_;
};

/// Words one after the other; after every `words` of them `pause` frames of silence.
Samples speech(int first, int count, int words = 1000, std::size_t pause = 0) {
  Samples out;
  for (int i = 0; i < count; ++i) {
    out.insert(out.end(), kWord * kFrameSamples, static_cast<std::int16_t>(first + i));
    if ((i + 1) % words == 0) out.resize(out.size() + pause * kFrameSamples);
  }
  return out;
}

std::string words(int first, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += (i == 0 ? "w" : " w") + std::to_string(first + i);
  return out;
}

struct Bench {
  void begin() { REQUIRE(decoder.begin().ok()); }
  /// As it comes; notes partials that have fewer words than the ones before.
  void hear(const Samples& samples) {
    for (std::size_t at = 0; at < samples.size(); at += kGiven) {
      const auto given = std::span(samples).subspan(at, std::min(kGiven, samples.size() - at));
      REQUIRE(decoder.sound(given).ok());
      const std::string text = decoder.text();
      const auto count = std::ranges::count(text, ' ');
      if (count < shown) ++shrunk;
      shown = count;
    }
  }
  Decoded end() {
    auto out = decoder.end();
    REQUIRE(out.ok());
    return *out;
  }
  [[nodiscard]] std::size_t longest_end() const { return std::ranges::max(log.ended); }

  Scripted::Log log;
  PartedDecoder decoder{std::make_unique<Scripted>(log), kPart};
  std::ptrdiff_t shown = 0;
  int shrunk = 0;
};

TEST_CASE("words of long speech are there once and whole, and no end goes over all of it") {
  struct Row {
    const char* name;
    int words;          // between two pauses
    std::size_t pause;  // frames
  };
  for (const Row& row :
       {Row{"without a pause", 1000, 0}, Row{"short gaps", 1, 5}, Row{"pauses", 4, 30},
        Row{"pauses that nearly end it", 7, 49}, Row{"pauses of no whole piece", 3, 23}}) {
    for (int count = 58; count < 71; ++count) {  // 23 to 28 s
      CAPTURE(row.name, count);
      Bench bench;
      bench.begin();
      bench.hear(speech(1, count, row.words, row.pause));
      const Decoded heard = bench.end();
      CHECK(heard.text == words(1, count));
      CHECK(bench.log.ended.size() >= 4);
      CHECK(bench.longest_end() <= kPart + kGiven);
      CHECK(bench.shrunk == 0);
    }
  }
}

TEST_CASE("speech that is short is one part") {
  Bench bench;
  bench.begin();
  bench.hear(speech(1, 9));
  const Decoded heard = bench.end();
  CHECK(heard.text == words(1, 9));
  CHECK(heard.posterior == 0.5);
  CHECK(bench.log.ended.size() == 1);
}

TEST_CASE("scores of parts are those of the whole, each frame counted once") {
  Bench bench;
  bench.begin();
  bench.hear(speech(1, 60, 5, 30));
  const Decoded heard = bench.end();
  CHECK(heard.frames == 60 * 40 + 12 * 30);
  CHECK(heard.acoustic == Approx(-3));
  CHECK(heard.language == Approx(-0.5));
  CHECK(heard.posterior == Approx(std::pow(0.5, bench.log.ended.size())));
}

TEST_CASE("a part ends in a pause near its end, of which at most half a second is heard again") {
  struct Row {
    int words;
    std::size_t pause;  // frames
    std::size_t again;  // frames of the first part that the second one hears
  };
  for (const Row& row :
       {Row{11, 30, 60}, Row{11, 60, 50}, Row{8, 130, 100}, Row{6, 260, 50}, Row{3, 30, 110}}) {
    CAPTURE(row.words, row.pause);
    Bench bench;
    bench.begin();
    Samples sound = speech(1, row.words, row.words, row.pause);
    const Samples more = speech(row.words + 1, 10);
    sound.insert(sound.end(), more.begin(), more.end());
    bench.hear(sound);
    CHECK(bench.log.ended == std::vector<std::size_t>{kPart});
    CHECK(bench.log.heard == sound.size() + row.again * kFrameSamples);
    CHECK(bench.end().text == words(1, row.words + 10));
  }
}

TEST_CASE("an utterance may end right after a part has") {
  for (const std::size_t more : {std::size_t{0}, kFrameSamples, kGiven}) {
    CAPTURE(more);
    Bench bench;
    bench.begin();
    Samples sound = speech(1, 12);
    sound.resize(kPart + more);
    bench.hear(sound);
    REQUIRE(bench.log.ended.size() == 1);
    CHECK(bench.end().text == words(1, 12));
  }
}

TEST_CASE("what is dropped in a later part is not in the next utterance") {
  Bench bench;
  bench.begin();
  bench.hear(speech(1, 12, 3, 15));
  REQUIRE(bench.log.ended.size() == 1);
  bench.decoder.drop();
  CHECK(bench.log.dropped == 1);
  bench.begin();
  bench.shown = 0;
  CHECK(bench.decoder.text().empty());
  bench.hear(speech(50, 12));
  CHECK(bench.log.ended.size() == 1);
  CHECK(bench.end().text == words(50, 12));
  bench.begin();
  const Decoded nothing = bench.end();
  CHECK(nothing.text.empty());
  CHECK(nothing.frames == 0);
}

TEST_CASE("silence, a word without end and what nothing is made of are cut, too") {
  for (const int value : {0, 7, -1}) {
    CAPTURE(value);
    Bench bench;
    bench.begin();
    bench.hear(Samples(30 * kSecond, static_cast<std::int16_t>(value)));
    (void)bench.end();
    CHECK(bench.longest_end() <= kPart + kGiven);
    CHECK(bench.log.heard <= 36 * kSecond);
  }
}

}  // namespace
}  // namespace gantry::stt_pocketsphinx
