// SPDX-License-Identifier: Apache-2.0
#pragma once
// The notes of a workspace's MEMORY.md, and looking for words in them. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::chat_cortask {

inline constexpr const char* kMemoryFile = "MEMORY.md";    // in the root of a workspace
inline constexpr std::int64_t kLargestMemory = 1LL << 20;  // bytes

struct MemoryNote {
  std::size_t line = 0;  // where it begins, from 1
  std::string heading;   // that it stands under; empty: under none
  std::string content;
};

/// Items of lists and paragraphs, in their order.
[[nodiscard]] std::vector<MemoryNote> notes_of(std::string_view memory);

struct FoundNote {
  MemoryNote note;
  double score = 0;  // above 0, at most 1
};

/// The notes that have words of `query`, the best first: rare words count more than usual ones.
[[nodiscard]] std::vector<FoundNote> find_notes(const std::vector<MemoryNote>& notes,
                                                std::string_view query, std::size_t limit);

}  // namespace gantry::chat_cortask
