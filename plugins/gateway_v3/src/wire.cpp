// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the JSON of what this plugin reads and keeps.
#include <gantry/codec.hpp>

#include "agents.hpp"
#include "pairing.hpp"
#include "session_index.hpp"
#include "settings.hpp"

GANTRY_INSTANTIATE(gantry::gateway::Settings)
GANTRY_INSTANTIATE(gantry::gateway::StoredAgent)
GANTRY_INSTANTIATE(gantry::gateway::SessionOwner)
GANTRY_INSTANTIATE(gantry::gateway::Device)
GANTRY_INSTANTIATE(gantry::gateway::PairingRequest)
