// SPDX-License-Identifier: Apache-2.0
#include "ctc.hpp"

#include <gantry/utf8.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gantry::ocr_ppocr {
namespace {

constexpr std::size_t kMostKeys = 100'000;
constexpr double kWideGap = 0.42;   // of an advance more than the usual gap: there is a blank
constexpr double kNoGap = 0.22;     // and here there is none
constexpr double kLeastMean = 0.5;  // a line that is less certain is no text

/// The plain form of a full-width one.
std::string plain(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kOthers{
      {{"\u3000", " "},
       {"\uFFE0", "\u00A2"},
       {"\uFFE1", "\u00A3"},
       {"\uFFE5", "\u00A5"},
       {"\u2103", "\u00B0C"}}};
  for (const auto& [wide, narrow] : kOthers) {
    if (key == wide) return std::string(narrow);
  }
  // U+FF01 to U+FF5E are EF BC 81 to EF BD 9E.
  if (key.size() != 3 || key[0] != '\xEF') return std::string(key);
  const unsigned second = static_cast<unsigned char>(key[1]);
  const unsigned third = static_cast<unsigned char>(key[2]);
  const unsigned code = 0xF000U | ((second & 0x3FU) << 6U) | (third & 0x3FU);
  if (code < 0xFF01U || code > 0xFF5EU) return std::string(key);
  return {static_cast<char>(code - 0xFF01U + '!')};
}

/// Bytes of the one character that `text` is; 0 when it is anything else.
bool is_character(std::string_view text) {
  if (text.empty() || text.size() > 4) return false;
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t size = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (size != text.size() || (first >= 0x80 && first < 0xC2)) return false;
  return std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; });
}

/// The widest run of columns without ink from `from` to `to`.
int widest_gap(const std::vector<bool>& inked, int from, int to) {
  int widest = 0;
  int run = 0;
  for (int x = std::max(from, 0); x <= to && x < static_cast<int>(inked.size()); ++x) {
    run = inked[static_cast<std::size_t>(x)] ? 0 : run + 1;
    widest = std::max(widest, run);
  }
  return widest;
}

/// Characters with the blanks between words mended.
std::vector<Character> spaced(const std::vector<Character>& characters, const cv::Mat& ink,
                              double step) {
  std::vector<bool> inked(static_cast<std::size_t>(ink.cols));
  for (int x = 0; x < ink.cols; ++x) {
    double most = 0;
    cv::minMaxLoc(ink.col(x), nullptr, &most);
    inked[static_cast<std::size_t>(x)] = most >= ocr::kLeastInk;
  }
  const double first = characters.front().at;
  const double last = characters.back().at;
  std::vector<int> gaps;
  for (std::size_t i = 1; i < characters.size(); ++i) {
    if (characters[i - 1].text == " " || characters[i].text == " ") continue;
    gaps.push_back(widest_gap(inked, static_cast<int>(characters[i - 1].at * step),
                              static_cast<int>(characters[i].at * step)));
  }
  const double advance =
      (last - first) * step / static_cast<double>(std::max<std::size_t>(characters.size() - 1, 1));
  double usual = 0;
  if (!gaps.empty()) {
    std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2),
                     gaps.end());
    usual = gaps[gaps.size() / 2];
  }
  std::vector<Character> out;
  const Character* before = nullptr;  // the last one that is no blank
  bool blank = false;
  for (const Character& next : characters) {
    if (next.text == " ") {
      blank = true;
      continue;
    }
    if (before != nullptr) {
      const int gap =
          widest_gap(inked, static_cast<int>(before->at * step), static_cast<int>(next.at * step));
      if (blank ? gap >= kNoGap * advance : gap >= usual + kWideGap * advance) {
        out.push_back({" ", 1, (before->at + next.at) / 2});
      }
    }
    out.push_back(next);
    before = &next;
    blank = false;
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> read_keys(std::string_view text) {
  std::vector<std::string> keys{""};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_character(line) || keys.size() > kMostKeys) {
      return Error{Code::DataLoss,
                   "line " + std::to_string(keys.size()) + " of the characters is no character",
                   {}};
    }
    keys.push_back(plain(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (keys.size() == 1) return Error{Code::DataLoss, "the list of characters is empty", {}};
  keys.emplace_back(" ");
  return keys;
}

std::vector<Character> decode(std::span<const float> scores, const std::vector<std::string>& keys) {
  std::vector<Character> out;
  std::size_t last = 0;
  const std::size_t columns = scores.size() / keys.size();
  for (std::size_t column = 0; column < columns; ++column) {
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(column * keys.size());
    const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(keys.size()));
    const auto key = static_cast<std::size_t>(best - begin);
    const double confidence = std::isfinite(*best) ? std::clamp<double>(*best, 0, 1) : 0;
    if (key != 0 && key == last) {
      out.back().at += 0.5;
      out.back().confidence = std::max(out.back().confidence, confidence);
    } else if (key != 0) {
      out.push_back({keys[key], confidence, static_cast<double>(column) + 0.5});
    }
    last = key;
  }
  return out;
}

std::vector<ocr::ReadWord> words_of(const std::vector<Character>& characters, const cv::Mat& ink,
                                    double step) {
  std::vector<ocr::ReadWord> out;
  double sum = 0;
  for (const Character& one : characters) sum += one.confidence;
  if (characters.empty() || sum < kLeastMean * static_cast<double>(characters.size())) return out;
  const std::vector<Character> whole = spaced(characters, ink, step);
  const double half = 0.5 * step * 2;
  for (auto first = whole.begin(); first != whole.end();) {
    const auto last =
        std::find_if(first, whole.end(), [](const Character& c) { return c.text == " "; });
    if (first != last) {
      ocr::ReadWord word;
      for (auto one = first; one != last; ++one) {
        word.text += one->text;
        word.confidence += 100 * one->confidence / static_cast<double>(last - first);
      }
      const double left = std::max(0.0, first->at * step - half);
      const double right =
          std::min(static_cast<double>(ink.cols), std::prev(last)->at * step + half);
      word.box = cv::Rect(static_cast<int>(left), 0, std::max(1, static_cast<int>(right - left)),
                          ink.rows) &
                 cv::Rect(cv::Point(), ink.size());
      if (!word.box.empty()) out.push_back(std::move(word));
    }
    first = last == whole.end() ? last : std::next(last);
  }
  return out;
}

}  // namespace gantry::ocr_ppocr
