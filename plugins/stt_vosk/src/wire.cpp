// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include <gantry/codec.hpp>

#include "settings.hpp"

GANTRY_INSTANTIATE(gantry::stt_vosk::Settings)

namespace gantry::stt_vosk {

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

}  // namespace gantry::stt_vosk
