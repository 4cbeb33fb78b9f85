// SPDX-License-Identifier: Apache-2.0
//
// The configuration, see plugin.yaml.
#pragma once

#include <gantry/result.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry::vision_vlm {

struct Settings {
  std::string base_url = "http://localhost:3000";
  std::string api_key;
  std::string model;
  std::string model_fast;
  std::string model_actions;
  std::string model_verify;
  std::string mode = "single";
  std::int32_t max_tokens = 1500;
  std::int64_t token_budget = 0;
  double temperature = 0.1;
  std::int64_t timeout = 240'000;  // ms
  std::int32_t image_max_dim = 1600;
  std::string coordinates = "auto";
  std::int32_t ocr_max_chars = 4000;
  std::string prompt;
  std::int32_t queue = 4;
};
BOOST_DESCRIBE_STRUCT(Settings, (),
                      (base_url, api_key, model, model_fast, model_actions, model_verify, mode,
                       max_tokens, token_budget, temperature, timeout, image_max_dim, coordinates,
                       ocr_max_chars, prompt, queue))

Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::vision_vlm
