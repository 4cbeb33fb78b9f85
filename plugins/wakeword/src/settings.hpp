// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/contracts/voice.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::wakeword {

struct Settings {
  std::vector<WakewordPhrase> phrases;
  std::string model_folder;
  std::string dictionary;
  std::int32_t listeners = 4;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (phrases, model_folder, dictionary, listeners))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::wakeword
