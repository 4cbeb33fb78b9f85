// SPDX-License-Identifier: Apache-2.0
#pragma once
// What each row of a history takes of a model's context, kept beside the rows: a long history need
// not be read through before every model call.

#include <gantry/contracts/session.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gantry::agent {

class RowTokens {
 public:
  /// Rows have changed; that some came at the end is no change.
  void forget() { known_.clear(); }
  /// Tokens of all rows. `tokens_of` is asked for those that are not known: new ones, and those
  /// with pictures, which are shown or not depending on what comes after them.
  template <class F>
  std::int64_t sum(const std::vector<HistoryRow>& rows, F tokens_of) {
    std::int64_t out = 0;
    known_.resize(rows.size(), kUnknown);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t tokens = known_[i] == kUnknown ? tokens_of(rows[i]) : known_[i];
      if (rows[i].images.empty()) known_[i] = tokens;
      out += tokens;
    }
    return out;
  }

 private:
  static constexpr std::int64_t kUnknown = -1;
  std::vector<std::int64_t> known_;  // of the first rows
};

}  // namespace gantry::agent
