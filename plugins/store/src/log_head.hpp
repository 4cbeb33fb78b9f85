// SPDX-License-Identifier: Apache-2.0
//
// Where a log stands, as writers and readers both need it.
#pragma once

#include <Poco/Data/Session.h>
#include <cstdint>
#include <string>

namespace gantry::store {

struct LogHead {
  std::int64_t id = 0;       // 0: there is no such log
  std::int64_t trimmed = 0;  // entries up to this sequence were removed
  std::int64_t last = 0;     // the greatest sequence that was ever given
};

/// Throws what Poco::Data throws.
LogHead read_log_head(Poco::Data::Session& session, const std::string& space,
                      const std::string& name);

}  // namespace gantry::store
