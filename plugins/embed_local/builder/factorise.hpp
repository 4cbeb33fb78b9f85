// SPDX-License-Identifier: Apache-2.0
//
// The truncated singular value decomposition of a large sparse matrix by random projection
// (Halko, Martinsson, Tropp 2011).
#pragma once

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gantry::embed_local {

struct Cell {
  std::uint32_t column = 0;
  float value = 0;
};

/// Rows of cells.
struct Sparse {
  std::size_t columns = 0;
  std::vector<std::size_t> begins{0};  // of the rows in `cells`, and the end
  std::vector<Cell> cells;

  [[nodiscard]] std::size_t rows() const { return begins.size() - 1; }
};

using Dense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Factors {
  Dense left;              // rows x rank, its columns of length 1
  Eigen::VectorXf values;  // singular values, the largest first
};

/// `powers` iterations make the projection fit the large values better. The same for the same seed.
Factors factorise(const Sparse& matrix, Eigen::Index rank, int powers, std::uint32_t seed);

}  // namespace gantry::embed_local
