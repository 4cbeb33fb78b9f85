// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "stt_plugin.hpp"

GANTRY_PLUGIN(gantry::stt_pocketsphinx::SttPlugin, "stt_pocketsphinx", "0.1.0")
