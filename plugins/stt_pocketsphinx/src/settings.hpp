// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml. Durations are milliseconds.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::stt_pocketsphinx {

struct Settings {
  std::string model_dir = "/usr/share/pocketsphinx/model/en-us";
  std::string listen_for = "both";  // both, commands, general
  double margin = 0.25;
  std::vector<std::string> vocabulary;
  bool window_titles = true;
  bool element_names = true;
  std::string vad = "auto";  // auto, energy, silero
  std::string models_dir;
  std::int32_t sessions = 2;
  std::int64_t silence = 500;
  std::int64_t longest_utterance = 30'000;
  std::int64_t idle_release = 45'000;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (model_dir, listen_for, margin, vocabulary, window_titles, element_names, vad,
                       models_dir, sessions, silence, longest_utterance, idle_release))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::stt_pocketsphinx
