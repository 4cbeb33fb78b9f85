// SPDX-License-Identifier: Apache-2.0
#include "factorise.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

namespace gantry::embed_local {
namespace {

using Index = Eigen::Index;

constexpr Index kOversampling = 16;
constexpr Index kBlock = 2048;

Sparse transposed(const Sparse& matrix) {
  Sparse out;
  out.columns = matrix.rows();
  out.begins.assign(matrix.columns + 1, 0);
  for (const Cell& cell : matrix.cells) ++out.begins[cell.column + 1];
  for (std::size_t i = 1; i < out.begins.size(); ++i) out.begins[i] += out.begins[i - 1];
  out.cells.resize(matrix.cells.size());
  std::vector<std::size_t> next(out.begins.begin(), out.begins.end() - 1);
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    for (std::size_t i = matrix.begins[row]; i < matrix.begins[row + 1]; ++i) {
      const Cell& cell = matrix.cells[i];
      out.cells[next[cell.column]++] = {static_cast<std::uint32_t>(row), cell.value};
    }
  }
  return out;
}

/// Calls `work(first, last)` for parts of 0 … count, on two threads.
template <class Work>
void in_two(Index count, Work work) {
  const Index middle = count / 2;
  std::thread other([&] { work(Index{0}, middle); });
  work(middle, count);
  other.join();
}

void multiply(const Sparse& matrix, const Dense& with, Dense& out) {
  out.resize(static_cast<Index>(matrix.rows()), with.cols());
  in_two(out.rows(), [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      out.row(row).setZero();
      const auto r = static_cast<std::size_t>(row);
      for (std::size_t i = matrix.begins[r]; i < matrix.begins[r + 1]; ++i) {
        out.row(row) += matrix.cells[i].value * with.row(matrix.cells[i].column);
      }
    }
  });
}

/// The upper half of the products of all columns with each other.
Eigen::MatrixXf products(const Dense& matrix) {
  const Index width = matrix.cols();
  Eigen::MatrixXf halves[2] = {Eigen::MatrixXf::Zero(width, width),
                               Eigen::MatrixXf::Zero(width, width)};
  in_two(matrix.rows(), [&](Index first, Index last) {
    Eigen::MatrixXf& sum = halves[first == 0 ? 0 : 1];
    for (Index row = first; row < last; row += kBlock) {
      const Index height = std::min(kBlock, last - row);
      sum.selfadjointView<Eigen::Upper>().rankUpdate(matrix.middleRows(row, height).transpose());
    }
  });
  halves[0] += halves[1];
  return halves[0];
}

/// Multiplies every row with `by`, in place.
void multiply_rows(Dense& matrix, const Eigen::MatrixXf& by) {
  in_two(matrix.rows(), [&](Index first, Index last) {
    for (Index row = first; row < last; row += kBlock) {
      const Index height = std::min(kBlock, last - row);
      const Dense block = matrix.middleRows(row, height) * by;
      matrix.block(row, 0, height, by.cols()) = block;
    }
  });
  if (by.cols() < matrix.cols()) matrix.conservativeResize(Eigen::NoChange, by.cols());
}

/// Makes the columns orthonormal. Their products are nearly singular when columns are nearly the
/// same; directions that are lost in rounding become zero.
void orthonormalise(Dense& matrix) {
  const Eigen::MatrixXf square = products(matrix).selfadjointView<Eigen::Upper>();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solved(square);
  const float least = solved.eigenvalues().maxCoeff() * 1e-7F;
  const Eigen::VectorXf scale = solved.eigenvalues().unaryExpr(
      [least](float value) { return value > least ? 1 / std::sqrt(value) : 0.0F; });
  multiply_rows(matrix, solved.eigenvectors() * scale.asDiagonal());
}

Dense random_matrix(Index rows, Index columns, std::uint32_t seed) {
  std::mt19937 bits(seed);
  Dense out(rows, columns);
  // Signs are as good as normal numbers here, and the same with every library.
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = (bits() & 1U) != 0 ? 1.0F : -1.0F;
  return out;
}

}  // namespace

Factors factorise(const Sparse& matrix, Index rank, int powers, std::uint32_t seed) {
  const Sparse turned = transposed(matrix);
  const Index smaller = static_cast<Index>(std::min(matrix.rows(), matrix.columns));
  const Index width = std::min(rank + kOversampling, smaller);
  Dense right = random_matrix(static_cast<Index>(matrix.columns), width, seed);
  Dense left;
  for (int i = 0; i <= powers; ++i) {
    multiply(matrix, right, left);
    orthonormalise(left);
    multiply(turned, left, right);
  }
  // right = Aᵀ·left, so left·(eigenvectors of rightᵀ·right) are the left singular vectors.
  const Eigen::MatrixXf square = products(right).selfadjointView<Eigen::Upper>();
  right.resize(0, 0);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solved(square);
  const Index kept = std::min(rank, width);
  Factors out;
  out.values = solved.eigenvalues().reverse().head(kept).cwiseMax(0.0F).cwiseSqrt();
  multiply_rows(left, solved.eigenvectors().rowwise().reverse().leftCols(kept));
  out.left = std::move(left);
  return out;
}

}  // namespace gantry::embed_local
