// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/contracts/picture.hpp>

#include <vector>

namespace gantry::perception {

/// The words of each line as one row, in the order in which lines begin. Words without a letter and
/// rows without a word are left out. Pure.
[[nodiscard]] std::vector<PictureRow> rows_of(const std::vector<OcrWord>& words);

}  // namespace gantry::perception
