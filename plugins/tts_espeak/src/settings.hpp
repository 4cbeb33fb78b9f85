// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::tts_espeak {

struct Settings {
  std::string program = "espeak-ng";
  std::string voice = "en-us";
  std::int32_t words_per_minute = 170;
  std::int64_t time_limit = 20'000;  // milliseconds
  std::int32_t streams = 16;
  std::int32_t max_text = 20'000;  // bytes
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (program, voice, words_per_minute, time_limit, streams, max_text))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::tts_espeak
