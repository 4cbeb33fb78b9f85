// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml. Durations are milliseconds.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::stt_vosk {

struct Settings {
  std::string libvosk = "libvosk.so";
  std::string model_dir;
  std::string language;
  bool vocabulary_only = false;
  std::int32_t sessions = 2;
  std::int64_t silence = 500;
  std::int64_t longest_utterance = 30'000;
  std::int64_t idle_release = 45'000;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (libvosk, model_dir, language, vocabulary_only, sessions, silence,
                       longest_utterance, idle_release))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::stt_vosk
