// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own documents.
#include <gantry/codec.hpp>

#include "leftover.hpp"
#include "prompt.hpp"
#include "session.hpp"

GANTRY_INSTANTIATE(gantry::agent::SessionRecord)
GANTRY_INSTANTIATE(gantry::agent::HistorySnapshot)
GANTRY_INSTANTIATE(gantry::agent::RunningTurn)
GANTRY_INSTANTIATE(gantry::agent::ProviderBlocks)
GANTRY_INSTANTIATE(gantry::LlmSearchStep)
