// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml. Durations are milliseconds.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::stt_openai {

struct Settings {
  std::string api_key;
  std::string base_url;
  bool requires_key = true;
  std::string mode = "realtime";
  std::string openai_realtime_session_model = "gpt-realtime";
  std::string openai_realtime_transcription_model = "gpt-4o-transcribe";
  std::string realtime_form = "current";
  std::string upload_model = "gpt-4o-transcribe";
  std::string language = "en";
  double threshold = 0.5;
  std::int64_t padding = 300;
  std::int64_t silence = 500;
  std::int32_t sessions = 8;
  std::int64_t request_timeout = 60'000;
  std::string proxy;
  std::string ca_file;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (api_key, base_url, requires_key, mode, openai_realtime_session_model,
                       openai_realtime_transcription_model, realtime_form, upload_model, language,
                       threshold, padding, silence, sessions, request_timeout, proxy, ca_file))

/// With key and address of the environment where the configuration has none.
Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::stt_openai
