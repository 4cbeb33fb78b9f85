// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::control {

struct Settings {
  std::string socket;
  std::int64_t max_timeout = 600'000;  ///< ms
};

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::control
