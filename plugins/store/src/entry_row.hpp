// SPDX-License-Identifier: Apache-2.0
//
// What a row of the table of entries holds: one entry, or several that were appended together,
// which costs hardly more than one. The row's sequence is that of its last entry. Of several
// entries the column `type` has a line for each, "<bytes of its body> <its type>\n", and `body` has
// their bodies one behind the other; a type of its own has no line break.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::store {

struct EntryView {
  std::string_view type;
  std::string_view body;
};

/// Bytes of a row of several entries at most. Rows that do not fit what is left of a page leave it
/// empty: with this the database is as large as with a row for each entry, and who reads few
/// entries reads little else.
inline constexpr std::size_t kFullRow = 1'000;

/// Collects the entries of one row. It may be used again and again, and keeps its room.
class EntryPacker {
 public:
  void clear();
  /// The texts must live until the packer is cleared.
  void add(std::string_view type, std::string_view body);
  /// Whether an entry of so many bytes would be too much for the row.
  [[nodiscard]] bool fits(std::string_view type, std::string_view body) const;
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(entries_.size()); }
  /// The two columns; good until add() or clear().
  [[nodiscard]] EntryView columns();

 private:
  std::vector<EntryView> entries_;
  std::size_t bytes_ = 0;
  std::string types_;
  std::string bodies_;
};

/// The entries of a row, in order, as views into its columns; none: it is damaged.
void unpack(EntryView columns, std::vector<EntryView>& entries);

}  // namespace gantry::store
