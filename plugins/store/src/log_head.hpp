// SPDX-License-Identifier: Apache-2.0
//
// Where a log stands, as writers and readers both need it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "backend.hpp"

namespace gantry::store {

struct LogHead {
  std::int64_t id = 0;       // 0: there is no such log
  std::int64_t trimmed = 0;  // entries up to this sequence were removed
  std::int64_t last = 0;     // the greatest sequence that was ever given
};

/// Reads one by its space and its name.
inline constexpr std::string_view kSelectLogHead =
    "SELECT id, trimmed, (SELECT COALESCE(MAX(sequence), 0) FROM entries WHERE log = id) FROM logs "
    "WHERE space = $1 AND name = $2";

/// `statement` is kSelectLogHead. Throws what Poco::Data throws.
LogHead read_log_head(Prepared& statement, const std::string& space, const std::string& name);

}  // namespace gantry::store
