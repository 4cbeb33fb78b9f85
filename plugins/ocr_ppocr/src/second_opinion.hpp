// SPDX-License-Identifier: Apache-2.0
//
// Whose reading of a line counts, Tesseract's or the network's. Certainties are of 100; each of the
// two has a scale of its own.
#pragma once

#include <gantry/ocr/line_finder.hpp>

#include <vector>

namespace gantry::ocr_ppocr {

/// Tesseract's words that are less certain are read by the network, too.
inline constexpr double kCertain = 60;

/// Whether there are letters beyond ASCII: the network, made for Chinese and English, takes those
/// with accents for others.
bool has_foreign_letters(const std::vector<ocr::ReadWord>& words);

/// Whether the network's reading counts for words that Tesseract is not certain of.
bool network_wins(const std::vector<ocr::ReadWord>& tesseract,
                  const std::vector<ocr::ReadWord>& network);

}  // namespace gantry::ocr_ppocr
