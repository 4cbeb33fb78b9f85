// SPDX-License-Identifier: Apache-2.0
//
// The file of word vectors, mapped into memory. All numbers are little-endian; every part begins
// at a multiple of 64 bytes. After the header (kHeaderBytes):
//
//   common    float[dimensions]             the direction that all texts share
//   scales    float[rows]                   a row's largest absolute value, divided by 127
//   vectors   int8[rows][dimensions]
//   entries   {u32 text, u32 row, float p}  sorted by text (bytes); p: how often the word occurs
//   texts     the entries' texts, each {u8 length, bytes}; a phrase has '_' between its words
#pragma once

#include <gantry/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gantry::embed_local {

inline constexpr std::size_t kHeaderBytes = 128;
inline constexpr std::uint32_t kTableVersion = 1;

struct TableHeader {
  char magic[8];  // kMagic
  std::uint32_t version;
  std::uint32_t dimensions;
  std::uint32_t rows;
  std::uint32_t entries;
  std::uint64_t checksum;                               // of everything behind the header
  std::uint64_t common, scales, vectors, words, texts;  // where the parts begin
  std::uint64_t size;                                   // of the file
};
static_assert(sizeof(TableHeader) <= kHeaderBytes);
inline constexpr std::string_view kMagic{"GNTRYEMB", 8};

struct TableEntry {
  std::uint32_t text;
  std::uint32_t row;
  float probability;
};
static_assert(sizeof(TableEntry) == 12);

/// FNV-1a over the file's words of eight bytes, the rest byte by byte. The header must be there.
std::uint64_t table_checksum(std::string_view file);

/// One word of the table.
struct Word {
  std::span<const std::int8_t> vector;
  float scale = 0;  // a component is its int8 times this
  float probability = 0;
};

/// Thread-safe; the bytes stay where they are while it lives.
class Table {
 public:
  /// Maps a file. Errors: not_found, data_loss (it is none, is of another version or is damaged).
  static Result<Table> open(const std::filesystem::path& file);
  /// Of bytes that the caller keeps. Errors: data_loss.
  static Result<Table> of(std::string_view bytes);

  Table(Table&& other) noexcept;
  Table& operator=(Table&& other) noexcept;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table();

  [[nodiscard]] std::size_t dimensions() const { return header_.dimensions; }
  [[nodiscard]] std::size_t rows() const { return header_.rows; }
  [[nodiscard]] std::size_t entries() const { return header_.entries; }
  [[nodiscard]] std::uint64_t checksum() const { return header_.checksum; }
  [[nodiscard]] std::span<const float> common() const;
  [[nodiscard]] std::optional<Word> find(std::string_view word) const;

 private:
  Table() = default;
  [[nodiscard]] Result<void> check();
  [[nodiscard]] TableEntry entry(std::size_t index) const;
  [[nodiscard]] std::string_view text_of(const TableEntry& entry) const;

  TableHeader header_{};
  std::string_view bytes_;
  bool mapped_ = false;
};

}  // namespace gantry::embed_local
