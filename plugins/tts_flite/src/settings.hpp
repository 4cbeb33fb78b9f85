// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::tts_flite {

struct Settings {
  std::string voice = "slt";
  std::int32_t streams = 16;
  std::int32_t max_text = 20'000;      // bytes
  std::int64_t idle_release = 45'000;  // milliseconds
};
BOOST_DESCRIBE_STRUCT(Settings, (), (voice, streams, max_text, idle_release))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::tts_flite
