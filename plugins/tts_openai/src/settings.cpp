// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

#include <cstdlib>

GANTRY_INSTANTIATE(gantry::tts_openai::Settings)

namespace gantry::tts_openai {
namespace {

constexpr const char* kOpenAi = "https://api.openai.com/v1";

void fill(std::string& value, const char* variable, const char* usual) {
  if (!value.empty()) return;
  const char* set = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  value = set == nullptr || *set == '\0' ? usual : set;
}

}  // namespace

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  fill(settings.api_key, "OPENAI_API_KEY", "");
  fill(settings.base_url, "OPENAI_BASE_URL", kOpenAi);
  while (settings.base_url.ends_with('/')) settings.base_url.pop_back();
  return settings;
}

}  // namespace gantry::tts_openai
