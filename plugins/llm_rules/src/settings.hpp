// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string_view>

namespace gantry::rules {

struct Settings {
  std::int64_t wait_timeout = 10'000;  // ms
};
BOOST_DESCRIBE_STRUCT(Settings, (), (wait_timeout))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::rules
