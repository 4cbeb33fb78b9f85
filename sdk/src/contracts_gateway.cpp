// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/gateway.hpp>

GANTRY_INSTANTIATE(gantry::GatewayPairingList)
GANTRY_INSTANTIATE(gantry::GatewayPairRequest)
GANTRY_INSTANTIATE(gantry::GatewayDevice)
GANTRY_INSTANTIATE(gantry::GatewayUnpairRequest)
