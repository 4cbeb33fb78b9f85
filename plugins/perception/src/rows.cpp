// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <algorithm>
#include <map>

namespace gantry::perception {
namespace {

constexpr double kPercent = 100;

Rect around(const Rect& a, const Rect& b) {
  const std::int32_t left = std::min(a.x, b.x);
  const std::int32_t top = std::min(a.y, b.y);
  return {left, top, std::max(a.x + a.width, b.x + b.width) - left,
          std::max(a.y + a.height, b.y + b.height) - top};
}

struct Gathering {
  PictureRow row;
  double certain = 0;  // confidence times bytes
  std::size_t bytes = 0;

  void add(const OcrWord& word) {
    row.bbox = row.text.empty() ? word.bbox : around(row.bbox, word.bbox);
    if (!row.text.empty()) row.text += ' ';
    row.text += word.text;
    certain += word.confidence * static_cast<double>(word.text.size());
    bytes += word.text.size();
  }

  PictureRow done() {
    row.confidence = std::clamp(certain / static_cast<double>(bytes) / kPercent, 0.0, 1.0);
    row.bbox.width = std::max(row.bbox.width, 1);
    row.bbox.height = std::max(row.bbox.height, 1);
    return std::move(row);
  }
};

}  // namespace

std::vector<PictureRow> rows_of(const std::vector<OcrWord>& words) {
  std::vector<Gathering> lines;
  std::map<std::int32_t, std::size_t> places;
  for (const OcrWord& word : words) {
    if (word.text.find_first_not_of(" \t\r\n") == std::string::npos) continue;
    const auto [place, is_new] = places.try_emplace(word.line, lines.size());
    if (is_new) lines.emplace_back();
    lines[place->second].add(word);
  }
  std::vector<PictureRow> rows;
  rows.reserve(lines.size());
  for (Gathering& line : lines) rows.push_back(line.done());
  return rows;
}

}  // namespace gantry::perception
