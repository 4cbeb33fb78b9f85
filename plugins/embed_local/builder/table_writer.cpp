// SPDX-License-Identifier: Apache-2.0
#include "table_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "table.hpp"

namespace gantry::embed_local {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr float kMostInt8 = 127;

/// Where the next part begins.
std::uint64_t begin_part(std::string& bytes) {
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
  return bytes.size();
}

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

std::string write_table(const TableContents& contents) {
  TableHeader header{};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  header.version = kTableVersion;
  header.dimensions = static_cast<std::uint32_t>(contents.vectors.cols());
  header.rows = static_cast<std::uint32_t>(contents.vectors.rows());
  header.entries = static_cast<std::uint32_t>(contents.entries.size());

  std::string bytes(kHeaderBytes, '\0');
  header.common = begin_part(bytes);
  for (const float value : contents.common) append(bytes, value);
  header.scales = begin_part(bytes);
  std::vector<float> scales;
  for (Eigen::Index row = 0; row < contents.vectors.rows(); ++row) {
    scales.push_back(contents.vectors.row(row).cwiseAbs().maxCoeff() / kMostInt8);
    append(bytes, scales.back());
  }
  header.vectors = begin_part(bytes);
  for (Eigen::Index row = 0; row < contents.vectors.rows(); ++row) {
    const float scale = scales[static_cast<std::size_t>(row)];
    for (const float value : contents.vectors.row(row)) {
      append(bytes, static_cast<std::int8_t>(scale > 0 ? std::lround(value / scale) : 0));
    }
  }
  header.words = begin_part(bytes);
  std::string texts;
  for (const auto& [text, entry] : contents.entries) {
    append(bytes,
           TableEntry{static_cast<std::uint32_t>(texts.size()), entry.row, entry.probability});
    texts += static_cast<char>(static_cast<unsigned char>(text.size()));
    texts += text;
  }
  header.texts = begin_part(bytes);
  bytes += texts;
  header.size = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof(header));
  header.checksum = table_checksum(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

}  // namespace gantry::embed_local
