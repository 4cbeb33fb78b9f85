// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::scripted {

struct Settings {
  std::string script_file;
  std::string script_dir;
  std::int64_t word_delay = 0;  // ms
  std::int64_t context_window = 100'000;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (script_file, script_dir, word_delay, context_window))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::scripted
