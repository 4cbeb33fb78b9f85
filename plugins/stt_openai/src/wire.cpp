// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include <gantry/codec.hpp>

#include <cstdlib>

#include "settings.hpp"

GANTRY_INSTANTIATE(gantry::stt_openai::Settings)

namespace gantry::stt_openai {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  if (settings.api_key.empty()) settings.api_key = environment("OPENAI_API_KEY");
  if (settings.base_url.empty()) settings.base_url = environment("OPENAI_BASE_URL");
  if (settings.base_url.empty()) settings.base_url = "https://api.openai.com/v1";
  while (settings.base_url.ends_with('/')) settings.base_url.pop_back();
  return settings;
}

}  // namespace gantry::stt_openai
