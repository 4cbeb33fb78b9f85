// SPDX-License-Identifier: Apache-2.0
#include "build_table.hpp"

#include <algorithm>
#include <cmath>

#include "features.hpp"
#include "lsa_embedder.hpp"
#include "table_writer.hpp"

namespace gantry::embed_local {
namespace {

constexpr int kPowers = 2;
constexpr std::uint32_t kSeed = 20061206;
constexpr float kValuePower = 0.5F;           // of the singular values
constexpr std::size_t kGlossesForCommon = 7;  // every so manieth

void add_entries(const WordNet& net, const Features& features, TableContents& contents) {
  const auto probabilities = word_probabilities(net);
  const auto probability = [&](const std::string& word) {
    const auto found = probabilities.find(word);
    return found == probabilities.end() ? 0.0F : found->second;
  };
  for (std::uint32_t row = 0; row < features.words.size(); ++row) {
    const std::string& word = features.words[row];
    contents.entries[word] = {row, probability(word)};
  }
  for (const auto& [inflected, base] : net.exceptions) {
    const auto found = contents.entries.find(base);
    if (found != contents.entries.end() && inflected.size() < 64) {
      contents.entries.try_emplace(inflected, found->second);
    }
  }
}

/// The direction that the means of many texts share: the largest singular vector of them.
std::vector<float> common_direction(const WordNet& net, const Table& table) {
  const auto width = static_cast<Eigen::Index>(table.dimensions());
  Eigen::MatrixXf sum = Eigen::MatrixXf::Zero(width, width);
  Dense block(512, width);
  Eigen::Index filled = 0;
  const auto flush = [&] {
    sum.selfadjointView<Eigen::Upper>().rankUpdate(block.topRows(filled).transpose());
    filled = 0;
  };
  for (std::size_t i = 0; i < net.synsets.size(); i += kGlossesForCommon) {
    const std::vector<float> mean = mean_of_words(table, net.synsets[i].gloss);
    block.row(filled++) = Eigen::Map<const Eigen::RowVectorXf>(mean.data(), width);
    if (filled == block.rows()) flush();
  }
  flush();
  Eigen::VectorXf direction = Eigen::VectorXf::Ones(width);
  for (int i = 0; i < 100; ++i) {
    direction = (sum.selfadjointView<Eigen::Upper>() * direction).eval();
    const float length = direction.norm();
    if (!(length > 0)) return std::vector<float>(table.dimensions(), 0.0F);
    direction /= length;
  }
  return {direction.data(), direction.data() + width};
}

}  // namespace

std::string build_table(const WordNet& net, int dimensions) {
  TableContents contents;
  {
    Features features = features_of(net);
    add_entries(net, features, contents);
    Factors factors = factorise(features.matrix, dimensions, kPowers, kSeed);
    const Eigen::RowVectorXf scale = factors.values.array().pow(kValuePower).transpose();
    contents.vectors = std::move(factors.left);
    contents.vectors.array().rowwise() *= scale.array();
  }
  for (Eigen::Index row = 0; row < contents.vectors.rows(); ++row) {
    const float length = contents.vectors.row(row).norm();
    if (length > 0) contents.vectors.row(row) /= length;
  }
  contents.common.assign(static_cast<std::size_t>(contents.vectors.cols()), 0);
  const std::string without = write_table(contents);
  const auto table = Table::of(without);
  if (table.ok()) contents.common = common_direction(net, *table);
  return write_table(contents);
}

}  // namespace gantry::embed_local
