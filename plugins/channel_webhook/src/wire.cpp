// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the JSON of what this plugin sends and reads.
#include <gantry/codec.hpp>

#include "messages.hpp"
#include "settings.hpp"

GANTRY_INSTANTIATE(gantry::channel_webhook::Settings)
GANTRY_INSTANTIATE(gantry::channel_webhook::IncomingMessage)
GANTRY_INSTANTIATE(gantry::channel_webhook::OutgoingMessage)
GANTRY_INSTANTIATE(gantry::channel_webhook::Taken)
GANTRY_INSTANTIATE(gantry::channel_webhook::Refusal)
