// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "sqlite_backend.hpp"

namespace gantry::store {

BOOST_DESCRIBE_ENUM(IntegrityCheck, automatic, always, never)

struct Settings {
  std::string path;
  IntegrityCheck check_at_start = IntegrityCheck::automatic;
  std::int64_t max_body = 16LL * 1024 * 1024;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (path, check_at_start, max_body))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::store
