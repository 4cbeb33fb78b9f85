// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::vad_silero {

struct Settings {
  std::string models_dir;
  double threshold = 0.5;
  std::int64_t silence = 500;  // milliseconds
  std::int32_t sessions = 8;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (models_dir, threshold, silence, sessions))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::vad_silero
