// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/channel.hpp>

GANTRY_INSTANTIATE(gantry::ChannelInfo)
GANTRY_INSTANTIATE(gantry::ChannelInfos)
GANTRY_INSTANTIATE(gantry::ChannelSwitchRequest)
GANTRY_INSTANTIATE(gantry::ChannelSendRequest)
GANTRY_INSTANTIATE(gantry::ChannelAnsweredEvent)
