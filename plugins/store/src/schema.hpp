// SPDX-License-Identifier: Apache-2.0
//
// The version of the tables, and the way up to the newest.
#pragma once

#include <Poco/Data/Session.h>

#include "backend.hpp"

namespace gantry::store {

/// 0 for a database without tables.
Result<int> schema_version(const Backend& backend, Poco::Data::Session& session);

/// Brings the tables to version `target`, step by step, each step whole or not at all. Negative: to
/// the newest. Errors: failed_precondition (the tables are newer than this program), and those of
/// the backend.
Result<void> migrate(const Backend& backend, Poco::Data::Session& session, int target = -1);

}  // namespace gantry::store
