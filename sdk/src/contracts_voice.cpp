// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/voice.hpp>

GANTRY_INSTANTIATE(gantry::VoiceSayRequest)
GANTRY_INSTANTIATE(gantry::VoiceText)
GANTRY_INSTANTIATE(gantry::VoiceChunk)
GANTRY_INSTANTIATE(gantry::VoiceRenderRequest)
GANTRY_INSTANTIATE(gantry::VoiceRendered)
GANTRY_INSTANTIATE(gantry::VoiceList)
GANTRY_INSTANTIATE(gantry::WakewordListenRequest)
GANTRY_INSTANTIATE(gantry::WakewordAudio)
GANTRY_INSTANTIATE(gantry::WakewordSpotted)
GANTRY_INSTANTIATE(gantry::WakewordFindRequest)
GANTRY_INSTANTIATE(gantry::WakewordFound)
