// SPDX-License-Identifier: Apache-2.0
//
// Closed shapes of edges: letters, words and icons.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

namespace gantry::vision_cv {

/// Edges that hang together.
struct Atom {
  cv::Rect box;
  double density = 0;  // 0 to 1: how much of the box is edge
};

[[nodiscard]] std::vector<Atom> atoms_of(const cv::Mat& edges);

/// A line of text as its shape shows it, without reading it.
struct TextBox {
  cv::Rect box;
  int atoms = 0;
};

/// Texts and what else is there. `atoms` becomes those that belong to no text. Pure.
[[nodiscard]] std::vector<TextBox> texts_of(std::vector<Atom>& atoms);

struct Icon {
  cv::Rect box;
  bool doubtful = false;  // it may be a letter as well
};

/// Atoms that are close to each other, of 8 to 56 pixels. Pure.
[[nodiscard]] std::vector<Icon> icons_of(const std::vector<Atom>& atoms, cv::Size picture);

}  // namespace gantry::vision_cv
