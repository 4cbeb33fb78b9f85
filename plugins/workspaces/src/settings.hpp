// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::workspaces {

struct Settings {
  std::string folder;
  std::vector<std::string> folders;
  std::int64_t most = 1000;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (folder, folders, most))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::workspaces
