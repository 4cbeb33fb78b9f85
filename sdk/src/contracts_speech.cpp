// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/speech.hpp>

GANTRY_INSTANTIATE(gantry::SpeechOpening)
GANTRY_INSTANTIATE(gantry::SpeechInput)
GANTRY_INSTANTIATE(gantry::SpeechEvent)
GANTRY_INSTANTIATE(gantry::TranscribeRequest)
GANTRY_INSTANTIATE(gantry::Transcript)
