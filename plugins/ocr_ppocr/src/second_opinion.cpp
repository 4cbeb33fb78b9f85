// SPDX-License-Identifier: Apache-2.0
#include "second_opinion.hpp"

#include <gantry/ocr/words.hpp>

#include <algorithm>

namespace gantry::ocr_ppocr {
namespace {

constexpr double kMoreCertain = 80;  // the network, so that it counts

}  // namespace

bool has_foreign_letters(const std::vector<ocr::ReadWord>& words) {
  return std::any_of(words.begin(), words.end(), [](const ocr::ReadWord& word) {
    return std::any_of(word.text.begin(), word.text.end(),
                       [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  });
}

bool network_wins(const std::vector<ocr::ReadWord>& tesseract,
                  const std::vector<ocr::ReadWord>& network) {
  if (ocr::least_certain(network) < kMoreCertain) return false;
  return !has_foreign_letters(tesseract) || ocr::least_certain(tesseract) < kCertain / 2;
}

}  // namespace gantry::ocr_ppocr
