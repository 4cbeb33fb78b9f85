// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml. Durations are milliseconds.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::tts_openai {

struct Settings {
  std::string api_key;
  std::string base_url;  // without a slash at its end
  bool requires_key = true;
  std::string model = "gpt-4o-mini-tts";
  std::string voice = "alloy";
  std::int32_t pcm_rate = 24'000;
  std::int64_t connect_timeout = 10'000;
  std::int64_t first_byte_timeout = 30'000;
  std::int64_t idle_timeout = 15'000;
  std::int32_t streams = 16;
  std::int32_t max_text = 20'000;  // bytes
  std::string proxy;
  std::string ca_file;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (api_key, base_url, requires_key, model, voice, pcm_rate, connect_timeout,
                       first_byte_timeout, idle_timeout, streams, max_text, proxy, ca_file))

/// With what the environment says for what is empty.
Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::tts_openai
