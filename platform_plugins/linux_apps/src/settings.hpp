// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gantry::apps {

struct EnvironmentSettings {
  std::vector<std::string> pass;
  std::vector<std::string> set;
};
BOOST_DESCRIBE_STRUCT(EnvironmentSettings, (), (pass, set))

struct Settings {
  EnvironmentSettings environment;
  std::vector<std::string> terminal;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (environment, terminal))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::apps
